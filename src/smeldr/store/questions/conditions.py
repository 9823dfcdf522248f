"""Questions about Signals. Which of them should be open is a matter of the rules, and not asked here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Select, and_, exists, func, not_, or_, select

from smeldr.store.schema import items, relations, signals

_decision = items.alias("decision")

_SIGNALS: Final = signals.join(items, items.c.key == signals.c.key)
_HANGS_ON: Final = and_(
    relations.c.id == signals.c.relation,
    or_(
        and_(relations.c.source == signals.c.about, relations.c.target == signals.c.other),
        and_(relations.c.source == signals.c.other, relations.c.target == signals.c.about),
    ),
)
_SAID: Final = (signals.c.condition, signals.c.about, signals.c.other)

QUESTIONS: Final[Mapping[str, Sequence[Select[Any]]]] = {
    "condition-misplaced": [
        select(items.c.key, items.c.place, signals.c.about, _decision.c.place.label("there"))
        .select_from(_SIGNALS.join(_decision, _decision.c.key == signals.c.about))
        .where(items.c.place != _decision.c.place)
        .order_by(items.c.key)
    ],
    "condition-doubled": [
        select(func.max(signals.c.key).label("key"), *_SAID)
        .where(signals.c.resolution.is_(None))
        .group_by(*_SAID)
        .having(func.count() > 1)
        .order_by("key")
    ],
    "condition-half-closed": [
        select(items.c.key, items.c.state, signals.c.resolution)
        .select_from(_SIGNALS)
        .where(
            or_(
                and_(items.c.state == "open", signals.c.resolution.is_not(None)),
                and_(items.c.state == "closed", signals.c.resolution.is_(None)),
            )
        )
        .order_by(items.c.key)
    ],
    "condition-without-relation": [
        select(signals.c.key, signals.c.about, signals.c.other, signals.c.relation)
        .where(not_(exists().where(_HANGS_ON)))
        .order_by(signals.c.key)
    ],
}
