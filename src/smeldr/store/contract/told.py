"""What was done, and what a call answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from smeldr.model.entries import Act, Entry
from smeldr.model.instants import Instant
from smeldr.model.records import UsedKey


class History(Protocol):
    """What was done, chained by hash, with what people wrote kept apart."""

    def latest(self) -> Instant | None:
        """When the last entry was made."""

    def append(self, act: Act, entries: Sequence[Entry]) -> None:
        """Append the entries of one act, in their order, after the last one there is, without a gap in `seq`."""


class RequestKeys(Protocol):
    """What a call answered when it first succeeded."""

    def get(self, principal: str, key: str) -> UsedKey | None:
        """What this principal did under this key, however long ago, unless it was forgotten."""

    def put(self, used: UsedKey) -> None:
        """Remember this success, in place of an older one under the same key."""

    def forget_before(self, instant: Instant, limit: int) -> int:
        """Forget up to so many that are older than this, the oldest first; gives how many they were."""
