"""Conditions are opened and closed here and nowhere else.

After every change, in its transaction: the relations that touch what changed are judged by the rules; what should be
open and is not is opened, what is open and should not be is closed with the reason. Everything at once can be held
against the rules as well, without changing it. A third type of condition would be one more rule file and one more line
in `_JUDGES`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Set
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from smeldr.model.entries import Entry
from smeldr.model.items import ItemKey, address_of
from smeldr.model.records import End, Item, Judged, Relation, Signal
from smeldr.operations import entries
from smeldr.operations.call import Call
from smeldr.rules import contradiction, premise_flag

Identity = tuple[str, ItemKey, ItemKey, str]
"""Which condition it is: its type, its Decision, the other one, and the relation where that tells two apart."""


@dataclass(frozen=True, slots=True)
class Due:
    """A condition that should be open."""

    condition: str
    about: End
    other: End
    relation: Relation

    @property
    def identity(self) -> Identity:
        return identity(self.condition, self.about.key, self.other.key, self.relation.id)


def _premise_flags(judged: Judged) -> Iterator[Due]:
    if premise_flag.holds(judged.relation, judged.source, judged.target, judged.confirmed_at):
        yield Due(premise_flag.CONDITION, judged.source, judged.target, judged.relation)


def _contradictions(judged: Judged) -> Iterator[Due]:
    if contradiction.holds(judged.relation, judged.source, judged.target):
        yield Due(contradiction.CONDITION, judged.source, judged.target, judged.relation)
        yield Due(contradiction.CONDITION, judged.target, judged.source, judged.relation)


_JUDGES: Final[tuple[Callable[[Judged], Iterator[Due]], ...]] = (_premise_flags, _contradictions)


def identity(condition: str, about: ItemKey, other: ItemKey, relation: str) -> Identity:
    """A premise flag is one per pair; a conflict is one per relation and side."""
    return condition, about, other, "" if condition == premise_flag.CONDITION else relation


class Amiss(NamedTuple):
    """A condition that is not what its rule says: `missing` where it should be open, or `left open` when it is over."""

    about: ItemKey
    condition: str
    other: ItemKey
    relation: str
    fault: Literal["missing", "left open"]


def reconcile(call: Call) -> tuple[int, int]:
    """Judge what the call has changed; returns how many conditions were opened and closed."""
    return _judge_anew(call, call.changes.decisions, call.changes.relations)


def amiss(call: Call) -> list[Amiss]:
    """Hold every condition against its rule, in whatever transaction the call is, and change nothing.

    Sorted by Decision, condition and the other Decision. Empty unless something went wrong: every change settles its
    conditions itself. Takes one look at each live relation, and memory for the open conditions alone.
    """
    store = call.unit.conditions
    is_open = {_identity_of(signal): signal.relation for signal in store.all_open()}
    in_order: set[Identity] = set()
    found: list[Amiss] = []
    for due in _due(store.all_live()):
        if due.identity in is_open:
            in_order.add(due.identity)
        else:
            found.append(Amiss(due.about.key, due.condition, due.other.key, due.relation.id, "missing"))
    for one in is_open.keys() - in_order:
        condition, about, other, _ = one
        found.append(Amiss(about, condition, other, is_open[one], "left open"))
    return sorted(found)


def repair(call: Call, found: Collection[Amiss]) -> tuple[int, int]:
    """Judge these again, in the transaction of the call; returns how many conditions were opened and closed.

    What was put in order since they were found stays as it is.
    """
    return _judge_anew(call, set(), {each.relation for each in found})


def reconcile_all(call: Call) -> tuple[int, int]:
    """Judge everything in the transaction of the call; returns how many conditions were opened and closed."""
    return repair(call, amiss(call))


def _judge_anew(call: Call, decisions: Set[ItemKey], relations: Set[str]) -> tuple[int, int]:
    if not (decisions or relations):
        return 0, 0
    store = call.unit.conditions
    judged = store.touching(decisions, relations)
    named = [each for each in judged if each.relation.id in relations]
    ends = {end.key for each in named for end in (each.source, each.target)}
    touched = [
        signal
        for signal in store.open_signals(about=decisions | ends, other=decisions)
        if signal.about in decisions or signal.other in decisions or signal.relation in relations
    ]
    return _settle(call, judged, touched)


def _settle(call: Call, judged: Collection[Judged], is_open: Collection[Signal]) -> tuple[int, int]:
    due = {each.identity: each for each in _due(judged)}
    standing = {_identity_of(each): each for each in is_open}
    over = [signal for key, signal in standing.items() if key not in due]
    _close(call, over, {each.relation.id: each for each in judged})
    _open(call, sorted((each for key, each in due.items() if key not in standing), key=_order))
    return len(due.keys() - standing.keys()), len(over)


def _due(judged: Iterable[Judged]) -> Iterator[Due]:
    return (due for each in judged for judge in _JUDGES for due in judge(each))


def _identity_of(signal: Signal) -> Identity:
    return identity(signal.condition, signal.about, signal.other, signal.relation)


def _order(due: Due) -> tuple[ItemKey, str, ItemKey]:
    return due.about.key, due.condition, due.other.key


def _open(call: Call, due: Collection[Due]) -> None:
    if not due:
        return
    keys = call.unit.items.next_keys("Signal", len(due))
    new = [
        Signal(
            Item(key, call.unit.new_id(), (each.about.place,), "open", 1, 0, call.now, call.now),
            each.condition,
            each.about.key,
            each.other.key,
            each.relation.id,
            None,
            None,
        )
        for key, each in zip(keys, due, strict=True)
    ]
    call.unit.items.add(signal.item for signal in new)
    call.unit.conditions.open(new)
    for signal in new:
        call.record(entries.opened(signal))


def _close(call: Call, over: Collection[Signal], judged: dict[str, Judged]) -> None:
    if not over:
        return
    unknown = {signal.relation for signal in over} - judged.keys()
    judged |= {each.relation.id: each for each in call.unit.conditions.touching((), unknown)}
    closed: list[tuple[ItemKey, str, str | None]] = []
    for signal in sorted(over, key=lambda each: each.item.key):
        entry, resolution, by = _resolved(call, signal, judged[signal.relation])
        closed.append((signal.item.key, resolution, by))
        call.record(entry)
    call.unit.conditions.close(closed)
    call.unit.items.set_state([key for key, _, _ in closed], "closed", call.now, raise_rev=False)


def _resolved(call: Call, signal: Signal, judged: Judged) -> tuple[Entry, str, str | None]:
    own, other = judged.source, judged.target
    if signal.about != own.key:
        own, other = other, own
    about = address_of(signal.about)
    if signal.condition == contradiction.CONDITION:
        resolution = contradiction.why_closed(judged.relation, about, own, other)
    elif (reason := call.changes.confirmed.get((signal.about, signal.other))) is not None:
        resolution = premise_flag.confirmed(reason)
        by = call.principal.id
        return entries.confirmed(signal, other, by, reason, resolution), resolution, by
    else:
        resolution = premise_flag.why_closed(judged.relation, about, own)
    return entries.closed(signal, resolution), resolution, None
