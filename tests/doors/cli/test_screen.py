"""At a terminal: tables to its width with every address whole, colour unless NO_COLOR is set."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from smeldr.doors.cli.screen import cell, shown, width
from tests.doors.cli.stub import Stub, reply
from tests.doors.cli.test_ending import PROGRAM, TITLE, environment

pty = pytest.importorskip("pty")


def at_terminal(stub: Stub, *words: str, columns: int = 80, **env: str) -> str:
    """What a terminal of that width is sent."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words],
        env=environment(stub, COLUMNS=str(columns), TERM="xterm-256color", **env),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    out = b""
    with process:
        while True:
            try:
                part = os.read(ours, 65_536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            out += part
    os.close(ours)
    assert 0 == process.returncode, out
    return out.decode().replace("\r\n", "\n")


def listed(*decisions: dict[str, Any]) -> dict[str, Any]:
    page = {"total": len(decisions), "count": len(decisions), "limit": 50, "offset": 0}
    return {"decisions": list(decisions), **page}


@pytest.mark.parametrize("columns", [200, 60, 20])
def test_addresses_stay_whole_however_narrow_the_terminal_is(columns: int, stub: Stub) -> None:
    decision = {"address": "D123456789012", "state": "superseded", "place": "ARE123456", "rev": 12, "title": TITLE * 9}
    stub.says("list_decisions", reply(listed(decision)))
    out = at_terminal(stub, "decision", "list", columns=columns, NO_COLOR="1")
    assert "D123456789012  superseded  ARE123456  12" in out
    assert "…" not in out
    shown_title = "".join(line[42:].strip() for line in out.splitlines()[1:])
    assert TITLE * 9 == shown_title


def test_states_are_coloured_and_names_are_no_markup(stub: Stub) -> None:
    decision = {
        "address": "D1",
        "state": "ratified",
        "place": "ROOT",
        "rev": 1,
        "title": "[bold]x[/bold] :smile: \x1b[5m",
    }
    stub.says("list_decisions", reply(listed(decision)))
    out = at_terminal(stub, "decision", "list")
    assert "\x1b[32mratified" in out
    assert "[bold]x[/bold] :smile: \\u001b[5m" in out
    assert "\x1b[5m" not in out


def test_no_color_means_none(stub: Stub) -> None:
    stub.says("list_decisions", reply(listed({"address": "D1", "state": "ratified", "title": "x"})))
    out = at_terminal(stub, "decision", "list", NO_COLOR="1")
    assert "\x1b[3" not in out
    assert "ratified" in out


def test_json_is_indented_for_a_person_and_still_json(stub: Stub) -> None:
    stub.says("whoami", reply({"name": TITLE, "grants": [1]}))
    assert f'{{\n  "name": "{TITLE}",\n  "grants": [\n    1\n  ]\n}}\n' == at_terminal(stub, "whoami", "--json")


@pytest.mark.parametrize(
    "value,expected",
    [
        (None, ""),
        (True, "yes"),
        (False, "no"),
        (3, "3"),
        (["D1", "D2"], "D1, D2"),
        ([], ""),
        ({"address": "D1", "title": "x"}, "D1"),
        ({"open_conditions": 1, "decisions": 2}, "open conditions 1, decisions 2"),
        ({"source": "D1", "kind": "contradicts", "target": {"address": "D2"}}, "D1 contradicts D2"),
        ("2026-01-31T09:30:00.000001Z", "2026-01-31T09:30:00Z"),
        ("at 2026-01-31T09:30:00.000001Z", "at 2026-01-31T09:30:00.000001Z"),
    ],
)
def test_a_value_in_a_cell(value: Any, expected: str) -> None:
    assert expected == cell(value)


@pytest.mark.parametrize(
    "text,columns", [("", 0), ("abc", 3), ("請求", 4), ("e\u0301", 1), ("\U0001f600", 2), ("a\u200db", 2)]
)
def test_the_width_of_a_text(text: str, columns: int) -> None:
    assert columns == width(text)


def test_line_breaks_and_tabs_are_kept_and_the_rest_is_shown() -> None:
    assert "a\nb\tc\\u000dd\\u001b[0m" == shown("a\r\nb\tc\rd\x1b[0m")
