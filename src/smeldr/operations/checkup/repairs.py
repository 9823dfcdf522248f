"""Mending: for each code that can be mended without guessing, how what is amiss is found and how it is put right.

It is found in a snapshot, so that writers wait no longer than it takes to put it right, and judged again under their
lock. What the history tells of is entered in it. What follows from something else (where an end of a relation or a
condition lies, a counter) is only written anew, and what is left over is removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from smeldr.model.items import ItemKey, number_of
from smeldr.operations import conditions, entries
from smeldr.operations.call import Call
from smeldr.operations.checkup.judged import CONDITIONS, kept_since, request_keys

REASON: Final = "found without what it is for"
"""Why the doctor revoked a grant, as the history has it."""


class Repair(NamedTuple):
    """How to find what is amiss, and how to put that right and say how much it was."""

    find: Callable[[Call], Sequence[Any]]
    mend: Callable[[Call, Sequence[Any]], int]


def _rows(code: str, call: Call) -> Sequence[Any]:
    return list(call.unit.integrity.rows(code))


def _amiss(code: str, call: Call) -> Sequence[conditions.Amiss]:
    return [each for each in conditions.amiss(call) if CONDITIONS[each.fault] == code]


def _judge_anew(call: Call, found: Sequence[conditions.Amiss]) -> int:
    return sum(conditions.repair(call, found))


def _put_conditions_in_place(call: Call, found: Sequence[Any]) -> int:
    signals = call.unit.conditions.signals([row["key"] for row in found])
    decisions = call.unit.items.get({each.about for each in signals.values()})
    belongs = [(decisions[each.about].place, key) for key, each in signals.items() if each.about in decisions]
    for place, keys in _by_place(belongs).items():
        call.unit.items.set_place(keys, place, raise_rev=False)
    return len(belongs)


def _note_where_ends_lie(call: Call, found: Sequence[Any]) -> int:
    ends = call.unit.items.get({row["key"] for row in found})
    for place, keys in _by_place((item.place, key) for key, item in ends.items()).items():
        call.unit.relations.move_ends(keys, place)
    return len(found)


def _by_place(lying: Iterable[tuple[ItemKey, ItemKey]]) -> dict[ItemKey, list[ItemKey]]:
    keys: dict[ItemKey, list[ItemKey]] = {}
    for place, key in lying:
        keys.setdefault(place, []).append(key)
    return keys


def _raise_counters(call: Call, _: Sequence[Any]) -> int:
    found = _rows("counter-behind", call)
    for row in found:
        call.unit.integrity.raise_counter(row["name"], number_of(row["highest"]) if row["highest"] else 0)
    return len(found)


def _revoke_grants(call: Call, _: Sequence[Any]) -> int:
    grants = [call.unit.access.grant(row["id"]) for row in _rows("grant-orphaned", call)]
    for grant in filter(None, grants):
        call.unit.access.revoke_grant(grant.id, call.now)
        call.record(entries.grant(grant, revoked=True, reason=REASON))
    return len(grants)


def _revoke_tokens(call: Call, _: Sequence[Any]) -> int:
    tokens = [call.unit.access.token(row["id"]) for row in _rows("token-orphaned", call)]
    for token in filter(None, tokens):
        call.unit.access.revoke_token(token.id, call.now)
        call.record(entries.token(token))
    return len(tokens)


def _remove(code: str, call: Call, _: Sequence[Any]) -> int:
    return call.unit.integrity.remove(code)


def _forget_request_keys(call: Call, found: Sequence[Any]) -> int:
    return call.unit.keys.forget_before(kept_since(call), len(found))


def _of_rows(code: str, mend: Callable[[Call, Sequence[Any]], int]) -> Repair:
    return Repair(partial(_rows, code), mend)


REPAIRS: Final[Mapping[str, Repair]] = {
    "condition-missing": Repair(partial(_amiss, "condition-missing"), _judge_anew),
    "condition-left-open": Repair(partial(_amiss, "condition-left-open"), _judge_anew),
    "condition-misplaced": _of_rows("condition-misplaced", _put_conditions_in_place),
    "relation-end-misplaced": _of_rows("relation-end-misplaced", _note_where_ends_lie),
    "counter-behind": _of_rows("counter-behind", _raise_counters),
    "grant-orphaned": _of_rows("grant-orphaned", _revoke_grants),
    "token-orphaned": _of_rows("token-orphaned", _revoke_tokens),
    "count-orphaned": _of_rows("count-orphaned", partial(_remove, "count-orphaned")),
    "confirmation-orphaned": _of_rows("confirmation-orphaned", partial(_remove, "confirmation-orphaned")),
    "request-key-old": Repair(lambda call: list(request_keys(call)), _forget_request_keys),
}
"""By code, in the order in which they are done."""
