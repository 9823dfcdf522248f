"""A clock that stands still until a test moves it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass
class Clock:
    """Starts long after any register of a test was made, so that no entry of its history is ahead of it."""

    now: datetime = datetime(2100, 1, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **span: float) -> None:
        """Move on by a span: `forward(hours=24)`."""
        self.now += timedelta(**span)

    def ahead(self, **span: float) -> str:
        """The instant that lies a span ahead, as a caller writes it."""
        return (self.now + timedelta(**span)).isoformat()
