"""Live counts and traces, of four Decisions by three readers, each answer held against the walker's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, Literal

from benchmarks import rivals
from benchmarks.results import Figure
from benchmarks.shape import READERS, ReaderName
from benchmarks.stage import Stage
from benchmarks.timing import in_turn
from benchmarks.walks import CAP, COUNTED
from smeldr.model.items import ItemKey, address_of
from smeldr.model.kinds import KINDS

Subject = Literal["ordinary", "saturating", "hub", "chain"]
SUBJECTS: Final[tuple[Subject, ...]] = ("ordinary", "saturating", "hub", "chain")

DEPTH: Final = 3
MAX_ITEMS: Final = 500
LIMIT: Final = 100
"""Of the traces; the last two are what a caller gets who names none."""


def measure(stage: Stage, rounds: int) -> Iterator[Figure]:
    """Every subject for every reader."""
    for subject in SUBJECTS:
        for reader in READERS:
            yield _count(stage, subject, reader, rounds)
    for subject in SUBJECTS:
        for reader in READERS:
            yield _trace(stage, subject, reader, rounds)
    for reader in READERS:
        yield _trace_of_every_kind(stage, reader, rounds)


def _count(stage: Stage, subject: Subject, reader: ReaderName, rounds: int) -> Figure:
    key: ItemKey = getattr(stage.graph, subject)
    readable = stage.graph.readable(reader)
    expected = stage.walker.counts(key, readable)
    theirs: Callable[[], Any]
    if subject == "hub":
        against, theirs = "first 1,000 rows", rivals.first_rows(stage.rows, key, readable)
        found: Any = [(to,) for to, _, _ in next(stage.walker.rings(key, COUNTED, "incoming", readable))[:CAP]]
    else:
        against, theirs = "recursive query", rivals.recursive_count(stage.rows, key, readable)
        found = [each["open"] + each["closed"] + each.get("at_least", False) for each in expected.values()]

    def ours() -> dict[str, Any]:
        return stage.call(reader, "get_rest_counts", type="Decision", id=address_of(key))

    return _compared(f"count, {subject}", reader, rounds, (ours, expected), against, (theirs, found))


def _trace(stage: Stage, subject: Subject, reader: ReaderName, rounds: int) -> Figure:
    key: ItemKey = getattr(stage.graph, subject)
    readable = stage.graph.readable(reader)
    expected = _expected(stage, key, ["grounded_in"], "incoming", reader)
    rings = stage.walker.rings(key, ["grounded_in"], "incoming", readable)
    theirs: Callable[[], Any]
    if subject == "hub":
        against, theirs, found = "index count", rivals.ring_size(stage.rows, key, readable), len(next(rings))
    else:
        against, theirs = "recursive query", rivals.recursive_trace(stage.rows, key, readable, DEPTH)
        found = sum(len(ring) for ring, _ in zip(rings, range(DEPTH), strict=False))

    def ours() -> dict[str, Any]:
        return _walked(stage, key, reader, kind="grounded_in", direction="incoming")

    return _compared(f"trace, {subject}", reader, rounds, (ours, expected), against, (theirs, found))


def _trace_of_every_kind(stage: Stage, reader: ReaderName, rounds: int) -> Figure:
    key = stage.graph.ordinary

    def ours() -> dict[str, Any]:
        return _walked(stage, key, reader)

    def theirs() -> dict[str, Any]:
        return _walked(stage, key, reader, kind="grounded_in")

    expected = _expected(stage, key, list(KINDS), "both", reader)
    of_one = _expected(stage, key, ["grounded_in"], "both", reader)
    return _compared("trace, every kind", reader, rounds, (ours, expected), "grounded_in alone", (theirs, of_one))


def _walked(stage: Stage, key: ItemKey, reader: ReaderName, **arguments: Any) -> dict[str, Any]:
    """What the tool answers, as far as the walker knows it."""
    reply = stage.call(reader, "get_reachability", type_name="Decision", id=address_of(key), depth=DEPTH, **arguments)
    items = [{name: each[name] for name in ("depth", "address", "via")} for each in reply["items"]]
    return {"items": items, **{name: reply[name] for name in ("ring_sizes", "total", "cut") if name in reply}}


def _expected(stage: Stage, key: ItemKey, kinds: list[str], direction: str, reader: ReaderName) -> dict[str, Any]:
    readable = stage.graph.readable(reader)
    return stage.walker.trace(key, kinds, direction, readable, depth=DEPTH, max_items=MAX_ITEMS, limit=LIMIT)


def _compared(
    work: str,
    reader: ReaderName,
    rounds: int,
    ours: tuple[Callable[[], Any], Any],
    against: str,
    theirs: tuple[Callable[[], Any], Any],
) -> Figure:
    """Each side comes with what it has to answer."""

    def check(our_answer: Any, their_answer: Any) -> None:
        assert ours[1] == our_answer, (ours[1], our_answer)
        assert theirs[1] == their_answer, (theirs[1], their_answer)

    our_times, their_times = in_turn(ours[0], theirs[0], rounds, check)
    return Figure(work, reader, our_times, against, their_times)
