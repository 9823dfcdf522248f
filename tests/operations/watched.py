"""A store that tells of every moment at which a process could be killed, and does what it is told to at each.

The moments are before each write transaction, at the end of its block, when nothing of it is committed, and whenever
the writer gives way, which takes no time here.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Literal

from smeldr.model.records import Connections
from smeldr.store.contract import Store, Unit

When = Literal["before", "inside", "between"]
Told = Callable[[When], object]


class Watched(Store):
    """Over another store. `writing` says whether a write is on; `alone` set to True gives everybody the sweep."""

    def __init__(self, store: Store, told: Told, *, alone: bool = False) -> None:
        self._store = store
        self._told = told
        self._alone = alone
        self.writing = False

    def read(self) -> AbstractContextManager[Unit]:
        return self._store.read()

    @contextmanager
    def write(self) -> Iterator[Unit]:
        self._told("before")
        with self._store.write() as unit:
            self.writing = True
            yield unit
            self._told("inside")
            self.writing = False

    def sweeping(self) -> AbstractContextManager[bool]:
        return nullcontext(True) if self._alone else self._store.sweeping()

    def give_way(self) -> None:
        self._told("between")

    def check(self) -> None:
        self._store.check()

    def migrate(self) -> None:
        self._store.migrate()

    def connections(self) -> Connections:
        return self._store.connections()

    def close(self) -> None:
        self._store.close()


def nth(moment: int, what: Callable[[], object], *, inside: bool = True) -> tuple[Told, Callable[[], bool]]:
    """What to do at the moment of that number, counted from 1, and whether it has come; `inside` counts too, or not."""
    numbers, come = itertools.count(1), []

    def told(when: When) -> None:
        if (inside or when != "inside") and next(numbers) == moment:
            come.append(moment)
            what()

    return told, lambda: bool(come)
