"""The examples that the documentation and the tests start from, each built by calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

Call = Callable[..., dict[str, Any]]
"""`call(tool, **arguments)`, as somebody who holds every right."""


def _ratified(call: Call, title: str, **arguments: Any) -> None:
    decision = call("propose_decision", title=title, body=f"{title}.", **arguments)
    call("ratify_decision", decision=decision["address"])


def nothing(_: Call) -> None:
    """An owner and no item."""


def five_decisions(call: Call) -> None:
    """D2 and D5 rest on D1, D3 rests on D2, D4 addresses D1; D6 is proposed."""
    _ratified(call, "Invoices are issued from one ledger")
    _ratified(call, "The ledger is append-only", grounded_in=["D1"])
    _ratified(call, "Corrections are entries of their own", grounded_in=["D2"])
    _ratified(call, "No second ledger for tests", addresses=["D1"])
    _ratified(call, "Invoice numbers run without gaps", grounded_in=["D1"])
    call("propose_decision", title="Invoices are issued per country", body="Each country has a ledger of its own.")


def billing(call: Call) -> None:
    """DOM1 Finance with ARE1 Billing, DOM2 Legal; four Decisions in Billing, one in Legal."""
    call("create_domain", name="Finance")
    call("create_area", domain="DOM1", name="Billing")
    call("create_domain", name="Legal")
    for title in ("One ledger", "Amounts are rounded once", "Invoices are immutable"):
        _ratified(call, title, place="ARE1")
    _ratified(call, "A wrong invoice is corrected in place", place="ARE1")
    _ratified(call, "Records are kept for ten years", place="DOM2")


STARTS: Final[Mapping[str, Callable[[Call], None]]] = {
    "nothing": nothing,
    "five-decisions": five_decisions,
    "billing": billing,
}
