"""Relations: reading and writing rows. Which relation may exist, and what it brings about, is for the rules."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, and_, func, insert, or_, select, update

from smeldr.model.instants import Instant
from smeldr.model.items import ItemKey
from smeldr.model.kinds import KindName
from smeldr.model.records import Relation
from smeldr.store.schema import relations
from smeldr.store.sets import Readable, chunks, within

_COLUMNS: Final = (
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


class Relations:
    """The rows of one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, relation_id: str) -> Relation | None:
        """The relation with this id, live or ended."""
        row = self._connection.execute(select(*_COLUMNS).where(relations.c.id == relation_id)).first()
        return _relation(row) if row else None

    def live(self, kind: KindName, *, source: ItemKey | None = None, target: ItemKey | None = None) -> list[Relation]:
        """The live relations of the kind from `source`, to `target`, or between the two; oldest first."""
        ends = [relations.c.source == source] if source is not None else []
        ends += [relations.c.target == target] if target is not None else []
        statement = select(*_COLUMNS).where(relations.c.kind == kind, relations.c.ended_at.is_(None), *ends)
        return [
            _relation(row)
            for row in self._connection.execute(statement.order_by(relations.c.asserted_at, relations.c.id))
        ]

    def list(
        self,
        where: Readable,
        *,
        kind: str | None = None,
        touching: ItemKey | None = None,
        direction: str = "both",
        include_ended: bool = False,
        limit: int,
        offset: int,
    ) -> tuple[list[Relation], int]:
        """One page of the relations with both ends in the places `where`, by (asserted_at, id), and how many in all.

        `touching` with `direction` asks for those that come into or go out of one item; a relation that reads both
        ways does both.
        """
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
        statement = select(*_COLUMNS).where(*matching).order_by(relations.c.asserted_at, relations.c.id)
        page = self._connection.execute(statement.limit(limit).offset(offset))
        return [_relation(row) for row in page], total

    def add(self, new: Iterable[tuple[Relation, ItemKey, ItemKey]]) -> None:
        """Write new live relations, each with the place of its source and of its target."""
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
        if rows:
            self._connection.execute(insert(relations), rows)

    def end(self, relation_id: str, *, by: str, at: Instant, cause: str, reason: str | None) -> Relation:
        """End a live relation; its rev rises. It stays on record."""
        statement = (
            update(relations)
            .where(relations.c.id == relation_id, relations.c.ended_at.is_(None))
            .values(rev=relations.c.rev + 1, ended_by=by, ended_at=at, cause=cause, reason=reason)
        )
        return _relation(self._connection.execute(statement.returning(*_COLUMNS)).one())

    def move_ends(self, keys: Sequence[ItemKey], place: ItemKey) -> None:
        """Say in every relation of these items, live or ended, that they lie elsewhere now."""
        for some in chunks(keys):
            self._connection.execute(update(relations).where(relations.c.source.in_(some)).values(source_place=place))
            self._connection.execute(update(relations).where(relations.c.target.in_(some)).values(target_place=place))

    def existing(self, pairs: Collection[tuple[KindName, ItemKey, ItemKey]]) -> set[tuple[str, ItemKey, ItemKey]]:
        """Which of these (kind, source, target) are on record, live or ended."""
        found: set[tuple[str, ItemKey, ItemKey]] = set()
        for some in chunks({source for _, source, _ in pairs}):
            statement = select(relations.c.kind, relations.c.source, relations.c.target).where(
                relations.c.source.in_(some)
            )
            found.update(self._connection.execute(statement).tuples())
        return found & set(pairs)


def _touches(key: ItemKey, direction: str) -> ColumnElement[bool]:
    out_of, into = relations.c.source == key, relations.c.target == key
    both_ways = relations.c.kind == "contradicts"
    if direction == "outgoing":
        return or_(out_of, and_(into, both_ways))
    if direction == "incoming":
        return or_(into, and_(out_of, both_ways))
    return or_(out_of, into)


def _relation(row: Row[*tuple[Any, ...]]) -> Relation:
    return Relation(*row)
