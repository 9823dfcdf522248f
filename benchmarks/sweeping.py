"""The sweep over everything, in a process of its own, and the stored counts that it leaves.

Held against what it saves: a live count of every item, of which a sample is taken. `python -m benchmarks.sweeping FILE`
is that process; it says how long the sweep took and how much memory the process came to.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.building import url
from benchmarks.results import Figure
from benchmarks.shape import READERS, ReaderName
from benchmarks.stage import Stage
from benchmarks.timing import Times, in_turn
from benchmarks.walks import COUNTED
from smeldr.model.items import ItemKey, address_of, type_of
from smeldr.settings import Settings
from smeldr.wiring import open_register


def measure(stage: Stage, rounds: int, size: int) -> Iterator[Figure]:
    """Sweep, and read the stored counts of a sample of this size as every reader; one call lists at most 200."""
    sample = _sample(stage, size)
    sweeps, live = Times(), Times()
    for _ in range(rounds):
        told = _swept(stage, sweeps)
        start = time.perf_counter()
        for key in sample:
            _live(stage, "owner", key)
        live.seconds.append((time.perf_counter() - start) / len(sample) * len(stage.graph.place))
    memory = {"peak": f"{told['peak']} MB", "idle": f"{told['idle']} MB"}
    yield Figure("sweep", "schedule", sweeps, f"live counts ({size}, times all)", live, memory)
    for reader in READERS:
        yield _listed(stage, reader, sample, rounds)


def _sample(stage: Stage, size: int) -> list[ItemKey]:
    """A quarter of it from what every reader may read."""
    chance = random.Random(1)
    common = [key for key, place in stage.graph.place.items() if place in (stage.graph.readable("sliver") or ())]
    near = chance.sample(common, size // 4)
    return near + chance.sample(sorted(stage.graph.place.keys() - near), size - len(near))


def _swept(stage: Stage, times: Times) -> dict[str, Any]:
    process = [sys.executable, "-m", __name__, str(stage.file)]
    told: dict[str, Any] = json.loads(subprocess.run(process, check=True, capture_output=True, text=True).stdout)
    times.seconds.append(told["seconds"])
    counted = sum(1 for kind, _, _ in stage.graph.edges if kind in COUNTED)
    expected = {"items": len(stage.graph.place), "relations": counted, "opened": 0, "closed": 0}
    assert expected == {name: told["run"][name] for name in expected}, told
    return told


def _listed(stage: Stage, reader: ReaderName, sample: Sequence[ItemKey], rounds: int) -> Figure:
    readable = stage.graph.readable(reader)
    seen = [key for key in sample if readable is None or stage.graph.place[key] in readable]
    named = [{"type": type_of(key), "id": address_of(key)} for key in sample]
    expected = {
        address_of(key): [stage.walker.stored(key, direction, readable) for direction in ("incoming", "outgoing")]
        for key in seen
    }

    def check(reply: Any, live: Any) -> None:
        answered = [entry for entry in reply["counts"] if "error" not in entry]
        assert expected == {each["address"]: [each["rests_on_this"], each["this_rests_on"]] for each in answered}
        for each, counts in zip(answered, live, strict=True):
            for direction in ("rests_on_this", "this_rests_on"):
                assert _total(each[direction]) <= _total(counts[direction]), (each, counts)

    stored, live = in_turn(
        lambda: stage.call(reader, "list_rest_counts", items=named),
        lambda: [_live(stage, reader, key) for key in seen],
        rounds,
        check,
    )
    return Figure(f"stored counts of {len(sample)}", reader, stored, f"live counts ({len(seen)} readable)", live)


def _live(stage: Stage, reader: ReaderName, key: ItemKey) -> dict[str, Any]:
    return stage.call(reader, "get_rest_counts", type=type_of(key), id=address_of(key))


def _total(count: dict[str, Any]) -> int:
    return int(count["open"] + count["closed"])


def _peak() -> int:
    """The most memory that this process has had, in MB. What the system calls its use holds the parent's as well."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 * (1024 if sys.platform == "darwin" else 1))


def _main(file: str) -> None:
    register = open_register(Settings(database=url(Path(file))))
    idle = _peak()
    start = time.perf_counter()
    run = register.sweep()
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "idle": idle, "peak": _peak(), "run": run}))


if __name__ == "__main__":
    _main(sys.argv[1])
