"""What has to hold after a fault, read from the tables past the register: each thing that does not, in a line.

It knows what the writers were told, and not how the register goes about it.
"""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from smeldr.model.errors import Refusal
from smeldr.model.items import address_of
from smeldr.operations.checkup.doctor import visit
from tests.callers import Caller
from tests.operations.chain import broken
from tests.operations.replaying import differences
from tests.operations.tables import Row, Tables
from tests.torture.journal import Change, Journal

SHOWN: Final = 5
"""Lines of one sort; a register that lost everything says so in few."""

SWEEP_TRIES: Final = 300

_MARK: Final = re.compile(r"\[([\w.-]+)\]")


@dataclass(frozen=True)
class Found:
    """What a check found: how much of it is loss, how the doubts ended, and every line that is amiss."""

    lost: int
    found_of_refused: int
    made: int
    """Changes of which nobody knew how they had ended, and which had been made; those alone that leave a mark."""

    lines: list[str]


def check(journal: Journal, tables: Tables, owner: Caller) -> Found:
    """Hold what the writers were told against what is there."""
    traces = Traces(tables)
    losses, remains = list(lost(journal, traces)), list(found_of_refused(journal, traces))
    lines = [
        *_few("a writer was told what it should not be", journal.amiss),
        *_few("lost", losses),
        *_few("refused, and yet there", remains),
        *_few("given twice", twice(journal)),
        *_few("not as far as was told", behind(journal, tables)),
        *_few("not in order", out_of_order(tables, owner)),
    ]
    made = [traces.at.get(each.key, each.last_sent) < each.last_sent for each in journal.in_doubt()]
    return Found(len(losses), len(remains), sum(made), lines)


class Traces:
    """Where the changes can be found: by request key, and by the mark in the texts of the history."""

    def __init__(self, tables: Tables) -> None:
        self.keys = {row["key"] for row in tables.rows("request_keys")}
        self.acts: dict[str, set[str]] = defaultdict(set)
        self.at: dict[str, str] = {}
        entries = {row["seq"]: row for row in tables.rows("history")}
        for row in tables.rows("history_texts"):
            for mark in _MARK.findall(row["text"]):
                entry = entries[row["seq"]]
                self.acts[mark].add(entry["act"])
                self.at[mark] = entry["at"]


def lost(journal: Journal, traces: Traces) -> Iterator[str]:
    """The acknowledged changes that are not there exactly once."""
    for change in journal.acknowledged():
        times = len(traces.acts[change.key])
        if change.key not in traces.keys:
            yield f"{_named(change)} is not among the request keys"
        if change.marked and times != 1 and not _changed_nothing(change, times):
            yield f"{_named(change)} is in the history {times} times"


def found_of_refused(journal: Journal, traces: Traces) -> Iterator[str]:
    """The refused changes of which there is a trace."""
    for change in journal.refused():
        if change.key in traces.keys or traces.acts[change.key]:
            yield f"{_named(change)}, refused as {change.refused}"


def twice(journal: Journal) -> Iterator[str]:
    """The addresses that two changes were told to be their own."""
    made = Counter(
        (each.reply or {})["address"]
        for each in journal.acknowledged()
        if each.tool in ("propose_decision", "propose_amendment", "create_area")
    )
    yield from (address for address, times in made.items() if times > 1)


def behind(journal: Journal, tables: Tables) -> Iterator[str]:
    """The items, relations, grants and conditions that are not as far as somebody was told."""
    items = {address_of(row["key"]): row for row in tables.rows("items")}
    for address, rev, state in journal.told_of_items():
        row = items.get(address)
        if row is None or row["rev"] < rev:
            yield f"{address} at rev {rev}: {row}"
        elif row["rev"] == rev and state not in (None, row["state"]):
            yield f"{address} told as {state} at rev {rev}: {row}"
    relations = {row["id"]: row for row in tables.rows("relations")}
    grants = {row["id"]: row for row in tables.rows("grants")}
    for change in journal.acknowledged():
        reply = change.reply or {}
        for told in _relations(change):
            row = relations.get(told["id"])
            if row is None or row["rev"] < told["rev"] or (told["state"] == "ended" and row["ended_at"] is None):
                yield f"{_named(change)}: {row}"
        if change.tool in ("grant_right", "revoke_grant"):
            row = grants.get(reply["id"])
            if row is None or (change.tool == "revoke_grant" and row["revoked_at"] is None):
                yield f"{_named(change)}: {row}"
        for address in reply.get("closed", ()):
            if items.get(address, {}).get("state") != "closed":
                yield f"{_named(change)}: {address} is not closed"


def out_of_order(tables: Tables, owner: Caller) -> Iterator[str]:
    """What the conditions, the chain, the history and the tables say against each other, by the doctor's word too."""
    _sweep(owner)
    repaired = [row for row in tables.rows("sweep_runs") if row["opened"] or row["closed"]]
    yield from (f"a sweep had to repair: {row}" for row in repaired)
    yield from (f"entry {seq} of the history does not fit the one before" for seq in broken(tables))
    yield from (f"{name} and the history differ: {rows}" for name, rows in differences(tables).items())
    yield from (f"the doctor found {code}: {each}" for code, each in visit(owner.register).found.items())


def _sweep(owner: Caller) -> None:
    """Sweep; one whose server was killed may have the lock of the sweep until the database notices."""
    for _ in range(SWEEP_TRIES):
        try:
            owner.call("run_sweep")
        except Refusal as refusal:
            if refusal.code != "conflict":
                raise
            time.sleep(0.1)
        else:
            return


def _relations(change: Change) -> list[Row]:
    reply = change.reply or {}
    if change.tool == "withdraw_relation":
        return [reply]
    return [reply[name] for name in ("relation", "ended") if name in reply]


def _changed_nothing(change: Change, times: int) -> bool:
    """Whether this was the granting of a right that was held already, which leaves no trace."""
    return times == 0 and (change.reply or {}).get("created") is False


def _named(change: Change) -> str:
    return f"{change.tool} {change.key}, sent {change.sent} times"


def _few(sort: str, lines: Iterable[str]) -> list[str]:
    every = [f"{sort}: {line[:300]}" for line in lines]
    return every[:SHOWN] + ([f"{sort}: {len(every) - SHOWN} more"] if len(every) > SHOWN else [])
