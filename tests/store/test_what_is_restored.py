"""The file that a register is restored from: what is a backup, of which version, in which condition."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from smeldr.model.errors import Refusal
from smeldr.store.contract import StoreUnusable
from smeldr.store.keeping import copy
from smeldr.store.store import Store
from tests.conftest import Fresh
from tests.databases import ON_FILES
from tests.machine import unprivileged
from tests.operations.tables import Tables
from tests.store.kept import backed_up, caller, dump, ignored, restored, unusable
from tests.store.revisions import bring_to, fill, kept, rows

pytestmark = ON_FILES

CONTENTS = {
    "empty": b"",
    "text": b"This is a text about decisions.\n" * 100,
    "zip": b"PK\x03\x04" + bytes(5_000),
    "noise": random.Random(1).randbytes(50_000),
}


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS.keys())
def test_a_file_that_is_no_backup_is_told_in_one_line(filled: str, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "backup.db"
    file.write_bytes(content)
    with Tables(filled).unchanged():
        assert unusable(lambda: restored(file, filled)).startswith(f"{file}: ")
    assert (content, [file]) == (file.read_bytes(), list(tmp_path.iterdir()))


def test_a_backup_that_is_not_whole_is_told_in_one_line(filled: str, backup: Path) -> None:
    content = backup.read_bytes()
    for length in (100, 4_096, 20_000, len(content) // 2, len(content) - 4_096, len(content) - 1):
        backup.write_bytes(content[:length])
        with Tables(filled).unchanged():
            unusable(lambda: restored(backup, filled))
        assert [backup] == list(backup.parent.iterdir())


@pytest.mark.parametrize("offset", [0, 3_500])
def test_a_backup_with_a_spoilt_page_is_told_in_one_line_and_changes_nothing(
    filled: str, backup: Path, offset: int
) -> None:
    content = backup.read_bytes()
    told = set()
    for page in range(1, len(content) // 4_096, 31):
        spoilt = bytearray(content)
        spoilt[page * 4_096 + offset : page * 4_096 + offset + 200] = b"\xff" * 200
        backup.write_bytes(spoilt)
        with Tables(filled).unchanged():
            try:
                restored(backup, filled)
            except (StoreUnusable, Refusal) as why:
                told.add(str(why))
    assert any("damaged" in each for each in told)
    assert all(1 == len(each.splitlines()) for each in told)


def test_the_database_of_somebody_else_is_no_backup(filled: str, tmp_path: Path) -> None:
    file = tmp_path / "songs.db"
    with closing(sqlite3.connect(file)) as other:
        other.execute("CREATE TABLE songs (title TEXT)")
    content = file.read_bytes()
    with Tables(filled).unchanged():
        told = unusable(lambda: restored(file, filled))
    assert f"{file}: the database holds the tables of something else, and no register" == told
    assert content == file.read_bytes()


def test_a_backup_of_a_newer_version_is_told_in_one_line(filled: str, backup: Path) -> None:
    with closing(sqlite3.connect(backup)) as newer:
        newer.execute("UPDATE alembic_version SET version_num = '9999'")
        newer.commit()
    with Tables(filled).unchanged():
        told = unusable(lambda: restored(backup, filled))
    assert f"{backup}: the database is at revision 9999, which is newer than this version of Smeldr" == told


def first_version(url: str) -> str:
    """Put the register of the first revision there, as its version left it."""
    bring_to(url, "0001")
    fill(url, kept("0001")["tables"])
    return url


def test_a_backup_of_an_earlier_version_is_brought_forward_and_stays_as_it_is(
    tmp_path: Path, empty: str, filled: str
) -> None:
    file = tmp_path / "backup.db"
    first_version(f"sqlite:///{file}")
    content = file.read_bytes()
    restored(file, empty)
    with closing(Store(empty)) as opened:
        opened.check()
    assert kept("0001")["tables"]["texts"] == Tables(empty).rows("texts")
    assert (content, [file]) == (file.read_bytes(), list(tmp_path.iterdir()))
    restored(file, filled, replace=True, discard=True)
    assert Tables(empty).dump() == Tables(filled).dump()


def test_a_register_of_an_earlier_version_is_migrated_before_anything_else(backup: Path, empty: str) -> None:
    before = rows(first_version(empty))
    for work in (
        lambda: restored(backup, empty, replace=True),
        lambda: backed_up(empty, backup.with_name("new.db")),
        lambda: copy(empty, f"sqlite:///{backup.with_name('new.db')}", ignored),
    ):
        assert "the database is at revision 0001: run `smeldr migrate`" in unusable(work)
    assert (before, [backup]) == (rows(empty), list(backup.parent.iterdir()))


def test_a_backup_that_was_served_meanwhile_is_restored_with_what_was_written_to_it(
    backup: Path, empty: str, fresh: Fresh
) -> None:
    served = caller(f"sqlite:///{backup}", fresh)
    served.call("propose_decision", title="Since", body="B")
    restored(backup, empty)
    assert dump(backup) == Tables(empty).dump()
    assert "Since" == Tables(empty).rows("texts")[-1]["title"]


def test_a_backup_where_nothing_can_be_written_is_restored_unless_something_has_to_be_kept_there(
    backup: Path, shelf: Path
) -> None:
    file = Path(shutil.copyfile(backup, shelf / "backup.db"))
    content = file.read_bytes()
    with unprivileged(shelf), TemporaryDirectory() as folder:
        target = f"sqlite:///{folder}/register.db"
        restored(file, target)
        told = unusable(lambda: restored(file, target))
        assert told.startswith(f"what is there cannot be backed up beside {file} first: ")
        assert told.endswith("; --discard restores without that")
        restored(file, target, discard=True)
        assert dump(file) == Tables(target).dump()
    assert content == file.read_bytes()
