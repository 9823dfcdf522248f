"""A register copied to another database: all of it, or none; and what is refused."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Table

from smeldr.model.errors import Refusal
from smeldr.settings import Settings
from smeldr.store import copying
from smeldr.store.contract import StoreUnusable
from smeldr.store.keeping import copy
from smeldr.store.rows import add_rows
from smeldr.store.store import Store
from smeldr.wiring import initialise
from tests.conftest import Fresh
from tests.databases import ON_FILES
from tests.machine import room
from tests.operations.order import in_order
from tests.operations.tables import Tables
from tests.store import killed
from tests.store.kept import caller, holds_register, ignored, refused, rows_in, unusable


def test_a_register_is_the_same_in_the_other_database_to_the_last_row(
    filled: str, elsewhere: str, fresh: Fresh
) -> None:
    with Tables(filled).unchanged():
        done = copy(filled, elsewhere, ignored)
    there = Tables(elsewhere)
    assert Tables(filled).dump() == there.dump()
    assert {name: len(rows) for name, rows in there.dump().items()} == {each.table: each.rows for each in done.tables}
    owner = caller(elsewhere, fresh)
    again = owner.call("ratify_decision", decision="D5", request_key="Ä key of its own")
    assert ("ratified", len(there.entries())) == (again["state"], len(Tables(filled).entries()))
    assert "D10" == owner.call("propose_decision", title="Next", body="B")["address"]
    in_order(owner, there)


def test_a_register_goes_there_and_back(filled: str, elsewhere: str, empty: str) -> None:
    there, back = copy(filled, elsewhere, ignored), copy(elsewhere, empty, ignored)
    assert there == back
    assert Tables(filled).dump() == Tables(empty).dump()


def test_tables_that_were_made_and_hold_no_register_are_filled(filled: str, empty: str) -> None:
    with closing(Store(empty)) as opened:
        opened.migrate()
    copy(filled, empty, ignored)
    assert Tables(filled).dump() == Tables(empty).dump()


def test_a_database_that_holds_a_register_is_left_as_it_is(filled: str, database: str) -> None:
    for url in (database, filled):
        with Tables(url).unchanged():
            message = refused("conflict", lambda url=url: copy(filled, url, ignored))  # type: ignore[misc]
        assert "there is a register in TO already; nothing was copied" == message


@ON_FILES
def test_a_target_that_is_something_else_is_left_as_it_is(filled: str, backup: Path, tmp_path: Path) -> None:
    text, songs = tmp_path / "text.db", tmp_path / "songs.db"
    text.write_text("This is a text about decisions.\n" * 100, encoding="utf-8")
    with closing(sqlite3.connect(songs)) as other:
        other.execute("CREATE TABLE songs (title TEXT)")
    for file in (text, songs, backup):
        content = file.read_bytes()
        with pytest.raises((StoreUnusable, Refusal), match="TO"):
            copy(filled, f"sqlite:///{file}", ignored)
        assert content == file.read_bytes()


def test_what_there_is_to_copy_has_to_be_a_register_of_this_version(empty: str, elsewhere: str, filled: str) -> None:
    told = unusable(lambda: copy(empty, elsewhere, ignored))
    assert "FROM: there is no register in this database yet: run `smeldr init`" == told
    told = unusable(lambda: copy("nonesuch", elsewhere, ignored))
    assert told.startswith("FROM: SMELDR_DATABASE is not a database URL")
    assert unusable(lambda: copy(filled, "nonesuch", ignored)).startswith("TO: SMELDR_DATABASE is not a database URL")
    assert not holds_register(elsewhere)


def test_somebody_who_makes_a_register_there_meanwhile_keeps_it(
    filled: str, empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate = Store.migrate

    def made_meanwhile(self: Store) -> None:
        migrate(self)
        monkeypatch.undo()
        initialise(Settings(database=empty), "Somebody")

    monkeypatch.setattr(Store, "migrate", made_meanwhile)
    message = refused("conflict", lambda: copy(filled, empty, ignored))
    assert "there is a register in TO by now; nothing was copied" == message
    assert "Somebody" == Tables(empty).rows("principals")[0]["name"]


def test_a_copy_that_differs_leaves_no_register(filled: str, empty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def changing(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
        worse = [{**row, "body": row["body"] + "."} for row in rows] if table.name == "texts" else rows
        add_rows(connection, table, worse)

    with monkeypatch.context() as patch:
        patch.setattr(copying, "add_rows", changing)
        message = refused("internal", lambda: copy(filled, empty, ignored))
    assert "the table texts did not arrive as it was read; nothing was written" == message
    assert not holds_register(empty)
    copy(filled, empty, ignored)


@pytest.mark.parametrize("seed", range(2))
def test_a_process_killed_amid_its_rows_leaves_no_register_and_can_be_run_again(
    filled: str, empty: str, seed: int
) -> None:
    assert -9 == killed.run("copy", filled, empty, random.Random(seed).randint(0, 2 * rows_in(filled)))
    assert not holds_register(empty)
    copy(filled, empty, ignored)
    assert Tables(filled).dump() == Tables(empty).dump()


@ON_FILES
def test_a_target_that_gets_full_has_no_register(filled: str, empty: str) -> None:
    with room(600_000):
        message = refused("internal", lambda: copy(filled, empty, ignored))
    assert "whether this was written is not known: run it again" == message
    assert not holds_register(empty)
    copy(filled, empty, ignored)
    assert Tables(filled).dump() == Tables(empty).dump()
