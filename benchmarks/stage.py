"""What every measurement starts from: the graph, a walker over it, and the register that holds it, opened."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.building import Tokens, copied, kept, url
from benchmarks.shape import Graph, ReaderName, Shape, generate
from benchmarks.walks import Walker, due
from smeldr.model.items import ItemKey
from smeldr.operations.register import Register
from smeldr.settings import Settings
from smeldr.wiring import open_register


@dataclass(frozen=True, slots=True)
class Stage:
    """One register with this graph, open. `rows` is a bare connection to the same file."""

    graph: Graph
    walker: Walker
    file: Path
    tokens: Tokens
    register: Register
    rows: sqlite3.Connection

    def call(self, reader: ReaderName, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool as one of the readers."""
        return self.register.call(tool, arguments, self.tokens[reader])


@contextmanager
def staged(shape: Shape) -> Iterator[Stage]:
    """A stage on a copy of the kept register, which is made first where it is not there yet."""
    graph = generate(shape)
    file, tokens = kept(graph)
    with copied(file) as copy, closing(connected(copy)) as rows:
        signals = _open_signals(graph, rows)
        register = open_register(Settings(database=url(copy)))
        stage = Stage(graph, Walker(graph, signals), copy, tokens, register, rows)
        gc.freeze()  # the collector shall look at what the register makes, not at the millions of things made here
        try:
            yield stage
        finally:
            gc.unfreeze()
            register.store.close()


def connected(file: Path) -> sqlite3.Connection:
    """A bare connection with the settings that the register has."""
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _open_signals(graph: Graph, rows: sqlite3.Connection) -> list[tuple[ItemKey, ItemKey]]:
    """The open Signals with what each is about, held against what the rules ask for."""
    found = rows.execute("SELECT key, condition, about, other FROM signals WHERE resolution IS NULL").fetchall()
    kinds = {"premise-flagged": "grounded_in", "conflict-detected": "contradicts"}
    assert due(graph) == {(kinds[condition], about, other) for _, condition, about, other in found}
    return [(key, about) for key, _, about, _ in found]
