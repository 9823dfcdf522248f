"""A register backed up into a file, while it is used: whole, or not there."""

from __future__ import annotations

import os
import random
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from smeldr.store.keeping import UNFINISHED
from tests.conftest import Fresh
from tests.databases import ON_FILES, file_of
from tests.machine import room
from tests.operations.order import in_order
from tests.operations.tables import Tables
from tests.store import killed
from tests.store.kept import backed_up, caller, dump, refused, restored, rows_in, unusable


def test_a_backup_is_the_register_as_it_was_when_it_began(filled: str, tmp_path: Path, fresh: Fresh) -> None:
    owner = caller(filled, fresh)
    before = Tables(filled).dump()
    written: list[str] = []

    def write(further: int, _more: int) -> None:
        if further and not written:
            written.append(owner.call("propose_decision", title="Meanwhile", body="B")["address"])

    backed_up(filled, tmp_path / "backup.db", progress=write)
    assert ["D10"] == written
    assert before == dump(tmp_path / "backup.db")
    assert before != Tables(filled).dump()


def test_a_backup_is_one_file_that_only_its_owner_reads_and_is_a_register_itself(backup: Path, fresh: Fresh) -> None:
    assert [backup.name] == [each.name for each in backup.parent.iterdir()]
    assert os.name != "posix" or 0o600 == stat.S_IMODE(backup.stat().st_mode)
    with closing(sqlite3.connect(backup)) as opened:
        assert ("delete",) == opened.execute("PRAGMA journal_mode").fetchone()
        assert ("ok",) == opened.execute("PRAGMA integrity_check").fetchone()
    url = f"sqlite:///{backup}"
    in_order(caller(url, fresh), Tables(url))


def test_a_file_that_is_there_is_replaced_only_when_asked_for(
    filled: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "backup.db"
    file.write_text("Dear diary", encoding="utf-8")
    message = refused("conflict", lambda: backed_up(filled, file))
    assert f"{file} is there already: give another name, or --force to replace it" == message

    def failing(_further: int, _more: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        backed_up(filled, file, force=True, progress=failing)
    assert ["Dear diary"] == [each.read_text(encoding="utf-8") for each in tmp_path.iterdir()]
    backed_up(filled, file, force=True)
    assert Tables(filled).dump() == dump(file)


@ON_FILES
@pytest.mark.parametrize("name", ["a b.db", "50%20.db", "?x=1.db", "#1.db", "台帳.db", "é'\".db", "file:x", "b" * 200])
def test_a_backup_may_have_any_name(filled: str, empty: str, tmp_path: Path, name: str) -> None:
    backed_up(filled, tmp_path / name)
    assert [name] == [each.name for each in tmp_path.iterdir()]
    restored(tmp_path / name, empty)
    assert Tables(filled).dump() == Tables(empty).dump()


def test_a_register_is_not_backed_up_over_a_database_in_use(filled: str, tmp_path: Path, fresh: Fresh) -> None:
    other = tmp_path / "other.db"
    backed_up(filled, other)
    caller(f"sqlite:///{other}", fresh).call("propose_decision", title="T", body="B")
    message = refused("conflict", lambda: backed_up(filled, other, force=True))
    assert f"{other} is in use as a database, or was: other.db-wal is beside it" == message


@ON_FILES
def test_a_register_is_neither_backed_up_over_itself_nor_restored_from_itself(filled: str, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(file_of(filled))
    for file in (file_of(filled), link):
        with Tables(filled).unchanged():
            for work in (
                lambda file=file: backed_up(filled, file, force=True),
                lambda file=file: restored(file, filled),
            ):
                assert f"{file} is the register itself" == refused("conflict", work)


def test_what_cannot_be_backed_up_leaves_no_file(empty: str, filled: str, tmp_path: Path) -> None:
    assert "run `smeldr init`" in unusable(lambda: backed_up(empty, tmp_path / "backup.db"))
    told = unusable(lambda: backed_up(filled, tmp_path / "nonesuch" / "backup.db"))
    assert f"the folder of {tmp_path}/nonesuch/backup.db does not exist" == told
    with room(600_000):
        message = refused("internal", lambda: backed_up(filled, tmp_path / "backup.db"))
    assert "whether this was written is not known: run it again" == message
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("seed", range(2))
def test_a_killed_backup_leaves_the_one_before_whole(filled: str, backup: Path, seed: int) -> None:
    content = backup.read_bytes()
    assert -9 == killed.run("backup", filled, str(backup), random.Random(seed).randint(0, 2 * rows_in(filled)))
    assert content == backup.read_bytes()
    (left,) = (each for each in backup.parent.iterdir() if each != backup)
    assert left.name.startswith(UNFINISHED)
