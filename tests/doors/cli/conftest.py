"""The command line as tests call it: in this process, in a folder of its own, against a stub or a real server."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from smeldr.__main__ import main as smeldr_main
from smeldr.doors.cli.client import main
from tests.conftest import Fresh
from tests.doors.cli.stub import Stub, running

TOKEN = "smeldr_token-of-a-test"


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


Cli = Callable[..., Ended]
"""`cli("decision", "list", stdin=b"...")`"""

Run = Callable[..., Ended]
"""`smeldr("init", "--json", SMELDR_DATABASE="...")`"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, empty, with no setting of Smeldr in the environment."""
    where = tmp_path / "folder"
    where.mkdir()
    monkeypatch.chdir(where)
    for name in ("SMELDR_URL", "SMELDR_TOKEN", "SMELDR_DATABASE", "SMELDR_LOG_LEVEL", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return where


@pytest.fixture
def smeldr(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run `smeldr` in this process and a folder of its own, with no setting but those given."""
    assert folder.is_dir()

    def run(*words: str, **settings: str) -> Ended:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["smeldr", *words])
            for name, value in settings.items():
                patch.setenv(name, value)
            capfd.readouterr()
            code = smeldr_main()
            sys.stdout.flush()
            return Ended(code, *capfd.readouterr())

    return run


def failure(ended: Ended, code: int = 1) -> str:
    """The one line that a failed command leaves, and perhaps a hint under it."""
    assert (code, "") == (ended.code, ended.out), ended
    assert ended.err.startswith("smeldr: ")
    return ended.err.splitlines()[0]


@pytest.fixture
def command(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Cli:
    """`smeldr-cli`, with whatever settings the test makes."""
    assert folder.is_dir()

    def run(*words: str, stdin: bytes = b"") -> Ended:
        monkeypatch.setattr(sys, "argv", ["smeldr-cli", *words])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        capfd.readouterr()
        code = main()
        sys.stdout.flush()
        return Ended(code, *capfd.readouterr())

    return run


@pytest.fixture
def stub() -> Iterator[Stub]:
    with running() as started:
        yield started


@pytest.fixture
def cli(command: Cli, stub: Stub, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """`smeldr-cli` against the stub."""
    monkeypatch.setenv("SMELDR_URL", stub.url)
    monkeypatch.setenv("SMELDR_TOKEN", TOKEN)
    return command


@pytest.fixture
def owner_cli(command: Cli, url: str, fresh: Fresh, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """`smeldr-cli` against a real server, as the owner of its register."""
    monkeypatch.setenv("SMELDR_URL", url)
    monkeypatch.setenv("SMELDR_TOKEN", fresh.token)
    return command
