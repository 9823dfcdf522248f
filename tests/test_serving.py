"""A server that is told to stop answers what it has begun, and ends with 0."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn

from smeldr.serving import listener_of
from tests.servers import ROOT, Server, environment, started, until

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
WORKERS = SERVED.replace("0)", '0, workers=2, factory="tests.doors.stubs:worker")')
TOKEN = {"Authorization": "Bearer live"}
FOR_EVER = {"SMELDR_DRAIN_SECONDS": "3600"}


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def ready(server: Server) -> httpx2.Response:
    return httpx2.get(f"{server.url}/ready", trust_env=False)


def leaves(server: Server) -> bool:
    return ready(server).status_code == 503


def gone(server: Server) -> bool:
    try:
        httpx2.get(f"{server.url}/health", trust_env=False)
    except httpx2.ConnectError:
        return True
    except httpx2.TransportError:  # one that is about to end breaks off
        return False
    return False


def echo(server: Server) -> httpx2.Response:
    return httpx2.post(f"{server.url}/api/tools/echo", json={"a": 1}, headers=TOKEN, trust_env=False)


def test_a_call_that_runs_at_the_stop_is_answered() -> None:
    with started(python(STOPPED_BY_ITS_OWN_CALL), environment=environment()) as [server]:
        answer = echo(server)
        ended = server.process.wait(30)

    assert {"echo": {"a": 1}} == answer.json()
    assert 0 == ended


@pytest.mark.parametrize("settings", [{}, {"ENABLE_STRUCTURAL_SWEEP": "1", "STRUCTURAL_SWEEP_SCHEDULE": "0 0 1 1 *"}])
def test_a_server_ends_with_0_when_it_is_told_to_stop(settings: dict[str, str]) -> None:
    with started(python(SERVED), environment=environment(**settings)) as [server]:
        assert 200 == ready(server).status_code
        assert 0 == server.told(signal.SIGTERM)


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_leaves_says_so_and_goes_on_answering_until_it_is_told_again(second: signal.Signals) -> None:
    with started(python(SERVED), environment=environment(**FOR_EVER)) as [server]:
        before = echo(server)
        server.process.send_signal(signal.SIGTERM)
        until(lambda: leaves(server))
        told, answer = ready(server), echo(server)
        alive = httpx2.get(f"{server.url}/health", trust_env=False)
        ended = server.told(second)

    assert {"error": {"code": "busy", "message": "this server is leaving"}} == told.json()
    assert {"echo": {"a": 1}} == answer.json()
    assert 200 == alive.status_code
    assert (None, "close") == (before.headers.get("connection"), answer.headers.get("connection"))
    assert 0 == ended


def test_a_server_that_is_stopped_from_the_keyboard_does_not_wait() -> None:
    with started(python(SERVED), environment=environment(**FOR_EVER)) as [server]:
        assert 200 == ready(server).status_code
        assert 0 == server.told(signal.SIGINT)


def test_workers_wait_when_the_signal_comes_to_all_of_them_and_no_longer_when_the_first_hears_another() -> None:
    with started(python(WORKERS), environment=environment(**FOR_EVER)) as [server]:
        server.says("startup complete", times=2)
        os.killpg(server.process.pid, signal.SIGTERM)
        server.says("Terminated child", times=2)
        until(lambda: leaves(server))
        answers = [echo(server).json() for _ in range(4)]
        ended = server.told(signal.SIGTERM)

    assert [{"echo": {"a": 1}}] * 4 == answers
    assert 0 == ended


def test_workers_stopped_as_from_the_keyboard_let_nobody_in_at_once_and_answer_their_last_calls(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    answers: list[Any] = []

    def wait() -> None:
        answer = httpx2.post(f"{server.url}/api/tools/wait", json={"pipe": str(pipe)}, headers=TOKEN, timeout=60)
        answers.append(answer.json())

    with started(python(WORKERS), environment=environment(**FOR_EVER)) as [server]:
        server.says("startup complete", times=2)
        caller = threading.Thread(target=wait)
        caller.start()
        with pipe.open("w") as other_end:  # opens when the call does
            server.process.send_signal(signal.SIGINT)
            until(lambda: gone(server))
            other_end.write("whole")
        ended = server.process.wait(60)
        caller.join()

    assert [{"read": "whole"}] == answers
    assert 0 == ended


def test_workers_end_when_the_process_that_started_them_is_killed() -> None:
    with started(python(WORKERS), environment=environment()) as [server]:
        server.says("startup complete", times=2)
        server.process.kill()
        until(lambda: gone(server))


def test_a_schedule_that_is_none_is_refused_at_the_start_in_one_line() -> None:
    sweeping = {"ENABLE_STRUCTURAL_SWEEP": "1", "STRUCTURAL_SWEEP_SCHEDULE": "every hour"}

    ended = subprocess.run(
        python(SERVED), cwd=ROOT, env=environment(**sweeping), capture_output=True, text=True, check=False
    )

    assert 1 == ended.returncode
    [line] = ended.stderr.splitlines()
    assert line.startswith("smeldr: STRUCTURAL_SWEEP_SCHEDULE: 'every hour' is no schedule")


def test_workers_send_an_answer_at_once() -> None:
    with listener_of(uvicorn.Config("nothing", port=0)) as listener:
        listener.listen()
        with socket.create_connection(listener.getsockname()), listener.accept()[0] as accepted:
            assert 1 == accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
