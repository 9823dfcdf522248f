"""A queue inside the process: so many at once, and the others in the order in which they came.

A lock of the standard library goes to whoever asks for it when it is free, which is often the thread that has just let
go of it, while others wait for seconds.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from smeldr.store.errors import busy


class Turns:
    """Safe to use from many threads."""

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._waiting: deque[threading.Event] = deque()
        self._lock = threading.Lock()

    @contextmanager
    def turn(self, seconds: float) -> Iterator[None]:
        """Wait for a turn and hold it. Raises Refusal `busy` when it does not come within so many seconds."""
        if (mine := self._enter()) is not None:
            mine.wait(seconds)
            self._leave_queue(mine)
        try:
            yield
        finally:
            self._hand_on()

    def _enter(self) -> threading.Event | None:
        """Take a turn that is free, or a place in the queue."""
        with self._lock:
            if self._free:
                self._free -= 1
                return None
            self._waiting.append(mine := threading.Event())
            return mine

    def _leave_queue(self, mine: threading.Event) -> None:
        with self._lock:
            if not mine.is_set():
                self._waiting.remove(mine)
                raise busy()

    def _hand_on(self) -> None:
        """Give the turn to whoever has waited longest; it is never free for another one in between."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1
