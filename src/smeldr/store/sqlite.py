"""SQLite: what is different about it, and nothing else.

Write-ahead log, full sync (an acknowledged write survives a power cut), a busy timeout, and `BEGIN IMMEDIATE` for a
write, so that what it reads is what it changes. Writers of one process queue here rather than in SQLite, which lets
them starve each other.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, create_engine, event, exc
from sqlalchemy.engine import make_url
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler

from smeldr.model.errors import Refusal
from smeldr.store.contract import StoreUnusable
from smeldr.store.errors import busy, committed, failing
from smeldr.store.sets import Keys
from smeldr.store.turns import Turns

POOL_SIZE: Final = 8
MAX_CONNECTIONS: Final = 48
RETRY_SECONDS: Final = 0.1
"""How long SQLite rests at most before it looks again at a file that another process was writing."""

_PRIMARY: Final = 0xFF
"""The part of an error code that says what went wrong; the rest says where."""

_FAILING: Final = {
    sqlite3.SQLITE_READONLY: "its file is read-only",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk fails",
    sqlite3.SQLITE_CANTOPEN: "its file cannot be opened",
}


class SqliteEngine:
    """One SQLite file, opened by any number of threads and processes."""

    def __init__(self, url: str, busy_seconds: float, _connections: int) -> None:
        database = make_url(url).database
        if not database or database == ":memory:":
            raise StoreUnusable("SMELDR_DATABASE needs a file, for example sqlite:///smeldr.db")
        self.path = Path(database)
        if not self.path.absolute().parent.is_dir():
            raise StoreUnusable(f"the folder of {self.path} does not exist")
        self.engine: Engine = create_engine(
            url,
            hide_parameters=True,
            connect_args={"timeout": busy_seconds, "check_same_thread": False, "isolation_level": None},
            pool_size=POOL_SIZE,
            max_overflow=MAX_CONNECTIONS - POOL_SIZE,
            pool_timeout=busy_seconds,
        )
        self._busy_seconds = busy_seconds
        self._writer = Turns(1)
        self._written = 0.0
        event.listen(self.engine, "connect", _prepare)
        event.listen(self.engine, "begin", _begin)

    def exists(self) -> bool:
        return self.path.exists()

    def unfit(self, connection: Connection) -> str | None:
        return None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with self.engine.connect() as connection:
            connection.begin()  # never committed: closing undoes it
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        options = {"smeldr_write": True}
        with self._writer.turn(self._busy_seconds), self.engine.connect().execution_options(**options) as connection:
            try:
                yield from committed(connection)
            finally:
                self._written = time.monotonic()

    @contextmanager
    def sweeping(self) -> Iterator[bool]:
        lock = FileLock(f"{self.path}.sweep.lock", thread_local=False)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            yield False
            return
        try:
            yield True
        finally:
            lock.release()

    def give_way(self) -> None:
        time.sleep(max(0.0, self._written + RETRY_SECONDS - time.monotonic()))

    def refusal_of(self, error: exc.DBAPIError) -> Refusal | None:
        code = getattr(error.orig, "sqlite_errorcode", sqlite3.SQLITE_OK) & _PRIMARY
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return busy()
        return failing(_FAILING[code]) if code in _FAILING else None

    def told(self, error: exc.DatabaseError) -> str:
        return str(error.orig)

    def close(self) -> None:
        self.engine.dispose()


def _prepare(connection: sqlite3.Connection, _record: Any) -> None:
    cursor = connection.cursor()
    try:
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = FULL")
    finally:
        cursor.close()


def _begin(connection: Connection) -> None:
    write = connection.get_execution_options().get("smeldr_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


@compiles(Keys, "sqlite")
def _keys(element: Keys, compiler: SQLCompiler, **options: Any) -> str:
    listed = compiler.process(next(iter(element.clauses)), **options)
    return f"(SELECT value FROM json_each({listed}))"  # noqa: S608 - a bound parameter
