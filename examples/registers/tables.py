"""A register as a table: tab-separated lines, gzipped, `N` for a record and `E` for a relation between two.

    N  id  status  in_force(1|0)  date  title
    E  source  kind  target  stated-by

It does not say what a status or a kind means: mapping.py does.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Node:
    """One record as its own register lists it."""

    id: str
    status: str
    in_force: bool
    date: str
    title: str


@dataclass(frozen=True, slots=True)
class Edge:
    """One relation as its own register states it."""

    source: str
    kind: str
    target: str


@dataclass(frozen=True, slots=True)
class Table:
    """The nodes by id, in the order of the file, and the edges in theirs."""

    nodes: dict[str, Node]
    edges: list[Edge]


def read_table(path: Path) -> Table:
    """Read a table. Raises ValueError naming the line that is not one of a table, OSError when it cannot be read."""
    table = Table({}, [])
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(file, start=1):
            match line.rstrip("\r\n").split("\t"):
                case ["N", id, status, "0" | "1" as in_force, date, title]:
                    table.nodes[id] = Node(id, status, in_force == "1", date, title)
                case ["E", source, kind, target, _stated_by]:
                    table.edges.append(Edge(source, kind, target))
                case _:
                    raise ValueError(f"{path.name}, line {number}: neither a record nor a relation")
    return table
