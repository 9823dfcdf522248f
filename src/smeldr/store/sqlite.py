"""SQLite: what is different about it, and nothing else.

Write-ahead log, full sync (an acknowledged write survives a power cut), a busy timeout, and `BEGIN IMMEDIATE` for a
write, so that what it reads is what it changes. Writers of one process queue here rather than in SQLite, which lets
them starve each other.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any, ClassVar, Final

from filelock import FileLock, Timeout
from sqlalchemy import URL, Connection, Engine, create_engine, event, exc
from sqlalchemy.engine import make_url
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler

from smeldr.model.errors import Refusal
from smeldr.model.records import Connections
from smeldr.store.contract import StoreUnusable
from smeldr.store.errors import busy, committed, failing
from smeldr.store.pools import connections_of
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

    pragmas: ClassVar[Sequence[str]] = ("foreign_keys = ON", "journal_mode = WAL", "synchronous = FULL")

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
        event.listen(self.engine, "connect", self._prepare)
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
                yield from committed(connection, self.code_of)
            finally:
                self._written = time.monotonic()

    def replacing(self) -> AbstractContextManager[Connection]:
        return self.writing()

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
        code = getattr(error.orig, "sqlite_errorcode", None)
        if code is None:  # of these, the module raises one by itself: for a text that is not UTF-8
            return failing("its file is damaged") if isinstance(error.orig, sqlite3.OperationalError) else None
        code &= _PRIMARY
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return busy()
        return failing(_FAILING[code]) if code in _FAILING else None

    def told(self, error: exc.DatabaseError) -> str:
        return str(error.orig)

    def code_of(self, error: exc.DBAPIError) -> str | None:
        return getattr(error.orig, "sqlite_errorname", None)

    def connections(self) -> Connections:
        return connections_of(self.engine, MAX_CONNECTIONS)

    def close(self) -> None:
        self.engine.dispose()

    def _prepare(self, connection: sqlite3.Connection, _record: Any) -> None:
        with closing(connection.cursor()) as cursor:
            for pragma in self.pragmas:
                cursor.execute(f"PRAGMA {pragma}")


class SqliteFile(SqliteEngine):
    """A file at rest, such as a backup: read as it stands, also from where nothing can be written, and written in one
    piece, with no log left beside it."""

    pragmas: ClassVar[Sequence[str]] = ("foreign_keys = ON", "synchronous = FULL")

    @staticmethod
    def url_of(path: Path) -> str:
        """The URL of the database in this file."""
        return URL.create("sqlite", database=str(path)).render_as_string()

    @staticmethod
    def path_of(url: str) -> Path | None:
        """The file of the database that the URL names; None when it names none that is a file."""
        try:
            parts = make_url(url)
        except exc.ArgumentError:
            return None
        return Path(parts.database) if parts.database and parts.get_backend_name() == "sqlite" else None

    @staticmethod
    def beside(path: Path) -> list[Path]:
        """The logs beside a file that is open or was not closed; they would spoil another file in its place."""
        logs = [path.with_name(f"{path.name}-{log}") for log in ("wal", "shm", "journal")]
        return [log for log in logs if log.exists()]

    @staticmethod
    def damage(path: Path) -> str | None:
        """What is wrong with the file, in one line; None when all of it hangs together. Reads all of it."""
        with closing(sqlite3.connect(path)) as connection:
            try:
                (said,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            except sqlite3.DatabaseError as error:
                said = str(error)
        return None if said == "ok" else " ".join(said.split())

    @staticmethod
    def copy(path: Path, to: Path) -> None:
        """Copy the file, page by page, with what a log beside it holds."""
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(to)) as target:
            source.backup(target)


def _begin(connection: Connection) -> None:
    write = connection.get_execution_options().get("smeldr_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


@compiles(Keys, "sqlite")
def _keys(element: Keys, compiler: SQLCompiler, **options: Any) -> str:
    listed = compiler.process(next(iter(element.clauses)), **options)
    return f"(SELECT value FROM json_each({listed}))"  # noqa: S608 - a bound parameter
