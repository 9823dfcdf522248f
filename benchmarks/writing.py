"""Several writers at once, on each database, held against the bare database committing rows of the same size.

A write of the register is a proposal: an item, its text and its entry in the history. Beside it as many threads commit
one row that holds as many characters, as fast as the database takes them: those of an SQLite file one after the other,
as it has one writer; those of PostgreSQL at once, and once more with the lock that the register takes.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Protocol

import psycopg

from benchmarks.results import Figure
from benchmarks.timing import in_turn, percentile
from smeldr.operations.register import Register
from smeldr.settings import Settings
from smeldr.store.postgresql import WRITING
from smeldr.wiring import initialise, open_register
from tests.cluster import Cluster

WRITERS: Final = 8
BODY: Final = "A Decision has a reason, and it takes some sentences to say it. " * 16
_TABLE: Final = "CREATE TABLE bare (number INTEGER, body TEXT)"
_ROW: Final = (1, BODY * 2)
"""The body stands in the register twice: as the text of the Decision and in the history."""

Write = Callable[[], Any]


class Bare(Protocol):
    """A connection of either driver."""

    def execute(self, query: Any, params: Any = ..., /) -> Any: ...
    def close(self) -> None: ...


@dataclass
class Burst:
    """So many calls by each of as many writers, started together. `waits` are how long each took, in seconds."""

    writers: list[Write]
    calls: int
    waits: list[float] = field(default_factory=list)

    def __call__(self) -> int:
        ready = threading.Barrier(len(self.writers))
        threads = [threading.Thread(target=self._run, args=(write, ready)) for write in self.writers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return len(self.writers) * self.calls

    def _run(self, write: Write, ready: threading.Barrier) -> None:
        ready.wait()
        for _ in range(self.calls):
            start = time.perf_counter()
            write()
            self.waits.append(time.perf_counter() - start)


def measure(bursts: int, calls: int) -> Iterator[Figure]:
    """Bursts of proposals, and of bare rows, by turns."""
    with TemporaryDirectory() as folder, closing_cluster() as cluster:
        cluster.tell("CREATE DATABASE register")
        cluster.tell("CREATE DATABASE bare")
        url = cluster.url("bare")
        for name, database, against, open_bare, row in (
            ("a file", f"sqlite:///{folder}/register.db", "bare rows", partial(_file, Path(folder)), _in_turn()),
            ("PostgreSQL", cluster.url("register"), "bare rows", partial(_session, url), _at_once),
            ("PostgreSQL", cluster.url("register"), "bare rows, locked", partial(_session, url), _locked),
        ):
            with registered(database) as propose, ExitStack() as stack:
                bare = [stack.enter_context(closing(open_bare())) for _ in range(WRITERS)]
                ours = Burst([propose] * WRITERS, calls)
                theirs = Burst([partial(row, each) for each in bare], calls)
                times = in_turn(ours, theirs, bursts, _alike)
                told = {
                    "writes/s": round(WRITERS * calls / times[0].median),
                    "bare": round(WRITERS * calls / times[1].median),
                    "p99/p50 of a write": round(percentile(ours.waits, 99) / percentile(ours.waits, 50), 1),
                }
                yield Figure(f"{WRITERS} writers, {name}", "owner", times[0], against, times[1], told)


@contextmanager
def registered(database: str) -> Iterator[Write]:
    """A call that proposes a Decision in the register of this database, which is made where there is none."""
    token = _made(database)
    register: Register = open_register(Settings(database=database))
    with closing(register.store):
        yield lambda: register.call("propose_decision", {"title": "Measured", "body": BODY}, token)


_TOKENS: dict[str, str] = {}


def _made(database: str) -> str:
    if database not in _TOKENS:
        _TOKENS[database] = initialise(Settings(database=database), "Owner")["token"]
    return _TOKENS[database]


@contextmanager
def closing_cluster() -> Iterator[Cluster]:
    """A PostgreSQL that writes to the disk what is committed."""
    cluster = Cluster(durable=True)
    try:
        yield cluster
    finally:
        cluster.remove()


def _file(folder: Path) -> Bare:
    connection = sqlite3.connect(folder / "bare.db", isolation_level=None, check_same_thread=False, timeout=60)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(_TABLE.replace("TABLE", "TABLE IF NOT EXISTS"))
    return connection


def _session(url: str) -> Bare:
    connection = psycopg.connect(url, autocommit=True)
    connection.execute(_TABLE.replace("TABLE", "TABLE IF NOT EXISTS"))
    return connection


def _in_turn() -> Callable[[Bare], Any]:
    """Rows of a file, whose writers of one process wait for each other outside of it, or they would starve."""
    lock = threading.Lock()

    def row(connection: Bare) -> None:
        with lock:
            connection.execute("INSERT INTO bare VALUES (?, ?)", _ROW)

    return row


def _at_once(connection: Bare) -> None:
    connection.execute("INSERT INTO bare VALUES (%s, %s)", _ROW)


def _locked(connection: Bare) -> None:
    connection.execute("BEGIN")
    connection.execute(f"SELECT pg_advisory_xact_lock({WRITING})")
    _at_once(connection)
    connection.execute("COMMIT")


def _alike(ours: int, theirs: int) -> None:
    assert ours == theirs
