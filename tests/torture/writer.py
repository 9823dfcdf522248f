"""A writer: asks for one change after the other until told to stop, and sends each until it knows how it ended.

A change whose outcome nobody told is sent again with the same request key. One that was refused, `busy` among the
refusals, is let go, so that the check can insist that nothing of it is there.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Final

from smeldr.model.instants import instant
from tests.torture.door import NOTHING, UNKNOWN, Answer, Door
from tests.torture.journal import Change, Journal
from tests.torture.known import Known
from tests.torture.repertoire import Changes, read

EXPECTED: Final = frozenset({"busy", "conflict", "internal", "not_found", "rev_conflict"})
"""The codes that writers who hold every right may meet when they are not alone."""

READS: Final = 0.15
"""The share of the calls that change nothing."""

SETTLED_WITHIN: Final = 120.0
"""Seconds for a change to come to its end, once the writer has begun with it."""

PAUSE: Final = 0.05
"""Seconds between two times that a change is sent."""


class Writer:
    """One principal with every right, over one door."""

    def __init__(
        self, name: str, door: Door, chance: random.Random, journal: Journal, known: Known, changes: Changes
    ) -> None:
        self._name = name
        self._door = door
        self._chance = chance
        self._journal = journal
        self._known = known
        self._weights, self._choices = zip(*changes, strict=True)
        self._made = 0

    def work(self, until: threading.Event, leaves: float = 0.0) -> None:
        """Call until the event; leave that share of the changes without waiting for their answers."""
        try:
            while not until.is_set():
                if self._chance.random() < READS:
                    self._hear(self._door.ask(*read(self._chance, self._known)))
                elif change := self._choose():
                    self._settle(change, self._chance.random() < leaves)
        except Exception as error:
            self._journal.wrong(f"{self._name} broke down: {error!r}")

    def close(self) -> None:
        """Let go of the connection."""
        self._door.close()

    def _choose(self) -> Change | None:
        key = f"{self._name}.{self._made}"
        [choose] = self._chance.choices(self._choices, self._weights)
        chosen = choose(self._chance, self._known, f"[{key}]")
        if chosen is None:
            return None
        self._made += 1
        tool, arguments = chosen
        return Change(key, tool, {**arguments, "request_key": key})

    def _settle(self, change: Change, leaving: bool) -> None:
        """Send the change until it has ended in a way that somebody told."""
        until = time.monotonic() + SETTLED_WITHIN
        while time.monotonic() < until:
            answer = self._send(change, leaving and not change.sent)
            if answer.reply is not None:
                change.reply = answer.reply
                self._known.hear(change.tool, answer.reply)
                break
            if answer.leaves_doubt:
                change.in_doubt += 1
            elif answer.ending == "refused" and not (change.in_doubt and answer.code in ("busy", "internal")):
                change.refused = answer.code
                break
            time.sleep(PAUSE)
        else:
            self._journal.wrong(f"{change.key}: nobody said within {SETTLED_WITHIN:.0f} s how {change.tool} ended")
            return
        self._journal.add(change)

    def _send(self, change: Change, leaving: bool) -> Answer:
        change.sent += 1
        change.last_sent = instant(datetime.now(UTC))
        if leaving:
            return self._door.leave(change.tool, change.arguments, self._chance.choice((0.3, 0.9, 1.0)))
        return self._hear(self._door.ask(change.tool, change.arguments))

    def _hear(self, answer: Answer) -> Answer:
        self._journal.told(answer.sort)
        if answer.ending == "refused" and answer.code not in EXPECTED:
            self._journal.wrong(f"{self._name} was told {answer.code}: {answer.message}")
        if answer.code == "internal" and UNKNOWN not in answer.message and NOTHING not in answer.message:
            self._journal.wrong(f"{self._name} was told {answer.message}")
        return answer


@contextmanager
def at_work(writers: Sequence[Writer], leaves: float = 0.0) -> Iterator[None]:
    """Have the writers call while the block runs; afterwards each change that was begun is brought to its end."""
    until = threading.Event()
    threads = [threading.Thread(target=each.work, args=(until, leaves)) for each in writers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        until.set()
        for thread in threads:
            thread.join()
