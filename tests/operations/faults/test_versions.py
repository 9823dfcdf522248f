"""Servers of two versions on one database: the older one does not start, and one that runs already says what is up."""

from __future__ import annotations

import subprocess
import sys

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from tests.callers import Caller
from tests.databases import ON_A_SERVER, ON_FILES
from tests.operations.order import in_order
from tests.operations.tables import Tables

PROPOSAL = {"title": "T", "body": "B", "request_key": "k"}


def change(database: str, *statements: str) -> None:
    """Do to the database what the migration of a newer version might do."""
    engine = create_engine(database, poolclass=NullPool)
    with engine.begin() as connection:
        for statement in ("UPDATE alembic_version SET version_num = '9999'", *statements):
            connection.execute(text(statement))


@ON_FILES
def test_a_server_that_is_older_than_the_database_does_not_start_and_says_so_in_one_line(database: str) -> None:
    change(database)
    command = [sys.executable, "-m", "smeldr", "serve", "--database", database, "--port", "0"]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert 1 == ended.returncode
    [line] = ended.stderr.splitlines()
    assert line.endswith("the database is at revision 9999, which is newer than this version of Smeldr")


def test_a_server_that_runs_goes_on_while_the_tables_serve_it_and_is_not_ready(
    owner: Caller, database: str, tables: Tables
) -> None:
    owner.call("propose_decision", **PROPOSAL)
    change(database, "ALTER TABLE texts ADD COLUMN more TEXT", "CREATE TABLE newer (key TEXT)")
    assert not owner.register.ready()
    for _ in range(10):
        owner.call("propose_decision", **{**PROPOSAL, "request_key": None})
    assert "ratified" == owner.call("ratify_decision", decision="D1")["state"]
    assert "T" == owner.call("get_decision", id="D1")["title"]
    in_order(owner, tables)


@ON_A_SERVER
def test_statements_that_were_prepared_before_a_migration_are_prepared_anew(
    owner: Caller, database: str, tables: Tables
) -> None:
    owner.call("propose_decision", **PROPOSAL)
    for rev in range(1, 20):
        if rev == 10:
            change(database, "ALTER TABLE texts ALTER COLUMN title TYPE VARCHAR(500)")
        owner.call("update_decision", decision="D1", rev=rev, title=f"T{rev}")
    assert "T19" == owner.call("get_decision", id="D1")["title"]
    in_order(owner, tables)


@pytest.mark.parametrize("tool,arguments", [("propose_decision", PROPOSAL), ("get_decision", {"id": "D1"})])
def test_a_server_that_runs_says_so_when_the_tables_no_longer_serve_it(
    owner: Caller, database: str, tool: str, arguments: dict[str, str]
) -> None:
    owner.call("propose_decision", title="T", body="B")
    change(database, "ALTER TABLE texts RENAME COLUMN title TO words")
    refusal = owner.refused("internal", tool, **arguments)
    assert refusal.message.startswith(
        "the store fails: the database is at revision 9999, which is newer than this version of Smeldr;"
        " nothing was written; the log has it as "
    )
