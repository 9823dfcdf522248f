"""What has to hold of a register after anything that can happen to it."""

from __future__ import annotations

from tests.callers import Caller
from tests.operations.chain import broken
from tests.operations.replaying import differences
from tests.operations.tables import Tables


def in_order(owner: Caller, tables: Tables) -> None:
    """Insist that the conditions are what the rules say, the history is whole, and that it is the whole register."""
    run = owner.call("run_sweep")
    assert (0, 0) == (run["opened"], run["closed"])
    assert [] == broken(tables)
    assert {} == differences(tables)
