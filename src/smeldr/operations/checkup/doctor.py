"""One visit of the doctor: mend what was asked for, then look at everything in one snapshot, and report.

A check or a repair that fails by itself is a finding of its own, and the others go on: the register may be damaged in
any way. What is looked for and what is mended is in the other files here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from smeldr.model.errors import Refusal
from smeldr.model.findings import FINDINGS, MAX_LISTED, Finding
from smeldr.operations.call import Call
from smeldr.operations.checkup import judged
from smeldr.operations.checkup.asked import SAID, asked
from smeldr.operations.checkup.repairs import REPAIRS, Repair
from smeldr.operations.register import Register
from smeldr.store.contract import Interrupted

Check = Callable[[Call], Iterator[Finding]]


def _asked(code: str, call: Call) -> Iterator[Finding]:
    return asked(call.unit, code)


CHECKS: Final[Mapping[str, Check]] = {
    "conditions": judged.conditions_judged,
    "history": judged.history_recomputed,
    "history-disagrees": judged.history_compared,
    "administrator-missing": judged.administrator,
    "request-key-old": judged.request_keys,
    **{code: partial(_asked, code) for code in SAID},
}
"""By name: the code that it looks for, or what it looks at when those are several."""


@dataclass
class Report:
    """What was found: of each code the first ones, and how many in all."""

    checked_at: str = ""
    items: int = 0
    relations: int = 0
    entries: int = 0
    found: dict[str, list[Finding]] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=dict)
    repaired: dict[str, int] = field(default_factory=dict)

    def add(self, finding: Finding) -> None:
        """Take in a finding."""
        kept = self.found.setdefault(finding.code, [])
        if len(kept) < MAX_LISTED:
            kept.append(finding)
        self.totals[finding.code] = self.totals.get(finding.code, 0) + 1

    def reply(self) -> dict[str, Any]:
        """The report for programs and for whoever prints it, by the order of the codes."""
        in_order = [code for code in FINDINGS if code in self.found]
        return {
            "checked_at": self.checked_at,
            "items": self.items,
            "relations": self.relations,
            "entries": self.entries,
            "findings": [_reply(each) for code in in_order for each in self.found[code]],
            "totals": {code: self.totals[code] for code in in_order},
            "repaired": [{"code": code, "number": number} for code, number in self.repaired.items()],
        }


def visit(register: Register, repair: Collection[str] = ()) -> Report:
    """Mend these codes, each in a write of its own, then look at everything.

    `repair` are codes of model/findings.py that can be repaired. Raises Refusal `busy` when the store breaks off.
    """
    report = Report()
    for code in REPAIRS:
        if code in repair:
            with _counted_if_it_fails(report, "repair-failed", code):
                if number := _mend(register, REPAIRS[code]):
                    report.repaired[code] = number
    with register.looking() as call:
        report.checked_at = call.now
        for name, check in CHECKS.items():
            with _counted_if_it_fails(report, "check-failed", name), call.unit.integrity.apart():
                for finding in check(call):
                    report.add(finding)
        with _counted_if_it_fails(report, "check-failed", "sizes"), call.unit.integrity.apart():
            report.items, report.relations, report.entries = call.unit.integrity.sizes()
    return report


def _mend(register: Register, repair: Repair) -> int:
    with register.looking() as call:
        found = repair.find(call)
    if not found:
        return 0
    with register.locally("doctor") as call:
        return repair.mend(call, found)


@contextmanager
def _counted_if_it_fails(report: Report, code: str, what: str) -> Iterator[None]:
    try:
        yield
    except Interrupted:
        raise
    except Exception as error:
        report.add(Finding(code, what, _told(error)))


def _told(error: Exception) -> str:
    if isinstance(error, Refusal):
        return error.message
    first, *_ = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {first}"


def _reply(finding: Finding) -> dict[str, Any]:
    return {**finding._asdict(), "repairable": FINDINGS[finding.code].repair is not None}
