"""The hub leaves force and returns: half of the register is flagged, and unflagged, each in one transaction.

Held against a bare driver that writes the very rows that the register wrote, prepared beforehand, into a second copy
with the same indexes: for opening once without the history and once with it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from benchmarks.building import copied
from benchmarks.results import Figure
from benchmarks.stage import Stage, connected
from benchmarks.timing import Times, timed
from smeldr.model.items import address_of

Rows = Sequence[Sequence[Any]]


def measure(stage: Stage, rounds: int) -> Iterator[Figure]:
    """Open and close the flags of the hub, as the owner."""
    opening, closing_them = Times(), Times()
    bare, with_history, updated = Times(), Times(), Times()
    with copied(stage.file) as copy, closing(connected(copy)) as rival:
        for counts in [False] + [True] * rounds:
            before = _marks(stage.rows)
            _move(stage, "retire_decision", opening if counts else Times())
            opened = _Written(stage.rows, before)
            _insert(rival, opened, bare if counts else Times(), with_history if counts else Times())
            before = _marks(stage.rows)
            _move(stage, "reinstate_decision", closing_them if counts else Times())
            _update(rival, opened, _Written(stage.rows, before), updated if counts else Times())
    flags = {"flags": f"{stage.graph.flagged_by(stage.graph.hub):,}"}
    yield Figure("hub leaves force", "owner", opening, "bare rows, no history", bare, flags)
    yield Figure("hub leaves force", "owner", opening, "bare rows", with_history, flags)
    yield Figure("hub is reinstated", "owner", closing_them, "bare rows", updated, flags)


class _Written:
    """The rows that came since: items, signals, history and its texts."""

    def __init__(self, rows: sqlite3.Connection, marks: Sequence[int]) -> None:
        item, entry = marks
        self.items = _since(rows, "items", "key", item)
        self.signals = _since(rows, "signals", "key", item)
        self.history = _since(rows, "history", "seq", entry)
        self.texts = _since(rows, "history_texts", "seq", entry)


def _since(rows: sqlite3.Connection, table: str, column: str, mark: int) -> Rows:
    return rows.execute(f"SELECT * FROM {table} WHERE {column} > ? ORDER BY {column}", [mark]).fetchall()


def _marks(rows: sqlite3.Connection) -> tuple[int, int]:
    """The last key of a Signal, whose keys are the highest of all, and the last entry of the history."""
    item, entry = rows.execute("SELECT (SELECT max(key) FROM items), (SELECT max(seq) FROM history)").fetchone()
    return item, entry


def _move(stage: Stage, tool: str, times: Times) -> None:
    """Make the move; as many flags open or close as rest on the hub in force."""
    hub = address_of(stage.graph.hub)
    before = _open_flags(stage)
    reply = timed(lambda: stage.call("owner", tool, decision=hub, reason="Measured."), times)
    assert reply["address"] == hub, reply
    assert abs(_open_flags(stage) - before) == stage.graph.flagged_by(stage.graph.hub)


def _open_flags(stage: Stage) -> int:
    return int(stage.call("owner", "list_signals", type="premise-flagged", limit=1)["total"])


def _insert(rival: sqlite3.Connection, new: _Written, bare: Times, with_history: Times) -> None:
    def signals() -> None:
        rival.execute("BEGIN IMMEDIATE")
        _executemany(rival, "items", new.items)
        _executemany(rival, "signals", new.signals)

    def history() -> None:
        _executemany(rival, "history", new.history)
        _executemany(rival, "history_texts", new.texts)

    taken, more, commit = Times(), Times(), Times()
    timed(signals, taken)
    timed(history, more)
    timed(lambda: rival.execute("COMMIT"), commit)
    bare.seconds.append(taken.seconds[0] + commit.seconds[0])
    with_history.seconds.append(taken.seconds[0] + more.seconds[0] + commit.seconds[0])


def _update(rival: sqlite3.Connection, opened: _Written, closed: _Written, times: Times) -> None:
    keys = [(row[0],) for row in opened.signals]

    def update() -> None:
        rival.execute("BEGIN IMMEDIATE")
        rival.executemany("UPDATE signals SET resolution = 'the premise is in force again' WHERE key = ?", keys)
        rival.executemany("UPDATE items SET state = 'closed', state_changes = 1 WHERE key = ?", keys)
        _executemany(rival, "history", closed.history)
        _executemany(rival, "history_texts", closed.texts)
        rival.execute("COMMIT")

    timed(update, times)


def _executemany(rival: sqlite3.Connection, table: str, rows: Rows) -> None:
    if rows:
        places = ", ".join("?" * len(rows[0]))
        rival.executemany(f"INSERT INTO {table} VALUES ({places})", rows)
