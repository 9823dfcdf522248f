"""The sweep: stores what rests on every item, judges every condition anew, and leaves a record of the run.

It reads one snapshot; its counts appear all at once, and repairs have a transaction of their own. A run that fails
leaves the former counts whole. When it runs is not its business. Source: docs/rules/stored-count.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from smeldr.model.errors import Refusal, conflict, not_found
from smeldr.model.instants import Instant, later
from smeldr.model.items import ItemKey
from smeldr.model.kinds import OneWay
from smeldr.model.records import Count, SweepRun
from smeldr.model.states import OPEN_STATES
from smeldr.operations import conditions
from smeldr.operations.call import REQUEST_KEY_HOURS, Call
from smeldr.operations.registry import operation
from smeldr.rules.stored_count import by_place, inside


class SweepReply(TypedDict):
    started_at: str
    finished_at: str
    items: int
    relations: int
    counted: Annotated[int, Field(description="Items whose counts were stored.")]
    opened: Annotated[int, Field(description="Conditions that a repair opened; 0 in a register in order.")]
    closed: Annotated[int, Field(description="Conditions that a repair closed; 0 in a register in order.")]
    error: NotRequired[str]


@dataclass(frozen=True, slots=True)
class Graph:
    """What a sweep counts over: places and states by item, neighbours by direction."""

    place: dict[ItemKey, ItemKey]
    open: set[ItemKey]
    neighbours: dict[OneWay, dict[ItemKey, list[ItemKey]]]
    relations: int


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
        run = SweepRun(call.unit.new_id(), at, at, None, 0, 0, 0, 0, 0, None, None)
        try:
            run = _count(call, run)
            run = _repair(call, run)
        except Exception as error:
            failed = replace(run, finished_at=max(call.clock(), at), error=_told(error))
            with call.store.write() as unit:
                unit.counts.replace_run(failed)
            if isinstance(error, Refusal):
                raise
            raise Refusal("internal", "the sweep failed; its record says that, and the log why") from error
    return _reply(run)


def _after_the_last(call: Call) -> Instant:
    """Now, but after the end of the run before: a clock that is set back puts no run before an older one."""
    last = call.unit.counts.last_run()
    return max(call.now, later(last.finished_at, timedelta(microseconds=1))) if last else call.now


def _count(call: Call, run: SweepRun) -> SweepRun:
    graph = _graph(call)
    counters = call.unit.items.numbers_given()
    rows = list(_rows(graph))  # walked before the write begins, so that nobody waits for it
    with call.store.write() as unit:
        unit.counts.replace(rows)
        unit.keys.forget_before(later(call.now, timedelta(hours=-REQUEST_KEY_HOURS)))
        counted = replace(
            run,
            counted_at=run.started_at,
            items=len(graph.place),
            relations=graph.relations,
            counted=len(graph.place),
            counters=counters,
            finished_at=max(call.clock(), run.started_at),
        )
        unit.counts.add_run(counted)
    return counted


def _graph(call: Call) -> Graph:
    place: dict[ItemKey, ItemKey] = {}
    waiting: set[ItemKey] = set()
    for key, its_place, state in call.unit.counts.counted_items():
        place[key] = its_place
        if state in OPEN_STATES:
            waiting.add(key)
    outgoing: dict[ItemKey, list[ItemKey]] = {}
    incoming: dict[ItemKey, list[ItemKey]] = {}
    relations = 0
    for source, target in call.unit.counts.counted_edges():
        outgoing.setdefault(source, []).append(target)
        incoming.setdefault(target, []).append(source)
        relations += 1
    return Graph(place, waiting, {"incoming": incoming, "outgoing": outgoing}, relations)


def _rows(graph: Graph) -> Iterator[tuple[ItemKey, OneWay, ItemKey, Count]]:
    for direction, neighbours in graph.neighbours.items():
        within = inside(neighbours, graph.place)
        for key in neighbours:
            for place, count in by_place(key, neighbours, within, graph.place, graph.open).items():
                yield key, direction, place, count


def _repair(call: Call, run: SweepRun) -> SweepRun:
    with call.store.write() as unit:
        repairing = call.in_unit(unit)
        opened, closed = conditions.reconcile_all(repairing)
        repairing.flush()
        repaired = replace(run, opened=opened, closed=closed, finished_at=max(call.clock(), run.started_at))
        unit.counts.replace_run(repaired)
    return repaired


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
