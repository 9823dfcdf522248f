"""PostgreSQL: what is different about it, and nothing else.

A write takes one advisory lock before it reads anything and keeps it until it is committed, so that writers of all
servers come one after the other, what a write reads is what it changes, and the order of the history is the order of
the commits. Reads are repeatable-read and wait for nobody. Source: docs/adr/0025-one-writer-at-a-time.md.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import BigInteger, Boolean, Connection, Dialect, Engine, Integer, Table, create_engine, event, exc
from sqlalchemy.engine import URL, make_url
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler

from smeldr.model.errors import Refusal
from smeldr.model.records import Connections
from smeldr.store.contract import StoreUnusable
from smeldr.store.errors import busy, committed, failing, interrupted
from smeldr.store.pools import connections_of
from smeldr.store.rows import many_at_once
from smeldr.store.sets import Keys
from smeldr.store.turns import Turns

OLDEST: Final = 15
"""The oldest major version that is supported."""

WRITING: Final = 0x536D656C64720001
SWEEPING: Final = 0x536D656C64720002
"""The advisory locks of a write and of the sweep: numbers of 64 bits that nobody else is likely to take."""

AT_THE_LOCK: Final = 2
"""Writers of one process that hold a connection at once: one writes, one waits its turn among those of all servers.
The others wait here, and leave the connections to the readers."""

SILENT_SECONDS: Final = 60
"""How long a write may do nothing before the server gives up on it: a process that hangs must not stop all writers.
One that replaces everything may take its time, since somebody waits for it."""

_SESSION: Final = (
    "SET jit = off",
    "SET random_page_cost = 1.1",
    "SET tcp_keepalives_idle = 10",
    "SET tcp_keepalives_interval = 5",
    "SET tcp_keepalives_count = 3",
    "SET lock_timeout = {wait}",
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
)
"""Statements are short, and look things up in memory or on a disk without arms. A machine that vanishes lets go of its
locks within half a minute, not after the two hours that are usual. A read that finds a table locked, as a migration
does, waits for it as long as a write waits for its turn. What is acknowledged is on the disk, although the database is
set to answer before."""

_CONNECT: Final[dict[str, Any]] = {
    "application_name": "smeldr",
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
}
_BEGIN_WRITE: Final = (
    "SELECT set_config('lock_timeout', %(wait)s, true),"
    " set_config('idle_in_transaction_session_timeout', %(silent)s, true),"
    " pg_advisory_xact_lock(%(lock)s)"
)
_LATE: Final = frozenset({"55P03", "57014"})
_INTERRUPTED: Final = frozenset({"0A000", "40001", "40P01", "57P01", "57P02", "57P03", "57P05", "25P03", "53300"})
"""SQLSTATEs after which the transaction is gone and the same again may go well. The first is what a statement meets
that was prepared before a migration changed its table: when the transaction is undone, the driver forgets it."""

_CONNECTION: Final = "08"
"""The class of the SQLSTATEs of a broken connection; what breaks while connecting has none at all."""

_FAILING: Final = {
    "53100": "the disk of the database is full",
    "53200": "the database is out of memory",
    "58030": "the disk of the database fails",
    "25006": "the database is read-only",
    "42501": "its role may not do that in the database",
}


class PostgresqlEngine:
    """One PostgreSQL database, opened by any number of processes on any number of machines."""

    def __init__(self, url: str, busy_seconds: float, connections: int) -> None:
        asked = make_url(url)
        if not asked.database:
            raise StoreUnusable("SMELDR_DATABASE needs a database, for example postgresql://smeldr@localhost/smeldr")
        try:
            self.engine: Engine = create_engine(
                asked.set(drivername="postgresql+psycopg"),
                connect_args={name: value for name, value in _CONNECT.items() if name not in asked.query},
                hide_parameters=True,
                isolation_level="REPEATABLE READ",
                max_overflow=0,
                pool_size=connections,
                pool_timeout=busy_seconds,
                use_native_hstore=False,
            )
        except ModuleNotFoundError:
            raise StoreUnusable("the driver for PostgreSQL is not installed: pip install 'smeldr[postgres]'") from None
        self._name = _where(asked)
        self._limit = connections
        self._busy_seconds = busy_seconds
        self._writers = Turns(AT_THE_LOCK)
        event.listen(self.engine, "connect", partial(_prepare, wait=max(1, round(busy_seconds * 1_000))))
        event.listen(self.engine, "begin", _begin)

    def exists(self) -> bool:
        return True

    def unfit(self, connection: Connection) -> str | None:
        version, encoding = connection.exec_driver_sql(
            "SELECT current_setting('server_version_num')::int / 10000, current_setting('server_encoding')"
        ).one()
        if version < OLDEST:
            return f"the database server is PostgreSQL {version}: Smeldr takes {OLDEST} or later"
        if encoding != "UTF8":
            return f"the database holds text as {encoding}: Smeldr takes one that was made with ENCODING 'UTF8'"
        return None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with self.engine.connect() as connection:
            connection.begin()  # never committed: closing undoes it
            yield connection

    def writing(self) -> AbstractContextManager[Connection]:
        return self._writing(SILENT_SECONDS)

    def replacing(self) -> AbstractContextManager[Connection]:
        return self._writing(0)

    @contextmanager
    def _writing(self, silent_seconds: int) -> Iterator[Connection]:
        until = time.monotonic() + self._busy_seconds
        wanted = {"smeldr_write_until": until, "smeldr_silent": silent_seconds}
        options = {"isolation_level": "READ COMMITTED", **wanted}
        with self._writers.turn(self._busy_seconds), self.engine.connect().execution_options(**options) as connection:
            yield from committed(connection, self.code_of)

    @contextmanager
    def sweeping(self) -> Iterator[bool]:
        with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            try:
                yield bool(connection.exec_driver_sql(f"SELECT pg_try_advisory_lock({SWEEPING})").scalar())
            finally:
                connection.invalidate()  # the lock is the session's, and ends with it

    def give_way(self) -> None:
        pass  # the lock goes to whoever has waited for it longest

    def refusal_of(self, error: exc.DBAPIError) -> Refusal | None:
        state = getattr(error.orig, "sqlstate", None)
        if state in _LATE:
            return busy()
        if state in _FAILING:
            return failing(_FAILING[state])
        if state is None:
            broken = isinstance(error, exc.OperationalError)
        else:
            broken = state in _INTERRUPTED or state.startswith(_CONNECTION)
        return interrupted() if broken or error.connection_invalidated else None

    def told(self, error: exc.DatabaseError) -> str:
        said = " ".join(str(error.orig).split())
        return f"{said} ({self._name})"

    def code_of(self, error: exc.DBAPIError) -> str | None:
        return getattr(error.orig, "sqlstate", None)

    def connections(self) -> Connections:
        return connections_of(self.engine, self._limit)

    def close(self) -> None:
        self.engine.dispose()


def _where(url: URL) -> str:
    """The database in words that may be shown: without a password."""
    return url.set(query={}).render_as_string(hide_password=True)


def _prepare(connection: Any, _record: Any, *, wait: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("; ".join(_SESSION).format(wait=wait))
    connection.commit()


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    until = options.get("smeldr_write_until")
    if until is None:
        return
    wait = max(1, round((until - time.monotonic()) * 1_000))
    asked = {"wait": str(wait), "silent": str(options["smeldr_silent"] * 1_000), "lock": WRITING}
    connection.exec_driver_sql(_BEGIN_WRITE, asked)


@many_at_once("postgresql")
def _add_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Send each column as one list: a statement for all rows rather than one for each."""
    columns = tuple(rows[0])
    lists = tuple(list(map(itemgetter(name), rows)) for name in columns)
    connection.exec_driver_sql(_insert(table, columns, connection.dialect), lists)


@lru_cache(maxsize=128)
def _insert(table: Table, columns: tuple[str, ...], dialect: Dialect) -> str:
    named = ", ".join(map(dialect.identifier_preparer.quote, columns))
    lists = ", ".join(f"%s::{_list_type(table.c[name].type)}[]" for name in columns)
    return f"INSERT INTO {table.name} ({named}) SELECT * FROM unnest({lists})"  # noqa: S608 - names of the schema


def _list_type(column_type: Any) -> str:
    names = {BigInteger: "bigint", Integer: "integer", Boolean: "boolean"}
    return next((name for kind, name in names.items() if isinstance(column_type, kind)), "text")


@compiles(Keys, "postgresql")
def _keys(element: Keys, compiler: SQLCompiler, **options: Any) -> str:
    """A limit tells the planner how many there are: it takes a hundred for granted, and a whole table to be near."""
    listed, *at_most = (compiler.process(each, **options) for each in element.clauses)
    limit = f" LIMIT {at_most[0]}" if at_most else ""
    return f"(SELECT value::bigint AS value FROM json_array_elements_text(({listed})::json){limit})"  # noqa: S608 - bound
