"""SQLite: what is different about it, and nothing else.

Write-ahead log, full sync (an acknowledged write survives a power cut), a busy timeout, and `BEGIN IMMEDIATE` for a
write, so that what it reads is what it changes. Writers of one process queue here rather than in SQLite, which lets
them starve each other.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url

from smeldr.model.errors import Refusal
from smeldr.store.errors import BUSY, StoreUnusable, committed

BUSY_SECONDS: Final = 10.0
"""How long a call waits for the store before it is `busy`."""

POOL_SIZE: Final = 8
MAX_CONNECTIONS: Final = 48


class SqliteEngine:
    """One SQLite file, opened by any number of threads and processes."""

    def __init__(self, url: str) -> None:
        database = make_url(url).database
        if not database or database == ":memory:":
            raise StoreUnusable("SMELDR_DATABASE needs a file, for example sqlite:///smeldr.db")
        self.path = Path(database)
        if not self.path.absolute().parent.is_dir():
            raise StoreUnusable(f"the folder of {self.path} does not exist")
        self.engine: Engine = create_engine(
            url,
            connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False, "isolation_level": None},
            pool_size=POOL_SIZE,
            max_overflow=MAX_CONNECTIONS - POOL_SIZE,
            pool_timeout=BUSY_SECONDS,
        )
        self._writer = threading.Lock()
        event.listen(self.engine, "connect", _prepare)
        event.listen(self.engine, "begin", _begin)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One snapshot; nothing that is written to it is kept."""
        with self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """The one write transaction of the file; committed when the block ends well, undone otherwise."""
        if not self._writer.acquire(timeout=BUSY_SECONDS):
            raise Refusal(BUSY.code, BUSY.message)
        try:
            with self.engine.connect().execution_options(smeldr_write=True) as connection:
                yield from committed(connection)
        finally:
            self._writer.release()

    @contextmanager
    def sweeping(self) -> Iterator[bool]:
        """Hold the sweep of this file; False when another process or thread holds it. A killed one lets go."""
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

    def close(self) -> None:
        """Close every connection that is not in use."""
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
