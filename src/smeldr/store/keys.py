"""Request keys: what a call answered when it first succeeded. When one may be used again is for the operations."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select, tuple_

from smeldr.model.instants import Instant
from smeldr.model.records import UsedKey
from smeldr.store import contract
from smeldr.store.schema import request_keys


class RequestKeys(contract.RequestKeys):
    """The rows of one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, principal: str, key: str) -> UsedKey | None:
        columns = [request_keys.c[name] for name in UsedKey.__slots__]
        statement = select(*columns).where(request_keys.c.principal == principal, request_keys.c.key == key)
        row = self._connection.execute(statement).first()
        return UsedKey(*row) if row else None

    def put(self, used: UsedKey) -> None:
        mine = (request_keys.c.principal == used.principal, request_keys.c.key == used.key)
        self._connection.execute(delete(request_keys).where(*mine))
        self._connection.execute(insert(request_keys).values(**{name: getattr(used, name) for name in used.__slots__}))

    def forget_before(self, instant: Instant, limit: int) -> int:
        which = (request_keys.c.principal, request_keys.c.key)
        oldest = select(*which).where(request_keys.c.at < instant).order_by(request_keys.c.at).limit(limit)
        return self._connection.execute(delete(request_keys).where(tuple_(*which).in_(oldest))).rowcount
