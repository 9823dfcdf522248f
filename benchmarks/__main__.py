"""Run the measurements, print the table, and keep the figures as JSON in `benchmarks/results/`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from rich.console import Console

from benchmarks import calling, flagging, reading, results, sweeping, timing, writing
from benchmarks.results import Figure
from benchmarks.shape import LARGE, SMALL
from benchmarks.stage import Stage, staged

Measurement = Callable[[Stage, bool], Iterator[Figure]]

MEASUREMENTS: Final[Mapping[str, Measurement]] = {
    "reading": lambda stage, small: reading.measure(stage, rounds=2 if small else 25),
    "calling": lambda stage, small: calling.measure(stage, bursts=1 if small else 9, calls=20 if small else 400),
    "flagging": lambda stage, small: flagging.measure(stage, rounds=1 if small else 4),
    "writing": lambda _, small: writing.measure(bursts=1 if small else 7, calls=4 if small else 40),
    "sweeping": lambda stage, small: sweeping.measure(stage, rounds=1 if small else 3, size=20 if small else 200),
}
"""In the order in which they run; the last two change the copy of the register that they work on."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("only", nargs="*", help=f"some of them: {', '.join(MEASUREMENTS)}")
    parser.add_argument("--small", action="store_true", help="a small register and few rounds: does it still run")
    parser.add_argument("--cpu", action="store_true", help="time this processor, not the clock: where others work too")
    parser.add_argument("--into", type=Path, default=results.RESULTS, help="the folder of the JSON")
    asked = parser.parse_args()
    if unknown := set(asked.only) - MEASUREMENTS.keys():
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(MEASUREMENTS)}")
    if asked.cpu:
        timing.clock = time.process_time
    shape = SMALL if asked.small else LARGE
    console = Console(stderr=True)
    figures: list[Figure] = []
    size = f"a register of {shape.decisions:,} Decisions and {shape.relations:,} relations"
    with console.status(size) as status, staged(shape) as stage:
        for name in asked.only or MEASUREMENTS:
            for figure in MEASUREMENTS[name](stage, asked.small):
                figures.append(figure)
                status.update(f"{name}: {figure.work}, {figure.caller}")
    results.show(figures)
    print(f"\n{results.keep(asked.into, shape, figures)}")


if __name__ == "__main__":
    main()
