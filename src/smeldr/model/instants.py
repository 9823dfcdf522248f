"""An instant is UTC, RFC 3339, to the microsecond, as text that sorts in time order.

Nothing here reads a clock: the time of a call is a value that comes in with it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NewType

Instant = NewType("Instant", str)
"""For example `2026-01-31T09:30:00.000000Z`; comparing two as text compares them in time."""


def instant(moment: datetime) -> Instant:
    """Write an aware datetime as an instant. Raises ValueError for a naive one."""
    if moment.tzinfo is None:
        raise ValueError("an instant needs a time zone")
    return Instant(moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z"))


def parse_instant(text: str) -> Instant:
    """Read RFC 3339 (any offset, any fraction). Raises ValueError when it is not that."""
    return instant(datetime.fromisoformat(text))


def later(start: Instant, span: timedelta) -> Instant:
    """The instant that lies `span` after `start`. Raises OverflowError beyond the year 9999."""
    return instant(datetime.fromisoformat(start) + span)


def seconds_between(start: Instant, end: Instant) -> float:
    """The seconds from `start` to `end`; below zero when `end` is the earlier one."""
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
