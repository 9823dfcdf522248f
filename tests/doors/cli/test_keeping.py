"""`smeldr copy`, `backup` and `restore`: what they print, how they end, and that a password is never shown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from smeldr.store.schema import METADATA
from tests.databases import ON_A_SERVER, ON_FILES, Databases
from tests.doors.cli.conftest import Run, failure
from tests.operations.tables import Tables


def totals(said: dict[str, Any]) -> dict[str, int]:
    """How many rows each table had."""
    return {each["table"]: each["rows"] for each in said["tables"]}


@ON_FILES
def test_a_backup_is_told_table_by_table(smeldr: Run, database: str, folder: Path) -> None:
    done = smeldr("backup", "backup.db", "--database", database)
    assert (0, "") == (done.code, done.err)
    head, *rows, empty, last = done.out.splitlines()
    assert (["table", "rows", "sha256"], "") == (head.split(), empty)
    assert set(METADATA.tables) == {row.split()[0] for row in rows}
    assert f"The register of {database} is backed up in backup.db." == last
    assert Tables(database).dump() == Tables(f"sqlite:///{folder}/backup.db").dump()


@ON_FILES
def test_for_programs_there_is_one_object(smeldr: Run, database: str, folder: Path) -> None:
    backed_up = json.loads(smeldr("backup", "backup.db", "--json", SMELDR_DATABASE=database).out)
    copied = json.loads(smeldr("copy", database, "sqlite:///new.db", "--json").out)
    restored = json.loads(smeldr("restore", "backup.db", "--database", "sqlite:///new.db", "--json").out)
    assert (database, "backup.db") == (backed_up["database"], backed_up["file"])
    assert (database, "sqlite:///new.db") == (copied["from"], copied["to"])
    assert ("sqlite:///new.db", "backup.db") == (restored["database"], restored["file"])
    assert (folder / restored["former"]).is_file()
    assert backed_up["tables"] == copied["tables"] == restored["tables"]
    assert {name: len(rows) for name, rows in Tables(database).dump().items()} == totals(copied)
    assert {64} == {len(each["sha256"]) for each in copied["tables"]}


@ON_FILES
def test_a_copy_ends_by_saying_what_to_set(smeldr: Run, database: str) -> None:
    done = smeldr("copy", database, "sqlite:///new.db")
    assert ["The register is in sqlite:///new.db now. For the servers:", "  SMELDR_DATABASE=sqlite:///new.db"] == (
        done.out.splitlines()[-2:]
    )


@ON_FILES
def test_a_restore_says_where_the_former_register_is(smeldr: Run, database: str, folder: Path) -> None:
    smeldr("backup", "backup.db", "--database", database)
    said = smeldr("restore", "backup.db", "--database", database).out.splitlines()[-2:]
    (former,) = folder.glob("backup.db.replaced-*.db")
    assert f"The register of backup.db is in {database} now." == said[0]
    assert f"What was there before is in {former.name}." == said[1]
    assert "What was there" not in smeldr("restore", "backup.db", "--database", database, "--discard").out


@ON_FILES
def test_what_is_refused_is_one_line_and_1(smeldr: Run, database: str, folder: Path) -> None:
    smeldr("backup", "backup.db", "--database", database)
    assert failure(smeldr("backup", "backup.db", "--database", database)).startswith("smeldr: conflict: backup.db is")
    assert 0 == smeldr("backup", "backup.db", "--database", database, "--force").code
    assert failure(smeldr("copy", database, database)).startswith("smeldr: conflict: there is a register in TO")
    smeldr("init")
    assert failure(smeldr("restore", "backup.db")).startswith("smeldr: conflict: the database holds another register")
    assert 0 == smeldr("restore", "backup.db", "--replace").code
    assert failure(smeldr("copy", "nonesuch", database)).startswith("smeldr: store_unusable: FROM: ")
    assert failure(smeldr("restore", "backup.db", "--database", "nonesuch")).startswith("smeldr: store_unusable: ")
    assert failure(smeldr("backup", "x.db", "--database", "nonesuch")).startswith("smeldr: store_unusable: ")
    assert failure(smeldr("backup", "no/such.db")).startswith("smeldr: store_unusable: the folder of no/such.db")
    (folder / "text.db").write_text("Dear diary", encoding="utf-8")
    assert failure(smeldr("restore", "text.db")).startswith("smeldr: store_unusable: text.db: ")


@pytest.mark.parametrize(
    "words", [("backup",), ("backup", "."), ("restore",), ("restore", "nonesuch.db"), ("restore", "."), ("copy", "x")]
)
def test_wrong_usage_ends_with_2(words: tuple[str, ...], smeldr: Run) -> None:
    assert failure(smeldr(*words), code=2).startswith("smeldr: usage: ")


@ON_A_SERVER
def test_no_password_is_shown(smeldr: Run, database: str, databases: Databases) -> None:
    asked = [
        url.replace("postgres@", "postgres:secret@") + "&sslpassword=hidden" for url in (database, databases.new())
    ]
    for words, code in (
        (("backup", "backup.db", "--database", asked[0]), 0),
        (("copy", *asked), 0),
        (("copy", *asked), 1),
        (("restore", "backup.db", "--database", asked[1]), 0),
        (("restore", "backup.db", "--database", asked[1], "--json"), 0),
    ):
        done = smeldr(*words)
        assert code == done.code, done
        assert code or "postgresql://postgres:***@/" in done.out
        assert "secret" not in done.out + done.err
        assert "hidden" not in done.out + done.err
    databases.drop(asked[1])


@ON_FILES
def test_ctrl_c_is_one_line_and_leaves_nothing(database: str, folder: Path) -> None:
    stopping = (
        "import os, signal, sys; from smeldr.store import copying; from smeldr.__main__ import main\n"
        "copying._copied = lambda *_: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", stopping, "backup", "backup.db", "--database", database],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (130, "", "smeldr: interrupted: stopped") == (done.returncode, done.stdout, done.stderr.strip())
    assert [] == list(folder.iterdir())
