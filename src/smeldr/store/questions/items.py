"""Questions about items: their states, the places that they lie in, their texts, and what an Amendment amends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Select, Text, and_, cast, exists, func, literal, not_, or_, select

from smeldr.model.items import ITEM_TYPES, ROOT, ItemType, key_range
from smeldr.model.states import STATES_OF
from smeldr.store.questions.terms import DOCUMENTS, LIVE, Condition, is_there, no_place, of_type
from smeldr.store.schema import counters, items, places, relations, signals, texts

_ONCE_RATIFIED: Final = ("ratified", "retired", "superseded")

_around = items.alias("around")
_decision = items.alias("decision")

_IN_A_KNOWN_STATE: Final = or_(
    *(and_(of_type(items.c.key, each), items.c.state.in_(sorted(states))) for each, states in STATES_OF.items())
)
_FILLS_ITS_PLACE: Final = or_(
    of_type(items.c.key, "Amendment", "Decision"), and_(of_type(items.c.key, "Area"), items.c.state == "live")
)
_NESTED: Final = or_(
    and_(of_type(items.c.key, "Area"), or_(items.c.place == ROOT, is_there(items.c.place, "Area"))),
    and_(of_type(items.c.key, "Domain"), is_there(items.c.place, "Area", "Domain")),
)
_AMENDING: Final = and_(relations.c.source == items.c.key, relations.c.kind == "amends", LIVE)
_UNATTACHED: Final = or_(
    texts.c.amends.is_(None),
    not_(is_there(texts.c.amends, "Decision")),
    not_(exists().where(_AMENDING, relations.c.target == texts.c.amends)),
    exists().where(_AMENDING, relations.c.target != texts.c.amends),
)


def _lying(*which: Condition) -> Select[Any]:
    return select(items.c.key, items.c.place).where(*which).order_by(items.c.key)


def _lacking(part: str, table: Any, *types: ItemType) -> Select[Any]:
    lacks = not_(exists().where(table.c.key == items.c.key))
    statement = select(items.c.key, literal(part).label("part"))
    return statement.where(of_type(items.c.key, *types), lacks).order_by(items.c.key)


def _counter_behind(item_type: ItemType) -> Select[Any]:
    first, beyond = key_range(item_type)
    counter = select(counters.c.value).where(counters.c.name == item_type).scalar_subquery()
    highest = select(func.max(items.c.key)).where(items.c.key >= first, items.c.key < beyond).scalar_subquery()
    columns = literal(item_type).label("name"), cast(counter, Text).label("counter"), highest.label("highest")
    return select(*columns).where(func.coalesce(highest, first) - first > func.coalesce(counter, -1))


QUESTIONS: Final[Mapping[str, Sequence[Select[Any]]]] = {
    "item-state-unknown": [select(items.c.key, items.c.state).where(not_(_IN_A_KNOWN_STATE)).order_by(items.c.key)],
    "item-place-missing": [_lying(no_place(items.c.place))],
    "item-place-retired": [
        _lying(_around.c.key == items.c.place, _around.c.state == "retired", _FILLS_ITS_PLACE),
    ],
    "place-nested": [_lying(_NESTED)],
    "item-incomplete": [
        _lacking("text", texts, "Amendment", "Decision"),
        _lacking("name", places, "Area", "Domain"),
        _lacking("condition", signals, "Signal"),
    ],
    "amendment-unattached": [
        select(items.c.key, texts.c.amends)
        .select_from(DOCUMENTS)
        .where(of_type(items.c.key, "Amendment"), _UNATTACHED)
        .order_by(items.c.key)
    ],
    "amendment-misplaced": [
        select(items.c.key, items.c.place, texts.c.amends, _decision.c.place.label("there"))
        .select_from(DOCUMENTS.join(_decision, _decision.c.key == texts.c.amends))
        .where(items.c.place != _decision.c.place)
        .order_by(items.c.key)
    ],
    "ratified-by-missing": [
        select(items.c.key, items.c.state)
        .select_from(DOCUMENTS)
        .where(items.c.state.in_(_ONCE_RATIFIED), texts.c.ratified_by.is_(None))
        .order_by(items.c.key)
    ],
    "counter-behind": [_counter_behind(each) for each in ITEM_TYPES],
}
