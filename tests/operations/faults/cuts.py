"""Faults of a PostgreSQL database, let loose at a chosen moment of a call. Nothing here says what has to follow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import psycopg
import pytest
from sqlalchemy import Engine, PoolProxiedConnection, event

from tests.callers import Caller

GONE_WITHIN: Final = 60_000
"""Milliseconds; reached only when something is wrong."""

LAST: Final = "DELETE FROM request_keys"
"""What the last statement but one of a write with a request key starts with: all else is written by then."""

RIGHTS: Final = "SELECT grants."
"""What a statement that every call makes starts with, writes and reads alike."""


def engine_of(caller: Caller) -> Engine:
    """The connections behind a caller's register."""
    engine: Engine = caller.register.store._engine.engine  # type: ignore[attr-defined]
    return engine


def terminate(url: str, backend: int) -> None:
    """Have the server end one of its connections, and wait until it has."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s, %s)", (backend, GONE_WITHIN))


def terminate_all(url: str) -> None:
    """Have the server end every other connection to this database, and wait until it has."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, %s) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()",
            (GONE_WITHIN,),
        )


@contextmanager
def cutting(caller: Caller, url: str, before: str, times: int = 1) -> Iterator[list[str]]:
    """Cut the connection before a statement that starts like this, that many times; gives the statements met."""
    met: list[str] = []

    def hook(connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith(before):
            met.append(statement)
            if len(met) <= times:
                terminate(url, _backend(connection))

    with _listening(engine_of(caller), "before_cursor_execute", hook):
        yield met


@contextmanager
def cutting_once(caller: Caller, url: str, number: int) -> Iterator[list[str]]:
    """Cut the connection before the statement of that number, from 0; gives the statements met."""
    met: list[str] = []

    def hook(connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        met.append(statement)
        if len(met) == number + 1:
            terminate(url, _backend(connection))

    with _listening(engine_of(caller), "before_cursor_execute", hook):
        yield met


@contextmanager
def cutting_at_the_commit(caller: Caller, url: str) -> Iterator[None]:
    """Cut the connection when all is written and the commit has not been sent."""
    with _listening(engine_of(caller), "commit", lambda connection: terminate(url, _backend(connection))):
        yield


@contextmanager
def cutting_behind_the_commit(caller: Caller, url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the server commit, and cut the connection before its answer arrives."""

    def commit(pooled: PoolProxiedConnection) -> None:
        pooled.commit()
        connection: Any = pooled.dbapi_connection
        terminate(url, connection.info.backend_pid)
        connection.execute("SELECT 1")

    with monkeypatch.context() as patched:
        patched.setattr(engine_of(caller).dialect, "do_commit", commit)
        yield


@contextmanager
def failing_with(caller: Caller, state: str, before: str, times: int = 1_000) -> Iterator[list[str]]:
    """Have the server refuse a statement that starts like this, with this SQLSTATE; gives the statements met."""
    met: list[str] = []

    def hook(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> tuple[str, Any]:
        if statement.startswith(before):
            met.append(statement)
            if len(met) <= times:
                return f"DO $$ BEGIN RAISE SQLSTATE '{state}'; END $$", ()
        return statement, parameters

    with _listening(engine_of(caller), "before_cursor_execute", hook, retval=True):
        yield met


def _backend(connection: Any) -> int:
    backend: int = connection.connection.dbapi_connection.info.backend_pid
    return backend


@contextmanager
def _listening(engine: Engine, name: str, hook: Any, **how: bool) -> Iterator[None]:
    event.listen(engine, name, hook, **how)
    try:
        yield
    finally:
        event.remove(engine, name, hook)
