"""Where the history tells something else than the tables: the last entry about a thing, held against its row.

Compared are the state, of items and relations the rev, and of items the place. `changes` is in one spelling, so that a
number in it can be looked for as text. Whether the history itself is whole is chain.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, Table, Text, and_, case, cast, func, literal, not_, null, or_, select

from smeldr.model.items import ITEM_TYPES, key_range
from smeldr.store.engines import KEY
from smeldr.store.schema import grants, history, items, principals, relations, tokens

_before = history.alias("before")
_NO_KEY: Final = cast(null(), KEY)
_FIRST_SIGNAL: Final = key_range("Signal")[0]


def _live_or(ended: ColumnElement[Any], word: str) -> ColumnElement[str]:
    return case((ended.is_(None), "live"), else_=word)


_STATES: Final[tuple[tuple[str, Table, ColumnElement[str]], ...]] = (
    ("Item", items, items.c.state),
    ("Relation", relations, _live_or(relations.c.ended_at, "ended")),
    ("Principal", principals, case((principals.c.active, "active"), else_="deactivated")),
    ("Token", tokens, _live_or(tokens.c.revoked_at, "revoked")),
    ("Grant", grants, _live_or(grants.c.revoked_at, "revoked")),
)
"""What has a state that the history tells, and where it stands."""


def _last(table: Table, *which: ColumnElement[bool]) -> Any:
    """The table beside the last entry about each of its rows, or beside nothing."""
    last = select(func.max(_before.c.seq)).where(_before.c.subject_id == table.c.id, *which).scalar_subquery()
    return table.outerjoin(history, history.c.seq == last)


def _columns(kind: str, table: Table, field: Any, stands: Any, told: Any) -> Select[Any]:
    key = table.c.key if table is items else _NO_KEY
    given = {"type": literal(kind), "id": table.c.id, "key": key, "field": field, "stands": stands, "told": told}
    return select(*(column.label(name) for name, column in given.items())).order_by(*table.primary_key.columns)


def _another_state(kind: str, table: Table, stands: ColumnElement[str]) -> Select[Any]:
    field = case((history.c.seq.is_(None), "entry"), else_="state")
    statement = _columns(kind, table, field, stands, history.c.to_state).select_from(_last(table))
    return statement.where(or_(history.c.to_state.is_(None), history.c.to_state != stands))


def _another_number(kind: str, table: Table, name: str, *which: ColumnElement[bool]) -> Select[Any]:
    number = cast(table.c[name], Text)
    says = [history.c.changes.like(literal(f'%"{name}":') + number + behind) for behind in (",%", "}%")]
    last = _last(table, _before.c.changes.contains(f'"{name}":'))
    statement = _columns(kind, table, literal(name), number, cast(null(), Text)).select_from(last)
    return statement.where(history.c.seq.is_not(None), not_(or_(*says)), *which)


def _lost(kind: str, table: Table) -> Select[Any]:
    key = history.c.subject_key if table is items else _NO_KEY
    given = {
        "type": history.c.subject_type,
        "id": history.c.subject_id,
        "key": key,
        "field": literal("row"),
        "stands": cast(null(), Text),
        "told": history.c.to_state,
    }
    of_kind = history.c.subject_type.in_(ITEM_TYPES) if table is items else history.c.subject_type == kind
    there = select(table.c.id).where(table.c.id == history.c.subject_id).exists()
    statement = select(*(column.label(name) for name, column in given.items()))
    return statement.where(and_(history.c.from_state.is_(None), of_kind, not_(there))).order_by(history.c.seq)


def _statements() -> Iterator[Select[Any]]:
    for each in _STATES:
        yield _another_state(*each)
    yield _another_number("Item", items, "rev", items.c.key < _FIRST_SIGNAL)
    yield _another_number("Relation", relations, "rev")
    yield _another_number("Item", items, "place", items.c.key < _FIRST_SIGNAL)
    for kind, table, _ in _STATES:
        yield _lost(kind, table)


QUESTIONS: Final[Mapping[str, Sequence[Select[Any]]]] = {"history-disagrees": list(_statements())}
"""Rows of (type, id, key, field, stands, told). `field` is what differs: the state, the rev or the place; `entry` when
the history knows nothing of the row, `row` when it tells of one that is not there. Of a number `told` is left open. A
Signal has no rev of its own, and its place is its Decision's."""
