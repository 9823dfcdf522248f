"""The demo, as somebody who never saw the product runs it: every step holds, and nothing is left behind."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "examples" / "demo.py"
PATIENCE = 120


def decision(number: int, state: str = "ratified") -> dict[str, Any]:
    words = {"title": f"Rule {number}", "body": f"The text of rule {number}.", "state": state}
    return {"type": "Decision", "ref": f"R-{number}", "place": "rules", **words}


def grounds(source: int, target: int) -> dict[str, str]:
    return {"relation": "grounded_in", "source": f"R-{source}", "target": f"R-{target}"}


DOMAIN = {"type": "Domain", "ref": "rules", "name": "Rules"}
SMALL = [
    DOMAIN,
    *(decision(number) for number in (1, 2, 3, 4, 5)),
    decision(6, "proposed"),
    decision(7, "retired"),
    grounds(2, 1),
    grounds(3, 2),
    grounds(4, 2),
    grounds(5, 1),
    grounds(5, 4),
    grounds(6, 2),
    grounds(7, 2),
    grounds(3, 7),
]


def file_of(folder: Path, records: list[dict[str, Any]]) -> Path:
    path = folder / "small.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


@contextmanager
def started(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """The demo as a process, run from elsewhere, with `folder` for its scratch and a proxy that it must not ask."""
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, str(DEMO), *words],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(scratch), "COLUMNS": "100", "http_proxy": "http://127.0.0.1:9"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
    assert [] == list(scratch.iterdir())


def told(folder: Path, *words: str) -> tuple[int, str, str]:
    with started(folder, *words) as process:
        output, errors = process.communicate(timeout=PATIENCE)
        return process.returncode, output, errors


def lines_until(process: subprocess.Popen[str], last: str) -> Iterator[str]:
    """What the process prints, up to the line that holds `last`."""
    assert process.stdout
    for line in process.stdout:
        yield line
        if last in line:
            return
    raise AssertionError(f"it ended without {last!r}: {process.communicate()}")


def answers(url: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{url}/ready", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def url_in(output: str) -> str:
    found = re.search(r"serving on (http://\S+)", output)
    assert found
    return found[1]


def test_every_step_of_the_story_holds_and_the_server_is_left_running_when_asked(tmp_path: Path) -> None:
    register = str(file_of(tmp_path, SMALL))
    with started(tmp_path, "--register", register, "--keep-running") as process:
        output = "".join(lines_until(process, "For an agent"))
        assert answers(url_in(output))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
    assert 130 == process.returncode
    assert not answers(url_in(output))
    assert "most rests on D1: R-1, “Rule 1”" in output
    assert "✓ 2 conditions for 2 Decisions in force that rest on it directly" in output
    assert "✓ D1 is superseded, D8 is ratified" in output
    assert "✓ two conditions, one about each side, and neither names the other" in output
    assert "✗" not in output
    assert '"token": "… (shown once, not here)"' in output


def test_two_decisions_are_enough_for_the_story_and_nothing_runs_afterwards(tmp_path: Path) -> None:
    code, output, errors = told(tmp_path, "--register", str(file_of(tmp_path, [*SMALL[:3], grounds(1, 2)])))
    assert 0 == code, errors
    assert "✓ 1 condition for 1 Decision in force that rests on it directly" in output
    assert not answers(url_in(output))


def test_a_register_in_which_nothing_rests_on_anything_is_one_clear_line(tmp_path: Path) -> None:
    code, _, errors = told(tmp_path, "--register", str(file_of(tmp_path, [DOMAIN, decision(1), decision(2)])))
    assert 1 == code
    assert "this register has no Decision in force that another in force rests on" in errors
    assert "Traceback" not in errors


def test_a_register_that_cannot_be_imported_is_refused_with_the_line(tmp_path: Path) -> None:
    register = file_of(tmp_path, [DOMAIN, {**decision(1), "state": "done"}])
    code, output, errors = told(tmp_path, "--register", str(register))
    assert 1 == code
    assert "line 2: state:" in output + errors
    assert "demo: small.jsonl could not be imported: the line above says why" in errors
    assert "Traceback" not in errors


def test_a_register_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    code, _, errors = told(tmp_path, "--register", "none.jsonl")
    assert 1 == code
    assert "none.jsonl" in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_in_the_middle_it_takes_the_server_and_the_folder_along(tmp_path: Path, number: signal.Signals) -> None:
    with started(tmp_path, "--register", str(file_of(tmp_path, SMALL))) as process:
        url = url_in("".join(lines_until(process, "serving on")))
        process.send_signal(number)
        _, errors = process.communicate(timeout=PATIENCE)
    assert 130 == process.returncode, errors
    assert "demo: stopped" in errors
    assert "Traceback" not in errors
    assert not answers(url)
