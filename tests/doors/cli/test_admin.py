"""`smeldr`: what it makes, what it prints, and how it fails."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from smeldr.settings import Settings
from smeldr.wiring import open_register
from tests.cluster import Cluster
from tests.databases import Server
from tests.doors.cli.conftest import Run, failure


def answers(database: str, token: str) -> list[tuple[str, str]]:
    """The rights that the token has in the register."""
    who = open_register(Settings(database=database)).call("whoami", {}, token)
    return sorted((each["right"], each["place"]) for each in who["grants"])


ALL = [("administer", "ROOT"), ("author", "ROOT"), ("ratify", "ROOT"), ("read", "ROOT")]


def test_init_makes_a_register_and_prints_one_object(smeldr: Run, folder: Path) -> None:
    database = f"sqlite:///{folder}/own.db"
    done = smeldr("init", "--owner", "请", "--json", "--database", database)
    made = json.loads(done.out)
    assert (0, "", 1) == (done.code, done.err, done.out.count("\n"))
    assert ["database", "principal", "token"] == list(made)
    assert database == made["database"]
    assert answers(database, made["token"]) == ALL
    assert ["own.db"] == sorted(path.name for path in folder.iterdir() if path.suffix == ".db")


def test_the_database_comes_from_the_settings_unless_it_is_named(smeldr: Run, folder: Path) -> None:
    setting = {"SMELDR_DATABASE": f"sqlite:///{folder}/set.db"}
    assert setting["SMELDR_DATABASE"] == json.loads(smeldr("init", "--json", **setting).out)["database"]
    named = f"sqlite:///{folder}/named.db"
    assert named == json.loads(smeldr("init", "--json", "--database", named, **setting).out)["database"]
    assert "sqlite:///smeldr.db" == json.loads(smeldr("init", "--json").out)["database"]
    assert (folder / "smeldr.db").is_file()


def test_init_saves_the_token_for_the_client_and_for_nobody_else(smeldr: Run, folder: Path) -> None:
    token = json.loads(smeldr("init", "--save", "--json").out)["token"]
    saved = folder / ".smeldr-cli.env"
    assert f"SMELDR_URL=http://127.0.0.1:8080\nSMELDR_TOKEN={token}\n" == saved.read_text(encoding="utf-8")
    assert os.name != "posix" or stat.S_IMODE(saved.stat().st_mode) == 0o600


def test_init_says_what_comes_next(smeldr: Run, folder: Path) -> None:
    done = smeldr("init", "--save")
    token = (folder / ".smeldr-cli.env").read_text(encoding="utf-8").split("SMELDR_TOKEN=")[1].strip()
    assert token in done.out
    for line in ("smeldr serve", 'principal create "My agent" --class agent', " author ROOT", "token create"):
        assert line in done.out


def test_a_second_init_is_refused_and_changes_nothing(smeldr: Run, folder: Path) -> None:
    made = json.loads(smeldr("init", "--json").out)
    database = f"sqlite:///{folder}/smeldr.db"
    assert failure(smeldr("init")).startswith("smeldr: conflict: ")
    assert failure(smeldr("init", "--json")).startswith("smeldr: conflict: ")
    assert failure(smeldr("init", "--save")).startswith("smeldr: conflict: ")
    assert not (folder / ".smeldr-cli.env").exists()
    assert answers(database, made["token"]) == ALL


def test_init_writes_over_no_saved_token(smeldr: Run, folder: Path) -> None:
    (folder / ".smeldr-cli.env").write_text("SMELDR_TOKEN=old\n", encoding="utf-8")
    assert ".smeldr-cli.env is here already" in failure(smeldr("init", "--save"))
    assert "SMELDR_TOKEN=old\n" == (folder / ".smeldr-cli.env").read_text(encoding="utf-8")
    assert not (folder / "smeldr.db").exists()


@pytest.mark.parametrize("command", ["init", "serve", "migrate", "recover-owner"])
@pytest.mark.parametrize("url", ["nonesuch", "mysql://here/x", "sqlite:////nonesuch/folder/x.db", "sqlite:///other.db"])
def test_a_database_that_cannot_be_one_is_one_line(command: str, url: str, smeldr: Run, folder: Path) -> None:
    (folder / "other.db").write_text("This is no database, whatever its name says. " * 50, encoding="utf-8")
    assert failure(smeldr(command, "--database", url)).startswith("smeldr: store_unusable: ")


def test_a_register_that_is_not_there_is_one_line(smeldr: Run, folder: Path) -> None:
    (folder / "empty.jsonl").write_text("", encoding="utf-8")
    assert "smeldr init" in failure(smeldr("serve"))
    assert "smeldr init" in failure(smeldr("recover-owner"))
    assert "smeldr init" in failure(smeldr("import", "empty.jsonl"))
    assert "smeldr init" in failure(smeldr("mcp", SMELDR_TOKEN="smeldr_x"))


def test_a_register_of_a_newer_version_is_one_line(smeldr: Run, folder: Path) -> None:
    smeldr("init")
    with sqlite3.connect(folder / "smeldr.db") as connection:
        connection.execute("update alembic_version set version_num = '9999'")
    connection.close()
    for command in ("serve", "migrate", "init", "recover-owner"):
        assert "newer than this version of Smeldr" in failure(smeldr(command))


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="everything can be written by root")
def test_a_folder_that_cannot_be_written_is_one_line(smeldr: Run, folder: Path) -> None:
    folder.chmod(0o500)
    try:
        failure(smeldr("init"))
        failure(smeldr("init", "--save"))
    finally:
        folder.chmod(0o700)


def test_an_address_that_is_taken_is_a_failure(smeldr: Run) -> None:
    smeldr("init")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = smeldr("serve", "--port", port)
    assert 1 == ended.code
    assert f"smeldr: io: cannot serve on 127.0.0.1:{port}" in ended.err
    assert "Traceback" not in ended.err


def test_a_setting_that_is_none_is_one_line(smeldr: Run) -> None:
    assert failure(smeldr("serve", SMELDR_LOG_LEVEL="loud")).startswith("smeldr: bad_settings: SMELDR_LOG_LEVEL: ")


def test_mcp_without_a_token_is_one_line(smeldr: Run) -> None:
    smeldr("init")
    assert failure(smeldr("mcp")).startswith("smeldr: unauthorized: SMELDR_TOKEN is not set")
    assert failure(smeldr("mcp", SMELDR_TOKEN="smeldr_nonesuch")).startswith("smeldr: unauthorized: ")


def test_an_owner_is_given_back(smeldr: Run, folder: Path) -> None:
    first = json.loads(smeldr("init", "--json").out)
    database = f"sqlite:///{folder}/smeldr.db"
    new = json.loads(smeldr("recover-owner", "--owner", "Second", "--json").out)
    again = json.loads(smeldr("recover-owner", "--principal", first["principal"], "--json").out)
    assert first["principal"] == again["principal"] != new["principal"]
    assert [ALL, ALL] == [answers(database, each["token"]) for each in (new, again)]
    assert new["token"] not in smeldr("recover-owner").out
    assert failure(smeldr("recover-owner", "--principal", "nonesuch")).startswith("smeldr: not_found: ")


def test_migrating_what_is_new_already_changes_nothing(smeldr: Run) -> None:
    smeldr("init")
    done = smeldr("migrate")
    assert (0, "") == (done.code, done.err)


def test_a_file_is_imported_and_counted(smeldr: Run, folder: Path) -> None:
    lines = [
        {"type": "Decision", "ref": "one", "title": "T", "body": "B", "state": "ratified"},
        {"type": "Decision", "ref": "two", "title": "T", "body": "B", "state": "ratified"},
        {"relation": "grounded_in", "source": "two", "target": "one"},
    ]
    (folder / "some.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    smeldr("init")
    done = smeldr("import", "some.jsonl", "--json")
    assert 0 == done.code, done.err
    assert {"decisions": 2, "relations": 1}.items() <= json.loads(done.out).items()
    assert "decisions: 0" in smeldr("import", "some.jsonl").out


def test_a_file_that_cannot_be_imported_is_one_line(smeldr: Run, folder: Path) -> None:
    smeldr("init")
    (folder / "bad.jsonl").write_text("{}\nnonsense", encoding="utf-8")
    assert "line 1" in failure(smeldr("import", "bad.jsonl"))
    assert "nonesuch.jsonl" in failure(smeldr("import", "nonesuch.jsonl"), code=2)


@pytest.mark.parametrize(
    "words", [("serve", "--port", "70000"), ("serve", "--workers", "0"), ("nonesuch",), ("import",)]
)
def test_wrong_usage_ends_with_2(words: tuple[str, ...], smeldr: Run) -> None:
    assert failure(smeldr(*words), code=2).startswith("smeldr: usage: ")


def test_help_and_version_need_no_register(smeldr: Run) -> None:
    for words in (("--help",), ("init", "--help"), ("--version",)):
        ended = smeldr(*words)
        assert (0, "") == (ended.code, ended.err)
    assert 2 == smeldr().code


def test_it_is_a_module_that_can_be_run(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "smeldr", "--version"], cwd=folder, capture_output=True, check=True)
    assert done.stdout.startswith(b"smeldr ")


def test_a_password_in_the_url_is_printed_for_programs_alone(cluster: Cluster, smeldr: Run) -> None:
    named = Server(cluster).new().replace("postgres@", "postgres:hushhush@")
    told = smeldr("init", "--database", named)
    assert "postgres:***@" in told.out
    again = smeldr("init", "--database", named)
    assert "there is a register in postgresql://postgres:***@" in again.err
    assert "hushhush" not in told.out + told.err + again.out + again.err
    assert named == json.loads(smeldr("recover-owner", "--database", named, "--json").out)["database"]
