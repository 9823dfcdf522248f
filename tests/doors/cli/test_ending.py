"""However a command ends, it ends with its exit code and without a traceback: here as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from smeldr.doors.cli.failure import LOCAL_CODES
from tests.doors.cli.conftest import TOKEN
from tests.doors.cli.stub import Answer, Stub, refusal, reply

PROGRAM: Final = "import sys\nfrom smeldr.doors.cli.client import main\nsys.exit(main())"
TITLE: Final = "請求書は一つの台帳から"
DECISIONS: Final = {
    "decisions": [{"address": f"D{number}", "state": "ratified", "title": TITLE} for number in range(1, 3_000)],
    "total": 2_999,
    "count": 2_999,
    "limit": 3_000,
    "offset": 0,
}


def environment(stub: Stub, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LC_", "LANG"))}
    return {**kept, "SMELDR_URL": stub.url, "SMELDR_TOKEN": TOKEN, **more}


def run(
    stub: Stub, *words: str, env: Mapping[str, str] | None = None, **more: Any
) -> subprocess.CompletedProcess[bytes]:
    settings: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 60, **more}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *words], env=environment(stub, **(env or {})), check=False, **settings
    )


LOCALES: Final[list[Mapping[str, str]]] = [
    {"LANG": "C"},
    {"LC_ALL": "POSIX"},
    {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    {"PYTHONIOENCODING": "ascii"},
]


@pytest.mark.parametrize("locale", LOCALES, ids=lambda locale: " ".join(f"{k}={v}" for k, v in locale.items()))
def test_every_character_is_printed_whatever_the_locale(locale: Mapping[str, str], stub: Stub) -> None:
    stub.says("list_decisions", reply({**DECISIONS, "decisions": DECISIONS["decisions"][:1]}))  # type: ignore[index]
    table = run(stub, "decision", "list", env=locale)
    assert (0, f"D1       ratified  {TITLE}") == (table.returncode, table.stdout.decode().splitlines()[1])
    assert TITLE in run(stub, "decision", "list", "--json", env=locale).stdout.decode()
    stub.says("list_decisions", refusal("not_found", TITLE, 404))
    assert f"smeldr-cli: not_found: {TITLE}\n" == run(stub, "decision", "list", env=locale).stderr.decode()


@pytest.mark.parametrize("locale", LOCALES, ids=lambda locale: " ".join(f"{k}={v}" for k, v in locale.items()))
def test_every_character_is_sent_whatever_the_locale(locale: Mapping[str, str], stub: Stub) -> None:
    stub.says("propose_decision", reply({}))
    assert 0 == run(stub, "decision", "propose", TITLE, "--body", "-", env=locale, input=TITLE.encode()).returncode
    sent = stub.calls("propose_decision")[0]
    assert (TITLE, TITLE) == (sent["title"], sent["body"])


def test_a_locale_that_lacks_a_character_gets_it_escaped(stub: Stub) -> None:
    stub.says("get_decision", reply({"address": "D1", "title": TITLE, "body": "x"}))
    latin = {"PYTHONIOENCODING": "latin-1"}
    assert rb"D1  \u8acb" in run(stub, "decision", "show", "D1", env=latin).stdout
    assert rb'"title": "\u8acb' in run(stub, "decision", "show", "D1", "--json", env=latin).stdout


def test_a_reader_that_leaves_early_is_no_fault(stub: Stub) -> None:
    stub.says("list_decisions", reply(DECISIONS))
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "decision", "list"],
        env=environment(stub),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        process.stdout.close()
        assert (b"", 1) == (process.stderr.read(), process.wait(60))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("decisions", [1, 2_999])
def test_output_that_finds_no_room_is_one_line(decisions: int, stub: Stub) -> None:
    stub.says("list_decisions", reply({**DECISIONS, "decisions": DECISIONS["decisions"][:decisions]}))  # type: ignore[index]
    with Path("/dev/full").open("wb") as full:
        done = run(stub, "decision", "list", stdout=full)
    assert (1, b"smeldr-cli: io: No space left on device\n") == (done.returncode, done.stderr)


def test_closed_streams_are_no_fault(stub: Stub) -> None:
    stub.says("whoami", reply({}))
    line = f'"{sys.executable}" -c "$PROGRAM" whoami'
    env = environment(stub, PROGRAM=PROGRAM)
    for closed in (">&-", "2>&-", "<&-", "<&- >&- 2>&-"):
        done = subprocess.run(["sh", "-c", f"{line} {closed}"], env=env, capture_output=True, check=False, timeout=60)
        assert (0, b"") == (done.returncode, done.stderr), closed


@pytest.mark.skipif(os.name != "posix", reason="signals are sent in another way there")
def test_ctrl_c_is_one_line_and_130(stub: Stub) -> None:
    stub.says("whoami", reply({}))
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "whoami"],
        env=environment(stub),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        stub.before_answering = lambda: process.send_signal(signal.SIGINT)
        stub.says("whoami", Answer(b"", None))
        out, err = process.communicate(timeout=60)
    assert (130, b"") == (process.returncode, out)
    assert err.strip().splitlines()[-1] == b"smeldr-cli: interrupted: stopped"
    assert b"Traceback" not in err


def test_bytes_that_are_no_text_are_refused_and_not_sent_wrongly(stub: Stub) -> None:
    stub.says("propose_decision", refusal("validation_failed", "title: half of a surrogate pair", 422))
    done = subprocess.run(
        [os.fsencode(sys.executable), b"-c", PROGRAM.encode(), b"decision", b"propose", b"\xff", b"--body", b"B"],
        env=environment(stub),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (1, b"") == (done.returncode, done.stdout)
    assert b"Traceback" not in done.stderr


def test_a_fault_of_the_command_itself_is_one_line(stub: Stub) -> None:
    stub.says("get_rest_counts", reply({"rests_on_this": 1}))
    done = run(stub, "count", "D1")
    assert 1 == done.returncode
    assert done.stderr.startswith(b"smeldr-cli: internal: ")
    assert 1 == done.stderr.count(b"\n")


def test_every_code_of_a_command_is_in_the_errors_page() -> None:
    page = (Path(__file__).parents[3] / "docs" / "errors.md").read_text(encoding="utf-8")
    assert [] == [code for code in LOCAL_CODES if f"| `{code}` | " not in page]
