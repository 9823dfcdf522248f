"""The log goes to standard error and shows no values."""

from __future__ import annotations

import pytest
import structlog

from smeldr.doors.logs import log_to_stderr
from smeldr.operations.faults import fault


def failed(token: str) -> Exception:
    try:
        raise RuntimeError(f"a fault while a token of {len(token)} characters was about")
    except RuntimeError as error:
        return error


def test_a_fault_is_logged_with_its_traceback_and_without_the_values_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    log_to_stderr("info")

    refusal = fault(failed("smeldr_secret"), "whoami")

    said = capsys.readouterr()
    assert "" == said.out
    assert refusal.message.rpartition(" ")[2] in said.err
    assert "in failed" in said.err
    assert "RuntimeError: a fault while" in said.err
    assert "smeldr_secret" not in said.err


@pytest.mark.parametrize("level, heard", [("debug", True), ("info", True), ("warning", False), ("error", False)])
def test_what_is_less_grave_than_the_level_is_not_logged(
    capsys: pytest.CaptureFixture[str], level: str, heard: bool
) -> None:
    log_to_stderr(level)

    structlog.get_logger("smeldr").info("an event")

    assert heard is ("an event" in capsys.readouterr().err)
