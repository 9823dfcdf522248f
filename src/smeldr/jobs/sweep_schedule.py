"""The sweep runs when its schedule says so: five cron fields, read in UTC.

A run that was missed is not caught up, and a run that fails is logged and waits for its next turn. What a sweep does,
and that only one runs at a time, is the register's: this file knows when, not what.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from threading import Event, Thread
from types import TracebackType
from typing import Any, Final, Protocol

import structlog
from cronsim import CronSim, CronSimError

from smeldr.model.errors import Refusal

FIELDS: Final = 5
GRACE: Final = 20
"""Seconds that a sweep which runs at the stop is given to end; one cut short leaves the former counts as they were."""

_log = structlog.get_logger("smeldr.jobs")


class Stop(Protocol):
    """What the thread waits on: a threading.Event."""

    def wait(self, timeout: float) -> bool:
        """Wait up to so many seconds; whether it was set meanwhile."""

    def set(self) -> None:
        """End every wait."""


def next_run(schedule: str, after: datetime) -> datetime:
    """The first instant of the schedule later than `after` (aware), in UTC.

    Raises:
        ValueError: it is no schedule of five fields, or one whose day never comes.
    """
    if len(schedule.split()) != FIELDS:
        raise ValueError(f"{schedule!r} is no schedule: it takes {FIELDS} fields, such as '0 * * * *' for every hour")
    try:
        return next(CronSim(schedule, after.astimezone(UTC)))
    except CronSimError as error:
        raise ValueError(f"{schedule!r} is no schedule: {error}") from None
    except StopIteration:
        raise ValueError(f"{schedule!r} is no schedule: that day never comes") from None


class SweepSchedule:
    """Runs a sweep at every instant of a schedule, in a thread of its own, while the context lasts.

    Leaving it waits a while for a sweep that is running.
    """

    def __init__(
        self,
        sweep: Callable[[], Any],
        schedule: str,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        stop: Stop | None = None,
    ) -> None:
        next_run(schedule, now())
        self._sweep = sweep
        self._schedule = schedule
        self._now = now
        self._stop = stop or Event()
        self._thread = Thread(target=self.run, name="sweep-schedule", daemon=True)

    def __enter__(self) -> SweepSchedule:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join(GRACE)

    @property
    def running(self) -> bool:
        """Whether its thread runs."""
        return self._thread.is_alive()

    def run(self) -> None:
        """Wait for each instant in turn and sweep, until told to stop."""
        due = next_run(self._schedule, self._now())
        while not self._stop.wait(max(0.0, (due - self._now()).total_seconds())):
            if self._now() < due:
                continue
            self._run_once()
            due = next_run(self._schedule, self._now())

    def _run_once(self) -> None:
        try:
            self._sweep()
        except Refusal as refusal:
            _log.warning("the sweep did not run", code=refusal.code, reason=refusal.message)
        except Exception:
            _log.exception("the sweep failed")
