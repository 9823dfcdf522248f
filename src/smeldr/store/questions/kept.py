"""Questions about what is kept beside the register and belongs to nothing, and about the database's own references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import ForeignKey, Select, Text, and_, bindparam, cast, exists, func, literal, not_, or_, select

from smeldr.model.kinds import KINDS
from smeldr.store.questions.terms import Condition, no_place
from smeldr.store.schema import (
    METADATA,
    confirmations,
    grants,
    items,
    relations,
    request_keys,
    rest_counts,
    sweep_runs,
    texts,
    tokens,
)

_RAISES_FLAG: Final = sorted(kind.name for kind in KINDS.values() if kind.raises_flag)
_ONCE_JOINED: Final = exists().where(
    relations.c.source == confirmations.c.decision,
    relations.c.target == confirmations.c.premise,
    relations.c.kind.in_(_RAISES_FLAG),
)
_CURRENT: Final = rest_counts.c.generation == select(func.max(sweep_runs.c.generation)).scalar_subquery()
_COUNTED: Final = exists().where(items.c.key == rest_counts.c.key)

LEFT_OVER: Final[Mapping[str, tuple[Any, Condition]]] = {
    "count-orphaned": (rest_counts, and_(_CURRENT, or_(not_(_COUNTED), no_place(rest_counts.c.place)))),
    "confirmation-orphaned": (confirmations, not_(_ONCE_JOINED)),
}
"""By code, the derived rows that nothing needs: their table, and which they are. Counts of other generations than the
current one are left to the next sweep, which removes them all."""

_TOLD_BY_OTHERS: Final = frozenset(
    {relations.c.source, relations.c.target, texts.c.amends, tokens.c.principal, grants.c.principal}
)
"""Columns whose foreign keys have codes of their own."""

_FOREIGN_KEYS: Final = sorted(
    (key for table in METADATA.tables.values() for key in table.foreign_keys if key.parent not in _TOLD_BY_OTHERS),
    key=lambda key: (key.parent.table.name, key.parent.name),
)


def _left_over(code: str, *columns: str) -> Select[Any]:
    table, which = LEFT_OVER[code]
    return select(*(table.c[name] for name in columns)).where(which).order_by(*table.primary_key.columns)


def _dangling(key: ForeignKey) -> Select[Any]:
    column, target = key.parent, key.column
    row, *_ = column.table.primary_key.columns
    said: Mapping[str, Any] = {
        "table": literal(column.table.name),
        "column": literal(column.name),
        "row": cast(row, Text),
        "named": cast(column, Text),
    }
    dangling = select(*(each.label(name) for name, each in said.items()))
    return dangling.where(column.is_not(None), not_(exists().where(target == column))).order_by(row)


QUESTIONS: Final[Mapping[str, Sequence[Select[Any]]]] = {
    "count-orphaned": [_left_over("count-orphaned", "key", "direction", "place")],
    "confirmation-orphaned": [_left_over("confirmation-orphaned", "decision", "premise")],
    "request-key-old": [
        select(request_keys.c.principal, request_keys.c.at)
        .where(request_keys.c.at < bindparam("before", type_=Text()))
        .order_by(request_keys.c.principal, request_keys.c.key)
    ],
    "foreign-key-broken": [_dangling(key) for key in _FOREIGN_KEYS],
}
