"""The log goes to standard error, as text or as one JSON object a line, whoever speaks."""

from __future__ import annotations

import json
import logging
import sqlite3
import subprocess
import sys
from contextlib import closing
from io import StringIO

import pytest
import structlog

from smeldr.doors.logs import log_to_stderr
from smeldr.operations.faults import fault
from tests.databases import ON_FILES


def failed(token: str) -> Exception:
    try:
        try:
            raise KeyError(token)
        except KeyError as error:
            raise RuntimeError("a fault with " + token) from error
    except RuntimeError as error:
        return error


def test_a_fault_is_logged_with_where_it_passed_and_without_a_word_of_what_it_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log_to_stderr("info")

    refusal = fault(failed("smeldr_secret"))

    said = capsys.readouterr()
    assert "" == said.out
    assert refusal.message.rpartition(" ")[2] in said.err
    assert "in failed" in said.err
    assert ["KeyError", "RuntimeError"] == [line for line in said.err.splitlines() if line.endswith("Error")]
    assert "smeldr_secret" not in said.err


def test_what_came_of_several_faults_at_once_is_shown_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    log_to_stderr("info")

    fault(ExceptionGroup("smeldr_secret", [ValueError("smeldr_secret"), failed("smeldr_secret")]))

    said = capsys.readouterr().err
    assert "smeldr_secret" not in said
    kinds = [line for line in said.splitlines() if line.endswith(("Error", "Group"))]
    assert ["ValueError", "KeyError", "RuntimeError", "ExceptionGroup"] == kinds


def test_a_chain_that_bites_its_own_tail_has_an_end(capsys: pytest.CaptureFixture[str]) -> None:
    log_to_stderr("info")
    one, other = ValueError(), TypeError()
    one.__cause__, other.__cause__ = other, one

    fault(one)

    assert ["TypeError", "ValueError"] == capsys.readouterr().err.splitlines()[-2:]


@pytest.mark.parametrize("level, heard", [("debug", True), ("info", True), ("warning", False), ("error", False)])
def test_what_is_less_grave_than_the_level_is_not_logged(
    capsys: pytest.CaptureFixture[str], level: str, heard: bool
) -> None:
    log_to_stderr(level)

    structlog.get_logger("smeldr").info("an event")

    assert heard is ("an event" in capsys.readouterr().err)


def test_as_json_every_line_is_an_object_whoever_speaks(capsys: pytest.CaptureFixture[str]) -> None:
    log_to_stderr("info", "json")

    structlog.get_logger("smeldr").info("an event", tool="whoami")
    fault(failed("smeldr_secret"))
    logging.getLogger("uvicorn.error").error("Exception in ASGI application\n", exc_info=failed("smeldr_secret"))
    logging.getLogger("mcp.server").warning("a message that holds %s", "smeldr_secret")

    said = capsys.readouterr().err
    assert "smeldr_secret" not in said
    ours, fallen, server, library = (json.loads(line) for line in said.splitlines())
    assert ("an event", "info", "whoami") == (ours["event"], ours["level"], ours["tool"])
    assert fallen["exception"].endswith("RuntimeError")
    assert ("Exception in ASGI application", "error") == (server["event"], server["level"])
    assert server["exception"].endswith("RuntimeError")
    assert library["event"].startswith("mcp.server spoke at test_logs.py:")
    assert {"timestamp", "event", "level"} == library.keys()


def test_setting_it_up_again_says_nothing_twice(capsys: pytest.CaptureFixture[str]) -> None:
    log_to_stderr("info")
    log_to_stderr("info", "json")

    logging.getLogger("uvicorn.error").error("said once")

    assert 1 == len(capsys.readouterr().err.splitlines())


def test_a_line_that_cannot_be_written_is_lost_and_nothing_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    nobody = StringIO()
    monkeypatch.setattr("sys.stderr", nobody)
    log_to_stderr("info")
    nobody.close()

    assert "internal" == fault(failed("a token")).code


@ON_FILES
def test_a_command_that_serves_nobody_logs_nothing_and_says_itself_what_went_wrong(database: str) -> None:
    with closing(sqlite3.connect(database.removeprefix("sqlite:///"))) as connection:
        connection.execute("DROP TABLE grants")
    command = [sys.executable, "-m", "smeldr", "recover-owner", "--database", database, "--json"]

    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert ("", 1) == (ended.stdout, ended.returncode)
    assert ended.stderr.startswith("smeldr: internal: ")
    assert "the store failed" not in ended.stderr
