"""What the writers know: every change that they asked for, how often they sent it, and what they were told at last.

It judges nothing and asks nobody: checking.py holds it against the register.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Reply = dict[str, Any]


@dataclass
class Change:
    """One change. Its request key stands in its text too, where it has one, so that every trace of it can be found."""

    key: str
    tool: str
    arguments: dict[str, Any]
    sent: int = 0
    in_doubt: int = 0
    """How many of the times that it was sent nobody said how it ended."""

    last_sent: str = ""
    """When it was sent last, as the history writes instants."""

    reply: Reply | None = None
    refused: str | None = None
    """The code of the refusal that it ended with."""

    @property
    def marked(self) -> bool:
        """Whether its key stands in a text that the history keeps."""
        return f"[{self.key}]" in repr(self.arguments)


@dataclass
class Journal:
    """All changes of one register, whoever asked for them."""

    changes: list[Change] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)
    """How many answers there were of each sort, reads among them."""

    amiss: list[str] = field(default_factory=list)
    """What a writer was told and never should be."""

    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, change: Change) -> None:
        """Keep a change that has come to its end."""
        with self._lock:
            self.changes.append(change)

    def told(self, sort: str) -> None:
        """Count an answer."""
        with self._lock:
            self.answers[sort] += 1

    def wrong(self, what: str) -> None:
        """Keep what should not have been answered."""
        with self._lock:
            self.amiss.append(what)

    def acknowledged(self) -> list[Change]:
        """The changes that were answered with a reply."""
        return [each for each in self.changes if each.reply is not None]

    def refused(self) -> list[Change]:
        """The changes that were refused at last."""
        return [each for each in self.changes if each.reply is None]

    def in_doubt(self) -> list[Change]:
        """The changes that had to be sent again since nobody knew."""
        return [each for each in self.changes if each.in_doubt]

    def told_of_items(self) -> Iterator[tuple[str, int, str | None]]:
        """What the replies say of items: address, rev, and the state where they name it."""
        for each in self.acknowledged():
            reply = each.reply or {}
            if "address" in reply and "rev" in reply:
                yield reply["address"], reply["rev"], reply.get("state")
