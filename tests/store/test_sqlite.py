"""The contract on SQLite, and what is promised of an SQLite file beyond it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from smeldr.model.errors import Refusal
from smeldr.store.contract import StoreUnusable
from smeldr.store.store import Store as Database
from tests.store.building import at
from tests.store.contract import *  # noqa: F403 - the whole suite, run on the fixture below


@pytest.fixture(scope="session")
def founded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A founded register without anything in it: copied for every test, since making one takes longer."""
    file = tmp_path_factory.mktemp("founded") / "register.db"
    store = Database(f"sqlite:///{file}")
    store.migrate()
    with store.write() as unit:
        unit.found_register(at(0))
    store.close()
    return file


@pytest.fixture
def file(founded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copyfile(founded, tmp_path / "register.db"))


@pytest.fixture
def store(file: Path) -> Iterator[Database]:
    store = Database(f"sqlite:///{file}", busy_seconds=0.05)
    yield store
    store.close()


KNOWN = "sqlite:///FILE and postgresql://USER@HOST/NAME are"


def unusable(url: object) -> str:
    """Why a store cannot be used, in one line."""
    with pytest.raises(StoreUnusable) as raised:
        Database(str(url)).check()
    told = str(raised.value)
    assert len(told.splitlines()) == 1
    return told


def test_a_file_is_written_ahead_and_synced_in_full(file: Path, store: Database) -> None:
    store.check()
    with sqlite3.connect(file) as connection:
        assert ("wal",) == connection.execute("PRAGMA journal_mode").fetchone()
    connection.close()
    engine = store._engine
    with engine.reading() as reading:
        assert 2 == reading.exec_driver_sql("PRAGMA synchronous").scalar()
        assert 1 == reading.exec_driver_sql("PRAGMA foreign_keys").scalar()


def test_a_file_at_rest_is_left_as_it_stands_with_nothing_beside_it(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    content = file.read_bytes()
    with closing(Database(f"sqlite:///{file}", at_rest=True)) as store:
        store.check()
        assert [file] == list(file.parent.iterdir())
    assert content == file.read_bytes()
    with closing(Database(f"sqlite:///{file}")) as store:
        store.check()
    assert content != file.read_bytes()


def test_a_text_that_is_no_text_means_that_the_file_is_damaged(file: Path, store: Database) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE register SET id = CAST(x'ff' AS TEXT)")
        connection.commit()
    with pytest.raises(Refusal) as raised, store.read() as unit:
        unit.is_register()
    assert "the store fails: its file is damaged; nothing was written" == raised.value.message


def test_another_process_that_holds_the_file_makes_a_write_busy(file: Path, store: Database) -> None:
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Refusal) as raised, store.write():
        pass
    other.execute("ROLLBACK")
    other.close()
    assert raised.value.code == "busy"
    with store.write() as unit:
        unit.items.next_keys("Decision")


def test_who_gives_way_leaves_the_file_alone_until_another_process_has_looked_at_it_again(
    file: Path, store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    rests: list[float] = []

    def rest(seconds: float) -> None:
        rests.append(seconds)
        with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")

    monkeypatch.setattr("smeldr.store.sqlite.time", SimpleNamespace(monotonic=lambda: 70.0, sleep=rest))
    store.give_way()
    with store.write():
        pass
    store.give_way()
    assert [0.0, pytest.approx(0.1)] == rests


@pytest.mark.parametrize(
    "url, told",
    [
        ("register.db", "SMELDR_DATABASE is not a database URL; one is sqlite:///smeldr.db"),
        ("sqlite://", "SMELDR_DATABASE needs a file, for example sqlite:///smeldr.db"),
        ("sqlite:///:memory:", "SMELDR_DATABASE needs a file, for example sqlite:///smeldr.db"),
        (
            "oracle://somewhere",
            f"oracle is not a database that this version knows; {KNOWN}",
        ),
        ("sqlite:///no-such-folder/register.db", "the folder of no-such-folder/register.db does not exist"),
    ],
)
def test_a_url_that_names_no_database_of_ours_is_told_in_one_line(url: str, told: str) -> None:
    assert told == unusable(url)


def test_looking_for_a_register_that_is_not_there_makes_no_file(tmp_path: Path) -> None:
    assert "there is no register in this database yet: run `smeldr init`" == unusable(f"sqlite:///{tmp_path}/none.db")
    assert [] == list(tmp_path.iterdir())


def test_an_empty_file_is_no_register_yet_and_can_become_one(tmp_path: Path) -> None:
    file = tmp_path / "register.db"
    file.touch()
    assert "there is no register in this database yet: run `smeldr init`" == unusable(f"sqlite:///{file}")
    Database(f"sqlite:///{file}").migrate()


def test_tables_without_a_register_in_them_are_no_register_yet(tmp_path: Path) -> None:
    Database(f"sqlite:///{tmp_path}/register.db").migrate()
    assert "there is no register in this database yet: run `smeldr init`" == unusable(
        f"sqlite:///{tmp_path}/register.db"
    )


@pytest.mark.parametrize("content", [b"This is a text about decisions.\n" * 100, os.urandom(5_000), b"PK\x03\x04"])
def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "register.db"
    file.write_bytes(content)
    assert "the database cannot be read: file is not a database" == unusable(f"sqlite:///{file}")
    with pytest.raises(StoreUnusable):
        Database(f"sqlite:///{file}").migrate()
    assert content == file.read_bytes()


def test_the_database_of_something_else_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    other = sqlite3.connect(file)
    other.execute("CREATE TABLE songs (title TEXT)")
    other.commit()
    assert "the database holds the tables of something else, and no register" == unusable(f"sqlite:///{file}")
    with pytest.raises(StoreUnusable):
        Database(f"sqlite:///{file}").migrate()
    assert [("songs",)] == other.execute("SELECT name FROM sqlite_master").fetchall()
    other.close()


def test_a_register_of_a_newer_version_is_refused_and_left_as_it_is(file: Path) -> None:
    newer = sqlite3.connect(file)
    newer.execute("UPDATE alembic_version SET version_num = '9999'")
    newer.commit()
    told = "the database is at revision 9999, which is newer than this version of Smeldr"
    assert told == unusable(f"sqlite:///{file}")
    with pytest.raises(StoreUnusable, match="newer"):
        Database(f"sqlite:///{file}").migrate()
    assert [("9999",)] == newer.execute("SELECT version_num FROM alembic_version").fetchall()
    newer.close()


@pytest.mark.skipif(sys.platform != "linux", reason="needs a folder in which even an administrator makes no file")
def test_a_folder_in_which_no_file_can_be_made_is_told_in_one_line() -> None:
    with pytest.raises(StoreUnusable) as raised:
        Database("sqlite:////proc/register.db").migrate()
    assert "the database cannot be written: unable to open database file" == str(raised.value)


def test_a_folder_in_the_place_of_the_file_is_told_in_one_line(tmp_path: Path) -> None:
    assert "the database cannot be read: unable to open database file" == unusable(f"sqlite:///{tmp_path}")
