"""A server that is told to stop answers what it has begun, and ends with 0."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import httpx2
import pytest
import uvicorn

from smeldr.serving import listener_of
from tests.conftest import Fresh
from tests.databases import ON_FILES

ROOT = Path(__file__).parents[1]
STOPPED_BY_ITS_OWN_CALL = """
import os, signal
from smeldr.serving import serve
from smeldr.settings import Settings
from tests.doors.stubs import StubRegister

class Stopped(StubRegister):
    def call(self, name, arguments, token):
        os.kill(os.getpid(), signal.SIGTERM)
        return super().call(name, arguments, token)

serve(Stopped(), Settings(), "127.0.0.1", 0)
"""
SERVED = """
from smeldr.serving import serve
from smeldr.settings import Settings
from tests.doors.stubs import StubRegister
serve(StubRegister(), Settings(), "127.0.0.1", 0)
"""


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


@contextmanager
def started(command: list[str], environment: Mapping[str, str]) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process that runs the command, and the URL that it says it listens on; it and its workers end in any case."""
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert process.stderr is not None
        yield process, _listens_on(process.stderr)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _listens_on(log: IO[str]) -> str:
    """Read the log until somebody answers, which with workers is after the address is known."""
    url, answers = None, False
    for line in log:
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        url = found[0] if found else url
        answers = answers or "startup complete" in line
        if url and answers:
            return url
    raise AssertionError("it ended before it listened")


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Mapping[str, str]:
    for name in ("ENABLE_STRUCTURAL_SWEEP", "STRUCTURAL_SWEEP_SCHEDULE", "SMELDR_LOG_LEVEL"):
        monkeypatch.delenv(name, raising=False)
    return dict(os.environ)


def test_a_call_that_runs_at_the_stop_is_answered(environment: Mapping[str, str]) -> None:
    with started(python(STOPPED_BY_ITS_OWN_CALL), environment) as (process, url):
        answer = httpx2.post(f"{url}/api/tools/echo", json={"a": 1}, headers={"Authorization": "Bearer live"})
        ended = process.wait(30)

    assert {"echo": {"a": 1}} == answer.json()
    assert 0 == ended


@pytest.mark.parametrize("schedule", [None, "0 0 1 1 *"])
def test_a_server_ends_with_0_when_it_is_told_to_stop(environment: Mapping[str, str], schedule: str | None) -> None:
    sweeping = {"ENABLE_STRUCTURAL_SWEEP": "1", "STRUCTURAL_SWEEP_SCHEDULE": schedule} if schedule else {}

    with started(python(SERVED), {**environment, **sweeping}) as (process, url):
        assert 200 == httpx2.get(f"{url}/health").status_code
        process.send_signal(signal.SIGTERM)

        assert 0 == process.wait(30)


def test_a_schedule_that_is_none_is_refused_at_the_start_in_one_line(environment: Mapping[str, str]) -> None:
    sweeping = {"ENABLE_STRUCTURAL_SWEEP": "1", "STRUCTURAL_SWEEP_SCHEDULE": "every hour"}

    ended = subprocess.run(python(SERVED), cwd=ROOT, env={**environment, **sweeping}, capture_output=True, text=True)

    assert 1 == ended.returncode
    [line] = ended.stderr.splitlines()
    assert line.startswith("smeldr: STRUCTURAL_SWEEP_SCHEDULE: 'every hour' is no schedule")


def test_workers_send_an_answer_at_once() -> None:
    with listener_of(uvicorn.Config("nothing", port=0)) as listener:
        listener.listen()
        with socket.create_connection(listener.getsockname()), listener.accept()[0] as accepted:
            assert 1 == accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_several_workers_serve_the_register_that_was_named(database: str, fresh: Fresh) -> None:
    environment = {**os.environ, "SMELDR_DATABASE": "sqlite:///nonesuch.db"}
    command = [sys.executable, "-m", "smeldr", "serve", "--database", database, "--port", "0", "--workers", "2"]

    with started(command, environment) as (process, url):
        answer = httpx2.post(f"{url}/api/tools/whoami", headers={"Authorization": f"Bearer {fresh.token}"}, timeout=60)
        process.send_signal(signal.SIGTERM)
        ended = process.wait(60)

    assert fresh.owner_id == answer.json()["principal"]["id"]
    assert 0 == ended


@ON_FILES
def test_workers_end_when_the_server_that_started_them_is_killed(database: str) -> None:
    command = [sys.executable, "-m", "smeldr", "serve", "--database", database, "--port", "0", "--workers", "2"]

    with started(command, os.environ) as (process, url):
        process.kill()
        process.wait()
        while _answers(url):
            pass


def _answers(url: str) -> bool:
    """Whether anybody has the address: one that is about to end may break off."""
    try:
        httpx2.get(f"{url}/health", timeout=60)
    except httpx2.ConnectError:
        return False
    except httpx2.TransportError:
        return True
    return True
