"""The sweep: stores what rests on every item, judges every condition anew, and leaves a record of the run.

It reads one snapshot and writes in short transactions with others between them; its counts appear all at once, when the
run is put on record with their generation. A run that fails leaves the former counts whole. When it runs is not its
business. Source: docs/rules/stored-count.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Annotated, Any, Final, NotRequired, TypeVar

from pydantic import Field
from typing_extensions import TypedDict

from smeldr.model.errors import Refusal, conflict, not_found
from smeldr.model.instants import Instant, later
from smeldr.model.items import ItemKey
from smeldr.model.records import SweepRun
from smeldr.operations import conditions
from smeldr.operations.again import again
from smeldr.operations.batches import batches
from smeldr.operations.call import REQUEST_KEY_HOURS, Call
from smeldr.operations.counting import Row, counts, read_graph
from smeldr.operations.registry import operation
from smeldr.store.contract import Unit

BATCH: Final = 5_000
"""Rows that one transaction writes or removes: others wait for it some tenths of a second at most; commits are few."""

REPAIRED_AT_ONCE: Final = 1_000
"""Conditions that one transaction repairs. With its item and its history entry each takes longer than a count."""

KEPT_RUNS: Final = 1_000
"""Records of runs that are kept: six weeks of a sweep every hour."""

Reply = TypeVar("Reply")


class SweepReply(TypedDict):
    started_at: str
    finished_at: str
    items: int
    relations: int
    counted: Annotated[int, Field(description="Items whose counts were stored.")]
    opened: Annotated[int, Field(description="Conditions that a repair opened; 0 in a register in order.")]
    closed: Annotated[int, Field(description="Conditions that a repair closed; 0 in a register in order.")]
    error: NotRequired[str]


@operation(right="administer over ROOT", changes=True, own_transactions=True)
def run_sweep(call: Call) -> SweepReply:
    """Run the sweep now: store every count, judge every condition anew, and answer with the record of the run.

    One sweep at a time: while another runs this is a `conflict`.
    """
    call.require_root()
    return sweep(call)


@operation(right="administer over ROOT")
def get_sweep_run(call: Call) -> SweepReply:
    """Read the record of the last run of the sweep."""
    call.require_root()
    run = call.unit.counts.last_run()
    if run is None:
        raise not_found("run of the sweep yet")
    return _reply(run)


def sweep(call: Call) -> SweepReply:
    """Run the sweep over the snapshot of this call.

    Raises:
        Refusal: `conflict` while another sweep of this register runs.
    """
    with call.store.sweeping() as alone:
        if not alone:
            raise conflict("a sweep is running already")
        at = _after_the_last(call)
        going = _Sweep(call, SweepRun(call.unit.new_id(), at, at, None, 0, 0, 0, 0, 0, None, None, None))
        try:
            going.count()
            going.repair()
        except Exception as error:
            going.put_on_record(error=_told(error))
            raise
    return _reply(going.run)


def _after_the_last(call: Call) -> Instant:
    """Now, but after the end of the run before: a clock that is set back puts no run before an older one."""
    last = call.unit.counts.last_run()
    return max(call.now, later(last.finished_at, timedelta(microseconds=1))) if last else call.now


@dataclass
class _Sweep:
    """One run. `run` is its record, as far as it has come.

    The lock of the sweep may be lost without notice, with the connection that held it. So whoever writes counts looks
    each time whether a generation was begun after its own: of two sweeps that overlap the earlier one stops, and the
    later one can remove what that has written.
    """

    call: Call
    run: SweepRun

    def count(self) -> None:
        """Store the counts beside the former ones, let them take their place, and remove the former ones."""
        graph = read_graph(self.call.unit)
        generation = self._write(partial(_begin, _current(self.call.unit)))
        self._tidy()
        for rows in batches(counts(graph), BATCH):  # walked before the write begins, so that nobody waits for it
            self._write(partial(_add, generation, rows))
            if len(rows) == BATCH:
                self.call.store.give_way()
        self.put_on_record(
            generation=generation,
            counted_at=self.run.started_at,
            items=len(graph.place),
            relations=graph.relations,
            counted=len(graph.place),
            counters=self.call.unit.items.numbers_given(),
        )
        self._tidy()
        self._forget_keys()

    def repair(self) -> None:
        """Judge every condition on the snapshot, and again under the lock what is amiss there."""
        for some in batches(conditions.amiss(self.call), REPAIRED_AT_ONCE):
            opened, closed = self._write(partial(self._repair, some))
            self.run = replace(self.run, opened=self.run.opened + opened, closed=self.run.closed + closed)
            if len(some) == REPAIRED_AT_ONCE:
                self.call.store.give_way()
        self.put_on_record()

    def put_on_record(self, **known: Any) -> None:
        """Write the record of the run with what is known now. Once it has a generation, that is the current one.

        Raises:
            Refusal: `conflict` when another generation was begun since.
        """
        run = replace(self.run, finished_at=max(self.call.clock(), self.run.started_at), **known)
        self._write(partial(_keep, run, new_counts=run.generation != self.run.generation))
        self.run = run

    def _write(self, step: Callable[[Unit], Reply]) -> Reply:
        """Do a step in a transaction of its own."""

        def write() -> Reply:
            with self.call.store.write() as unit:
                return step(unit)

        return again(write, lambda: None)

    def _tidy(self) -> None:
        """Remove the counts that nobody will read again: the former ones, and what a sweep that failed left behind."""
        with self.call.store.read() as unit:
            outdated = unit.counts.outdated()
        for generation in outdated:
            removed: ItemKey | None = None
            while (removed := self._write(partial(_remove, generation, removed))) is not None:
                self.call.store.give_way()

    def _forget_keys(self) -> None:
        """Forget the request keys that stand for nothing any more."""
        before = later(self.call.now, timedelta(hours=-REQUEST_KEY_HOURS))
        while self._write(lambda unit: unit.keys.forget_before(before, BATCH)) == BATCH:
            self.call.store.give_way()

    def _repair(self, some: list[conditions.Amiss], unit: Unit) -> tuple[int, int]:
        repairing = self.call.in_unit(unit)
        done = conditions.repair(repairing, some)
        repairing.flush()
        return done


def _begin(current: int | None, unit: Unit) -> int:
    """Begin a generation, unless a sweep ended since the snapshot was taken: its counts are newer than these."""
    if _current(unit) != current:
        raise conflict("another sweep has ended meanwhile")
    return unit.counts.next_generation()


def _add(generation: int, rows: list[Row], unit: Unit) -> None:
    _insist_on_newest(unit, generation)
    unit.counts.add(generation, rows)


def _remove(generation: int, after: ItemKey | None, unit: Unit) -> ItemKey | None:
    return unit.counts.remove(generation, after, BATCH)


def _keep(run: SweepRun, unit: Unit, *, new_counts: bool) -> None:
    if new_counts and run.generation is not None:
        _insist_on_newest(unit, run.generation)
    unit.counts.put_run(run)
    unit.counts.forget_runs(KEPT_RUNS)


def _insist_on_newest(unit: Unit, generation: int) -> None:
    if unit.counts.newest_generation() != generation:
        raise conflict("another sweep has begun meanwhile")


def _current(unit: Unit) -> int | None:
    run = unit.counts.last_run(counted=True)
    return run.generation if run else None


def _told(error: Exception) -> str:
    return error.message if isinstance(error, Refusal) else f"a fault ({type(error).__name__})"


def _reply(run: SweepRun) -> SweepReply:
    reply: SweepReply = {
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "items": run.items,
        "relations": run.relations,
        "counted": run.counted,
        "opened": run.opened,
        "closed": run.closed,
    }
    if run.error:
        reply["error"] = run.error
    return reply
