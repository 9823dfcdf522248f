"""What follows from the graph: conditions, stored counts, and the runs of the sweep."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Protocol

from smeldr.model.items import ItemKey
from smeldr.model.kinds import OneWay
from smeldr.model.records import Count, Judged, Signal, SweepRun
from smeldr.store.contract.graph import Readable


class Conditions(Protocol):
    """Signals, confirmations, and the relations that conditions hang on."""

    def touching(self, decisions: Collection[ItemKey], named: Collection[str]) -> list[Judged]:
        """The live relations that conditions hang on and that touch one of the Decisions, and the named ones, live or
        ended; each once."""

    def all_live(self) -> Iterator[Judged]:
        """Every live relation that conditions hang on, streamed."""

    def all_open(self) -> Iterator[Signal]:
        """Every open Signal, streamed."""

    def open_signals(self, *, about: Collection[ItemKey], other: Collection[ItemKey] = ()) -> list[Signal]:
        """The open Signals about one of the first Decisions or with one of the second on the other side."""

    def count_open(self) -> dict[str, int]:
        """How many Signals are open, by condition; a condition that has none is left out."""

    def signals(self, keys: Collection[ItemKey]) -> dict[ItemKey, Signal]:
        """The Signals with these keys, open or closed. Their `item.path` names the place alone and ROOT."""

    def signals_about(self, decisions: Collection[ItemKey]) -> list[ItemKey]:
        """The keys of every Signal, open or closed, about these Decisions."""

    def list_signals(
        self,
        where: Readable,
        *,
        condition: str | None = None,
        state: str | None = None,
        about: ItemKey | None = None,
        after: ItemKey | None = None,
        limit: int,
        offset: int,
    ) -> tuple[list[Signal], int]:
        """One page in the order of address numbers, which is oldest first, and how many match in all."""

    def open(self, new: Iterable[Signal]) -> None:
        """Write the part of new Signals that is theirs alone; their items were written before."""

    def close(self, closed: Iterable[tuple[ItemKey, str, str | None]]) -> None:
        """Give each Signal its resolution and, where somebody confirmed it, who did; its item's state is set apart."""

    def confirm(self, decision: ItemKey, premise: ItemKey, state_changes: int) -> None:
        """Let a confirmation of the pair stand while the premise has changed its state this many times."""


class Counts(Protocol):
    """Stored counts, in generations, and the runs of the sweep.

    A generation is written bit by bit. Nobody reads it before the run that made it is on record with its number: the
    current generation is the highest that a run has. One that was begun before the newest never becomes current.
    """

    def counted_items(self) -> Iterator[tuple[ItemKey, ItemKey, str]]:
        """(key, place, state) of every Decision and Amendment, in the order of keys, streamed."""

    def counted_edges(self) -> Iterator[tuple[ItemKey, ItemKey]]:
        """(source, target) of every live relation that the counts follow, streamed."""

    def next_generation(self) -> int:
        """Begin a generation: a number above all that were begun before."""

    def newest_generation(self) -> int:
        """The generation that was begun last; 0 before the first."""

    def outdated(self) -> list[int]:
        """The generations, rising, that have stored counts and are neither the current one nor the newest."""

    def add(self, generation: int, rows: Iterable[tuple[ItemKey, OneWay, ItemKey, Count]]) -> None:
        """Write counts (item, direction, place, count) of a generation, beside those that it has already."""

    def remove(self, generation: int, after: ItemKey | None, limit: int) -> ItemKey | None:
        """Remove so many counts of a generation, and what more their last item has, in the order of items.

        Begins behind the item `after`, or with the first. Gives that last item, to go on behind it; None at the end.
        """

    def stored(
        self, generation: int, keys: Collection[ItemKey], where: Readable
    ) -> dict[tuple[ItemKey, str], list[Count]]:
        """The counts that a generation has of these items over the places `where`, by (item, direction)."""

    def open_among(self, keys: Collection[ItemKey], open_states: Collection[str]) -> int:
        """How many of these items are in one of the states."""

    def put_run(self, run: SweepRun) -> None:
        """Write the record of a run, in place of what stood there about it."""

    def last_run(self, *, counted: bool = False) -> SweepRun | None:
        """The run that finished last; with `counted`, the one whose generation of counts is the current one."""

    def forget_runs(self, keep: int) -> None:
        """Remove the records of runs, save so many that finished last and the one with the current counts."""
