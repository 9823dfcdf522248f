"""Two ways in turn, A B A B, so that whatever else the machine does falls on both alike."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

BUDGET: Final = 10.0
MIN_ROUNDS: Final = 3

clock: Callable[[], float] = time.perf_counter
"""What is timed; `time.process_time` leaves out whatever else the machine does, and what other processes do for us."""


@dataclass(slots=True)
class Times:
    """The seconds that something took, once each time."""

    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def p95(self) -> float:
        """The time that 95 of 100 stay at or under; with few rounds, the longest."""
        return percentile(self.seconds, 95)


def percentile(values: list[float], part: float) -> float:
    """The smallest value that `part` of a hundred stay at or under."""
    return sorted(values)[max(0, math.ceil(len(values) * part / 100) - 1)]


def timed(work: Callable[[], Any], times: Times, by: Callable[[], float] | None = None) -> Any:
    """Do it, and note how long it took."""
    by = by or clock
    start = by()
    result = work()
    times.seconds.append(by() - start)
    return result


def in_turn(
    ours: Callable[[], Any],
    theirs: Callable[[], Any],
    rounds: int,
    check: Callable[[Any, Any], None],
    by: Callable[[], float] | None = None,
) -> tuple[Times, Times]:
    """Do both by turns, after one round that does not count. `check` gets what each answered, every round.

    Slow work ends after BUDGET seconds, but not before MIN_ROUNDS rounds.
    """
    our_times, their_times = Times(), Times()
    check(ours(), theirs())
    until = time.perf_counter() + BUDGET
    for done in range(rounds):
        if done >= MIN_ROUNDS and time.perf_counter() > until:
            break
        check(timed(ours, our_times, by), timed(theirs, their_times, by))
    return our_times, their_times
