"""Principals, tokens and grants: reading and writing rows. What a grant gives is rules/access.py."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Text, bindparam, func, insert, or_, select, update

from smeldr.model.instants import Instant
from smeldr.model.items import ItemKey
from smeldr.model.records import Grant, Principal, Token
from smeldr.model.rights import Right
from smeldr.store import contract
from smeldr.store.contract import Readable
from smeldr.store.schema import grants, principals, tokens
from smeldr.store.sets import within

_PRINCIPAL: Final = (
    principals.c.id,
    principals.c.name,
    principals.c["class"],
    principals.c.active,
    principals.c.created_at,
)
_TOKEN: Final = (tokens.c.id, tokens.c.principal, tokens.c.created_at, tokens.c.expires_at, tokens.c.revoked_at)
_GRANT: Final = (
    grants.c.id,
    grants.c.principal,
    grants.c.right,
    grants.c.place,
    grants.c.granted_by,
    grants.c.granted_at,
    grants.c.expires_at,
    grants.c.revoked_at,
)


def _counts(table: Any, now: Any) -> tuple[ColumnElement[bool], ...]:
    """Not revoked, and not expired at this instant."""
    return table.c.revoked_at.is_(None), or_(table.c.expires_at.is_(None), table.c.expires_at > now)


_NOW: Final = bindparam("now", type_=Text())
_BEARER: Final = (
    select(*_PRINCIPAL, *_TOKEN)
    .select_from(tokens.join(principals, principals.c.id == tokens.c.principal))
    .where(tokens.c.hash == bindparam("token_hash"), principals.c.active, *_counts(tokens, _NOW))
)
_RIGHTS: Final = select(grants.c.right, grants.c.place).where(
    grants.c.principal == bindparam("whose"), *_counts(grants, _NOW)
)


class AccessRows(contract.AccessRows):
    """The rows of one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def bearer(self, token_hash: str, now: Instant) -> tuple[Principal, Token] | None:
        row = self._connection.execute(_BEARER, {"token_hash": token_hash, "now": now}).first()
        return (Principal(*row[:5]), Token(*row[5:10])) if row else None

    def rights(self, principal: str, now: Instant) -> list[tuple[Right, ItemKey]]:
        rows = self._connection.execute(_RIGHTS, {"whose": principal, "now": now}).all()
        return [(right, ItemKey(place)) for right, place in rows]

    def grants_of(self, principal: str, now: Instant) -> list[Grant]:
        statement = select(*_GRANT).where(grants.c.principal == principal, *_counts(grants, now))
        rows = self._connection.execute(statement.order_by(grants.c.granted_at, grants.c.id))
        return [_grant(row) for row in rows]

    def principal(self, principal_id: str) -> Principal | None:
        row = self._connection.execute(select(*_PRINCIPAL).where(principals.c.id == principal_id)).first()
        return Principal(*row) if row else None

    def list_principals(self, *, limit: int, offset: int) -> tuple[list[Principal], int]:
        total = self._connection.execute(select(func.count()).select_from(principals)).scalar_one()
        statement = select(*_PRINCIPAL).order_by(principals.c.created_at, principals.c.id)
        return [Principal(*row) for row in self._connection.execute(statement.limit(limit).offset(offset))], total

    def add_principal(self, new: Principal) -> None:
        values = {"id": new.id, "name": new.name, "class": new.principal_class, "active": new.active}
        self._connection.execute(insert(principals).values(**values, created_at=new.created_at))

    def deactivate(self, principal_id: str) -> None:
        self._connection.execute(update(principals).where(principals.c.id == principal_id).values(active=False))

    def token(self, token_id: str) -> Token | None:
        row = self._connection.execute(select(*_TOKEN).where(tokens.c.id == token_id)).first()
        return Token(*row) if row else None

    def list_tokens(self, principal_id: str, *, limit: int, offset: int) -> tuple[list[Token], int]:
        theirs = tokens.c.principal == principal_id
        total = self._connection.execute(select(func.count()).select_from(tokens).where(theirs)).scalar_one()
        statement = select(*_TOKEN).where(theirs).order_by(tokens.c.created_at, tokens.c.id)
        return [Token(*row) for row in self._connection.execute(statement.limit(limit).offset(offset))], total

    def add_token(self, new: Token, token_hash: str) -> None:
        self._connection.execute(
            insert(tokens).values(
                id=new.id,
                principal=new.principal,
                hash=token_hash,
                created_at=new.created_at,
                expires_at=new.expires_at,
            )
        )

    def revoke_token(self, token_id: str, at: Instant) -> None:
        self._connection.execute(update(tokens).where(tokens.c.id == token_id).values(revoked_at=at))

    def grant(self, grant_id: str) -> Grant | None:
        row = self._connection.execute(select(*_GRANT).where(grants.c.id == grant_id)).first()
        return _grant(row) if row else None

    def list_grants(
        self, now: Instant, places: Readable, *, principal: str | None = None, limit: int, offset: int
    ) -> tuple[list[Grant], int]:
        matching = [*within(grants.c.place, places), *_counts(grants, now)]
        if principal:
            matching.append(grants.c.principal == principal)
        total = self._connection.execute(select(func.count()).select_from(grants).where(*matching)).scalar_one()
        statement = select(*_GRANT).where(*matching).order_by(grants.c.granted_at, grants.c.id)
        return [_grant(row) for row in self._connection.execute(statement.limit(limit).offset(offset))], total

    def same_grant(self, principal: str, right: Right, place: ItemKey, expires_at: Instant | None) -> Grant | None:
        statement = select(*_GRANT).where(
            grants.c.principal == principal,
            grants.c.right == right,
            grants.c.place == place,
            grants.c.revoked_at.is_(None),
            grants.c.expires_at.is_(None) if expires_at is None else grants.c.expires_at == expires_at,
        )
        row = self._connection.execute(statement.order_by(grants.c.granted_at, grants.c.id).limit(1)).first()
        return _grant(row) if row else None

    def add_grant(self, new: Grant) -> None:
        self._connection.execute(
            insert(grants).values(
                id=new.id,
                principal=new.principal,
                right=new.right,
                place=new.place,
                granted_by=new.granted_by,
                granted_at=new.granted_at,
                expires_at=new.expires_at,
            )
        )

    def revoke_grant(self, grant_id: str, at: Instant) -> None:
        self._connection.execute(update(grants).where(grants.c.id == grant_id).values(revoked_at=at))

    def administrator_remains(self, root: ItemKey, classes: Collection[str]) -> bool:
        statement = (
            select(principals.c.id)
            .select_from(
                principals.join(grants, grants.c.principal == principals.c.id).join(
                    tokens, tokens.c.principal == principals.c.id
                )
            )
            .where(
                principals.c.active,
                principals.c["class"].in_(classes),
                grants.c.right == "administer",
                grants.c.place == root,
                grants.c.expires_at.is_(None),
                grants.c.revoked_at.is_(None),
                tokens.c.expires_at.is_(None),
                tokens.c.revoked_at.is_(None),
            )
        )
        return self._connection.execute(statement.limit(1)).first() is not None


def _grant(row: Row[*tuple[Any, ...]]) -> Grant:
    return Grant(*row)
