"""Findings that take a rule, the history as a whole, or the policy of whoever runs the register."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Final

from smeldr.model.findings import Finding
from smeldr.model.instants import Instant, later
from smeldr.model.items import ItemKey
from smeldr.operations import conditions
from smeldr.operations.access import administrator_remains
from smeldr.operations.call import REQUEST_KEY_HOURS, Call
from smeldr.operations.checkup.asked import named

SPARED_HOURS: Final = 24
"""How much longer than it counts a request key may be kept: a sweep comes along and forgets it."""

CONDITIONS: Final[Mapping[str, str]] = {"missing": "condition-missing", "left open": "condition-left-open"}
"""The code of a condition that is amiss, by its fault."""

_DIFFERS: Final = {
    "state": "it is {stands}, and the last entry about it says {told}",
    "rev": "its rev is {stands}, and the last entry about it says another",
    "place": "it lies in {stands}, and the last entry about where it lies says another place",
    "entry": "no entry tells of it",
    "row": "the history tells of it, and it is not there",
}


def conditions_judged(call: Call) -> Iterator[Finding]:
    """Conditions that should be open and are not, and the other way round."""
    for each in conditions.amiss(call):
        code = CONDITIONS[each.fault]
        yield Finding(code, named(each.about), f"{each.condition}, because of {named(each.other)}, is {each.fault}")


def history_recomputed(call: Call) -> Iterator[Finding]:
    """Entries that are not as they were written."""
    for code, seq, wrong in call.unit.integrity.chain():
        yield Finding(code, f"entry {seq}", wrong)


def history_compared(call: Call) -> Iterator[Finding]:
    """Where the last entry about something is not what stands in the register."""
    for row in call.unit.integrity.rows("history-disagrees"):
        said = {name: named(value) for name, value in row.items()}
        what = said["key"] if row["key"] is not None else f"{said['type']} {said['id']}"
        if said["field"] == "place":
            said["stands"] = named(ItemKey(int(said["stands"])))
        yield Finding("history-disagrees", what, _DIFFERS[said["field"]].format_map(said))


def administrator(call: Call) -> Iterator[Finding]:
    """That nobody administers ROOT for good."""
    if not administrator_remains(call):
        yield Finding(
            "administrator-missing", "ROOT", "no active principal holds administer over it and a token, both lasting"
        )


def request_keys(call: Call) -> Iterator[Finding]:
    """Request keys that were kept too long."""
    for row in call.unit.integrity.rows("request-key-old", before=kept_since(call)):
        yield Finding("request-key-old", named(row["principal"]), f"a key of {named(row['at'])}")


def kept_since(call: Call) -> Instant:
    """No request key that is older than this has to be kept."""
    return later(call.now, -timedelta(hours=REQUEST_KEY_HOURS + SPARED_HOURS))
