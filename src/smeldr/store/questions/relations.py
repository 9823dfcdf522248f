"""Questions about relations: their ends, the typed graph, each other. Ended ones are asked about where that counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, and_, case, exists, func, literal, not_, or_, select

from smeldr.model.kinds import KINDS
from smeldr.model.states import STANDING
from smeldr.store.questions.terms import LIVE, Condition, of_type
from smeldr.store.schema import items, relations

_BOTH_WAYS: Final = sorted(kind.name for kind in KINDS.values() if kind.both_ways)
_RELATION: Final = (relations.c.id, relations.c.kind, relations.c.source, relations.c.target)

_source = items.alias("source_item")
_target = items.alias("target_item")
_mirror = relations.alias("mirror")

_WITH_ENDS: Final = relations.outerjoin(_source, _source.c.key == relations.c.source).outerjoin(
    _target, _target.c.key == relations.c.target
)
_DECLARED: Final = or_(
    *(
        and_(
            relations.c.kind == kind.name,
            of_type(relations.c.source, *kind.sources),
            of_type(relations.c.target, *kind.targets),
        )
        for kind in KINDS.values()
        if kind.stored
    )
)
_TURNED: Final = and_(LIVE, relations.c.kind.in_(_BOTH_WAYS), relations.c.source > relations.c.target)
_MIRRORED: Final = exists().where(
    _mirror.c.kind == relations.c.kind,
    _mirror.c.source == relations.c.target,
    _mirror.c.target == relations.c.source,
    _mirror.c.ended_at.is_(None),
)


def _relations(*which: Condition) -> Select[Any]:
    return select(*_RELATION).where(*which).order_by(relations.c.id)


def _misplaced(name: str, end: ColumnElement[int], stored: ColumnElement[int]) -> Select[Any]:
    columns = select(relations.c.id, literal(name).label("end"), items.c.key, items.c.place, stored.label("stored"))
    lying = columns.select_from(relations.join(items, items.c.key == end))
    return lying.where(stored != items.c.place).order_by(relations.c.id)


QUESTIONS: Final[Mapping[str, Sequence[Select[Any]]]] = {
    "relation-end-missing": [
        select(
            *_RELATION,
            case((_source.c.key.is_(None), relations.c.source), else_=relations.c.target).label("missing"),
        )
        .select_from(_WITH_ENDS)
        .where(or_(_source.c.key.is_(None), _target.c.key.is_(None)))
        .order_by(relations.c.id)
    ],
    "relation-undeclared": [_relations(not_(_DECLARED))],
    "relation-end-misplaced": [
        _misplaced("source", relations.c.source, relations.c.source_place),
        _misplaced("target", relations.c.target, relations.c.target_place),
    ],
    "relation-doubled": [
        select(func.max(relations.c.id).label("id"), *_RELATION[1:])
        .where(LIVE)
        .group_by(*_RELATION[1:])
        .having(func.count() > 1)
        .order_by(*_RELATION[1:]),
        _relations(_TURNED, _MIRRORED),
    ],
    "relation-turned": [_relations(_TURNED, not_(_MIRRORED))],
    "relation-to-itself": [
        select(*_RELATION[:3]).where(LIVE, relations.c.source == relations.c.target).order_by(relations.c.id)
    ],
    "relation-supersedes-standing": [
        select(relations.c.id, relations.c.source, relations.c.target, items.c.state)
        .select_from(relations.join(items, items.c.key == relations.c.target))
        .where(LIVE, relations.c.kind == "supersedes", items.c.state.in_(sorted(STANDING)))
        .order_by(relations.c.id)
    ],
}
