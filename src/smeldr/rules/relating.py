"""Which relation may be recorded by hand, and whose right it takes to record or end one.

Judged from the two types, the two ends and the source's state. Whether a caller holds the right is rules/access.py;
what a relation brings about is said by the rules of the conditions. Source: docs/rules/relating.md.
"""

from __future__ import annotations

from smeldr.model.errors import Refusal, validation_failed
from smeldr.model.items import ItemKey
from smeldr.model.kinds import KINDS, MADE_BY_HAND, KindName
from smeldr.model.rights import Right
from smeldr.model.states import in_force


def why_not_recorded(kind: KindName, source_type: str, target_type: str) -> Refusal | None:
    """The `validation_failed` of a kind that is not made by hand or does not join these types; None when it does."""
    if kind not in MADE_BY_HAND:
        return validation_failed("relation_kind", f"{kind} is not recorded by hand", list(MADE_BY_HAND))
    declared = KINDS[kind]
    if not declared.joins(source_type, target_type):
        pairs = f"from {' or '.join(sorted(declared.sources))} to {' or '.join(sorted(declared.targets))}"
        field = "target_type" if source_type in declared.sources else "source_type"
        return validation_failed(field, f"{kind} runs {pairs}, not from {source_type} to {target_type}")
    return None


def right_to_end(kind: KindName, source_state: str) -> Right:
    """The right over the source's place that ending the relation takes.

    What a Decision in force is grounded in is part of what was ratified, so ending that takes `ratify`.
    """
    return "ratify" if KINDS[kind].raises_flag and in_force(source_state) else "author"


def in_order(kind: KindName, source: ItemKey, target: ItemKey) -> tuple[ItemKey, ItemKey]:
    """The two ends as they are kept: a relation that reads both ways is one relation, lower key first."""
    return (target, source) if KINDS[kind].both_ways and target < source else (source, target)
