"""Relations: reading and writing rows. Which relation may exist, and what it brings about, is for the rules."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, and_, func, or_, select, update

from smeldr.model.instants import Instant
from smeldr.model.items import ItemKey
from smeldr.model.kinds import KINDS, Direction, KindName
from smeldr.model.records import Relation
from smeldr.store import contract
from smeldr.store.contract import Readable
from smeldr.store.rows import add_rows
from smeldr.store.schema import relations
from smeldr.store.sets import chunks, within

_BOTH_WAYS: Final = sorted(kind.name for kind in KINDS.values() if kind.both_ways)
COLUMNS: Final = (
    relations.c.id,
    relations.c.kind,
    relations.c.source,
    relations.c.target,
    relations.c.rev,
    relations.c.asserted_by,
    relations.c.asserted_at,
    relations.c.ended_by,
    relations.c.ended_at,
    relations.c.cause,
    relations.c.reason,
)


class Relations(contract.Relations):
    """The rows of one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, relation_id: str) -> Relation | None:
        row = self._connection.execute(select(*COLUMNS).where(relations.c.id == relation_id)).first()
        return _relation(row) if row else None

    def live(self, kind: KindName, *, source: ItemKey | None = None, target: ItemKey | None = None) -> list[Relation]:
        ends = [relations.c.source == source] if source is not None else []
        ends += [relations.c.target == target] if target is not None else []
        statement = select(*COLUMNS).where(relations.c.kind == kind, relations.c.ended_at.is_(None), *ends)
        return [
            _relation(row)
            for row in self._connection.execute(statement.order_by(relations.c.asserted_at, relations.c.id))
        ]

    def list_relations(
        self,
        where: Readable,
        *,
        kind: str | None = None,
        touching: ItemKey | None = None,
        direction: Direction = "both",
        include_ended: bool = False,
        limit: int,
        offset: int,
    ) -> tuple[list[Relation], int]:
        matching: list[ColumnElement[bool]] = [
            *within(relations.c.source_place, where),
            *within(relations.c.target_place, where),
        ]
        if kind:
            matching.append(relations.c.kind == kind)
        if not include_ended:
            matching.append(relations.c.ended_at.is_(None))
        if touching is not None:
            matching.append(_touches(touching, direction))
        total = self._connection.execute(select(func.count()).select_from(relations).where(*matching)).scalar_one()
        statement = select(*COLUMNS).where(*matching).order_by(relations.c.asserted_at, relations.c.id)
        page = self._connection.execute(statement.limit(limit).offset(offset))
        return [_relation(row) for row in page], total

    def add(self, new: Iterable[tuple[Relation, ItemKey, ItemKey]]) -> None:
        rows = [
            {
                "id": each.id,
                "kind": each.kind,
                "source": each.source,
                "source_place": source_place,
                "target": each.target,
                "target_place": target_place,
                "rev": each.rev,
                "asserted_by": each.asserted_by,
                "asserted_at": each.asserted_at,
            }
            for each, source_place, target_place in new
        ]
        add_rows(self._connection, relations, rows)

    def end(self, relation_id: str, *, by: str, at: Instant, cause: str, reason: str | None) -> Relation:
        statement = (
            update(relations)
            .where(relations.c.id == relation_id, relations.c.ended_at.is_(None))
            .values(rev=relations.c.rev + 1, ended_by=by, ended_at=at, cause=cause, reason=reason)
        )
        return _relation(self._connection.execute(statement.returning(*COLUMNS)).one())

    def move_ends(self, keys: Sequence[ItemKey], place: ItemKey) -> None:
        for some in chunks(keys):
            self._connection.execute(update(relations).where(relations.c.source.in_(some)).values(source_place=place))
            self._connection.execute(update(relations).where(relations.c.target.in_(some)).values(target_place=place))

    def existing(self, pairs: Collection[tuple[KindName, ItemKey, ItemKey]]) -> set[tuple[str, ItemKey, ItemKey]]:
        found: set[tuple[str, ItemKey, ItemKey]] = set()
        for some in chunks({source for _, source, _ in pairs}):
            statement = select(relations.c.kind, relations.c.source, relations.c.target).where(
                relations.c.source.in_(some)
            )
            found.update(self._connection.execute(statement))
        return found & set(pairs)


def _touches(key: ItemKey, direction: Direction) -> ColumnElement[bool]:
    out_of, into = relations.c.source == key, relations.c.target == key
    both_ways = relations.c.kind.in_(_BOTH_WAYS)
    if direction == "outgoing":
        return or_(out_of, and_(into, both_ways))
    if direction == "incoming":
        return or_(into, and_(out_of, both_ways))
    return or_(out_of, into)


def _relation(row: Row[*tuple[Any, ...]]) -> Relation:
    return Relation(*row)
