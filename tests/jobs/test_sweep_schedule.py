"""The sweep runs when its schedule says so, and a run that fails waits for the next."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from structlog.testing import capture_logs

from smeldr.jobs.sweep_schedule import SweepSchedule, next_run
from smeldr.model.errors import Refusal

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class Waiting:
    """A clock that moves on only when it is waited on, and says stop after so many waits."""

    def __init__(self, waits: int, late: float = 0.0) -> None:
        self.time = NOON
        self.waits = waits
        self.late = late

    def now(self) -> datetime:
        return self.time

    def wait(self, timeout: float) -> bool:
        if self.waits == 0:
            return True
        self.waits -= 1
        self.time += timedelta(seconds=timeout + self.late)
        return False

    def set(self) -> None:
        self.waits = 0


@pytest.mark.parametrize(
    "schedule, after, expected",
    [
        ("0 * * * *", NOON, datetime(2026, 3, 1, 13, 0, tzinfo=UTC)),
        ("0 * * * *", NOON - timedelta(microseconds=1), NOON),
        ("*/15 * * * *", NOON, datetime(2026, 3, 1, 12, 15, tzinfo=UTC)),
        ("30 2 1 1 *", NOON, datetime(2027, 1, 1, 2, 30, tzinfo=UTC)),
        ("0 13 * * *", NOON.astimezone(timezone(timedelta(hours=5))), datetime(2026, 3, 1, 13, 0, tzinfo=UTC)),
    ],
)
def test_the_next_run_is_the_first_instant_of_the_schedule_that_is_later(
    schedule: str, after: datetime, expected: datetime
) -> None:
    assert expected == next_run(schedule, after)


@pytest.mark.parametrize("schedule", ["", "hourly", "* * * *", "0 0 * * * *", "60 * * * *", "0 0 31 2 *", "@hourly"])
def test_what_is_no_schedule_is_refused_before_anything_starts(schedule: str) -> None:
    with pytest.raises(ValueError, match="is no schedule"):
        SweepSchedule(lambda: None, schedule)


def test_it_sweeps_once_at_each_instant() -> None:
    clock = Waiting(waits=3)
    swept: list[datetime] = []

    SweepSchedule(lambda: swept.append(clock.now()), "0 * * * *", clock.now, clock).run()

    assert [NOON + timedelta(hours=hours) for hours in (1, 2, 3)] == swept


def test_a_wait_that_ends_early_is_gone_on_with() -> None:
    clock = Waiting(waits=1)
    clock.late = -1.0
    swept: list[datetime] = []

    SweepSchedule(lambda: swept.append(clock.now()), "0 * * * *", clock.now, clock).run()

    assert [] == swept


def test_runs_that_were_missed_are_not_caught_up() -> None:
    clock = Waiting(waits=2, late=3 * 3600)
    swept: list[datetime] = []

    SweepSchedule(lambda: swept.append(clock.now()), "0 * * * *", clock.now, clock).run()

    assert [16, 20] == [each.hour for each in swept]


@pytest.mark.parametrize("error", [Refusal("conflict", "another sweep runs"), RuntimeError("broken")])
def test_a_run_that_fails_is_logged_and_the_next_one_comes(error: Exception) -> None:
    clock = Waiting(waits=2)
    tried: list[datetime] = []

    def sweep() -> None:
        tried.append(clock.now())
        raise error

    with capture_logs() as logs:
        SweepSchedule(sweep, "0 * * * *", clock.now, clock).run()

    assert 2 == len(tried)
    assert 2 == len(logs)


def test_leaving_ends_the_thread() -> None:
    with SweepSchedule(lambda: None, "0 0 1 1 *") as schedule:
        pass

    assert not schedule.running
