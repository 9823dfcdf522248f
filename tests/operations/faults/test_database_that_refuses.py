"""A PostgreSQL database that takes no writes: the caller is told why in one line, and nothing was written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psycopg
import pytest
from sqlalchemy.engine import make_url

from smeldr.settings import Settings
from smeldr.wiring import open_register
from tests.callers import Caller
from tests.databases import ON_A_SERVER
from tests.operations.faults.cuts import terminate_all
from tests.operations.faults.roles import role
from tests.operations.order import in_order
from tests.operations.tables import Tables

pytestmark = ON_A_SERVER

PROPOSAL = {"title": "T", "body": "B"}
FULL: Final = Path("/dev/full")


def test_a_role_that_may_only_read_answers_reads_and_refuses_writes(
    owner: Caller, database: str, tables: Tables
) -> None:
    owner.call("propose_decision", **PROPOSAL)
    with role(database, "SELECT") as as_reader:
        reading = Caller(open_register(Settings(database=as_reader)), owner.token, owner.id)
        with tables.unchanged():
            assert 1 == reading.call("list_decisions")["total"]
            refusal = reading.refused("internal", "propose_decision", **PROPOSAL)
        reading.register.store.close()
    assert refusal.message.startswith(
        "the store fails: its role may not do that in the database; nothing was written; the log has it as "
    )


def test_a_database_that_was_made_read_only_answers_reads_and_refuses_writes_until_it_is_mended(
    owner: Caller, database: str, tables: Tables
) -> None:
    owner.call("propose_decision", **PROPOSAL)
    with tables.unchanged(), read_only(database):
        assert 1 == owner.call("list_decisions")["total"]
        refusal = owner.refused("internal", "propose_decision", **PROPOSAL)
        assert owner.register.ready()
    assert refusal.message.startswith(
        "the store fails: the database is read-only; nothing was written; the log has it as "
    )
    assert "D2" == owner.call("propose_decision", **PROPOSAL)["address"]
    in_order(owner, tables)


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
def test_a_disk_without_room_refuses_the_write_and_once_there_is_room_the_same_call_is_made(
    owner: Caller, database: str, tables: Tables
) -> None:
    with tables.unchanged(), no_room(database, "request_keys"):
        refusal = owner.refused("internal", "propose_decision", **PROPOSAL, request_key="k")
        assert 0 == owner.call("list_decisions")["total"]
    assert refusal.message.startswith(
        "the store fails: the disk of the database is full; nothing was written; the log has it as "
    )
    assert "D1" == owner.call("propose_decision", **PROPOSAL, request_key="k")["address"]
    in_order(owner, tables)


@contextmanager
def read_only(database: str) -> Iterator[None]:
    """Let the database take no writes, from whichever connection."""
    name = make_url(database).database
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        terminate_all(database)
    try:
        yield
    finally:
        with psycopg.connect(database, autocommit=True) as connection:
            connection.execute("SET default_transaction_read_only = off")
            connection.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")
        terminate_all(database)


@contextmanager
def no_room(database: str, table: str) -> Iterator[None]:
    """Let the file of an empty table be on a disk that is full: a device that has room for nothing stands in for it."""
    with psycopg.connect(database, autocommit=True) as connection:
        found = connection.execute("SELECT current_setting('data_directory'), pg_relation_filepath(%s)", (table,))
        file = Path(*(found.fetchone() or ()))
    aside = file.with_suffix(".aside")
    file.rename(aside)
    file.symlink_to(FULL)
    terminate_all(database)
    try:
        yield
    finally:
        aside.replace(file)
        terminate_all(database)
