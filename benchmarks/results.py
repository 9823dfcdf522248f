"""A figure: what was done, beside what, how long each took; as a row of the table and as JSON."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from rich.console import Console
from rich.table import Table

from benchmarks.shape import Shape
from benchmarks.timing import Times

RESULTS: Final = Path(__file__).parent / "results"
WIDTH: Final = 240
"""Columns; more than any row of the table has."""


@dataclass(frozen=True, slots=True)
class Figure:
    """Something that the register does, and what it is held against, both timed in turn and both checked."""

    work: str
    caller: str
    ours: Times
    against: str
    theirs: Times
    notes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        """How many times as long ours takes."""
        return self.ours.median / self.theirs.median

    def json(self) -> dict[str, Any]:
        """The figure in seconds, with every time that was taken."""
        return {
            "work": self.work,
            "caller": self.caller,
            "against": self.against,
            "ratio": round(self.ratio, 3),
            "ours": _times(self.ours),
            "theirs": _times(self.theirs),
            "notes": dict(self.notes),
        }


def _times(times: Times) -> dict[str, Any]:
    return {"median": times.median, "p95": times.p95, "seconds": [round(each, 6) for each in times.seconds]}


def table(figures: Sequence[Figure]) -> Table:
    """The figures for a person."""
    shown = Table(box=None)
    for heading in ("work", "caller", "median", "p95", "against", "median", "p95", "ratio", "notes"):
        justify: Literal["left", "right"] = "right" if heading in ("median", "p95", "ratio") else "left"
        shown.add_column(heading, justify=justify, no_wrap=True)
    before = ""
    for each in figures:
        shown.add_row(
            each.work if each.work != before else "",
            each.caller,
            _shown(each.ours.median),
            _shown(each.ours.p95),
            each.against,
            _shown(each.theirs.median),
            _shown(each.theirs.p95),
            f"{each.ratio:.2f}",
            ", ".join(f"{name} {value}" for name, value in each.notes.items()),
        )
        before = each.work
    return shown


def _shown(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} µs"


def show(figures: Sequence[Figure]) -> None:
    """Print the table, whole, however narrow the terminal is."""
    Console(width=WIDTH).print(table(figures), soft_wrap=True)


def keep(folder: Path, shape: Shape, figures: Sequence[Figure]) -> Path:
    """Write the figures, and what they were taken on, as JSON into the folder."""
    now = datetime.now(UTC)
    run = {
        "at": now.isoformat(timespec="seconds"),
        "shape": asdict(shape),
        "machine": {
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
            "system": platform.platform(),
            "cores": os.cpu_count(),
            "load": os.getloadavg() if hasattr(os, "getloadavg") else None,
        },
        "figures": [each.json() for each in figures],
    }
    folder.mkdir(exist_ok=True)
    file = folder / f"{now:%Y%m%dT%H%M%SZ}.json"
    file.write_text(json.dumps(run, indent=2) + "\n")
    return file
