"""What whoever runs a register keeps an eye on: how many conditions are open, and how the last sweep went.

All of it is read when it is asked for. It names no item and judges no right: who may be told is for those who ask.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from smeldr.model.instants import Instant, seconds_between
from smeldr.model.records import SweepRun
from smeldr.rules import contradiction, premise_flag
from smeldr.store.contract import Unit

CONDITIONS: Final = (premise_flag.CONDITION, contradiction.CONDITION)


@dataclass(frozen=True, slots=True)
class LastSweep:
    """The run of the sweep that finished last: how long ago and how long it took, in seconds, and what it repaired."""

    age: float
    duration: float
    failed: bool
    opened: int
    closed: int


@dataclass(frozen=True, slots=True)
class State:
    """`open_conditions` has a number for every type of condition; no sweep before the first."""

    open_conditions: Mapping[str, int]
    last_sweep: LastSweep | None


def state_of(unit: Unit, now: Instant) -> State:
    """Read it, in one snapshot."""
    counted = unit.conditions.count_open()
    run = unit.counts.last_run()
    return State({each: counted.get(each, 0) for each in CONDITIONS}, _last(run, now) if run else None)


def _last(run: SweepRun, now: Instant) -> LastSweep:
    return LastSweep(
        age=max(0.0, seconds_between(run.finished_at, now)),
        duration=seconds_between(run.started_at, run.finished_at),
        failed=run.error is not None,
        opened=run.opened,
        closed=run.closed,
    )
