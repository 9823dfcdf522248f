"""The figures of a server as it is started: of one process, and of several that answer as one."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from smeldr.doors.workers import FOLDER
from tests.conftest import Fresh
from tests.databases import ON_FILES
from tests.doors.test_metrics import Samples, samples

ROOT = Path(__file__).parents[1]
CALLS = 20
WITHIN = 60
"""Seconds; reached only when something is wrong."""


@dataclass(frozen=True)
class Server:
    """A server that was started: where its doors and its figures are, and the processes that answer."""

    process: subprocess.Popen[str]
    url: str
    metrics: str
    pids: list[int]

    def figures(self) -> Samples:
        """What the listener of the figures says."""
        return samples(httpx2.get(self.metrics, timeout=WITHIN).content)


@contextmanager
def served(database: str, workers: int) -> Iterator[Server]:
    """Serve the register, with its figures and its log as JSON; whatever was started ends in any case."""
    command = [sys.executable, "-m", "smeldr", "serve", "--database", database, "--port", "0", "--workers"]
    environment = {**os.environ, "SMELDR_METRICS_PORT": "0", "SMELDR_LOG_FORMAT": "json", "SMELDR_LOG_LEVEL": "info"}
    process = subprocess.Popen(
        [*command, str(workers)], cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        yield _started(process, workers)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _started(process: subprocess.Popen[str], workers: int) -> Server:
    """Read the log until all of them answer; each of its lines is an object."""
    said: list[str] = []
    assert process.stderr is not None
    for line in process.stderr:
        said.append(json.loads(line)["event"])
        addresses = [re.search(r"http://127\.0\.0\.1:\d+\S*", event) for event in said]
        urls = [found[0] for found in addresses if found]
        if workers == said.count("Application startup complete.") and len(urls) == 2:
            metrics, url = sorted(urls, key=lambda each: not each.endswith("/metrics"))
            pids = [re.fullmatch(r"Started server process \[(\d+)\]", event) for event in said]
            return Server(process, url, metrics, sorted({int(found[1]) for found in pids if found} - {process.pid}))
    raise AssertionError(f"it ended before it answered: {said}")


def until(reached: Callable[[], bool]) -> None:
    """Look again and again until it is so."""
    pause = threading.Event()
    for _ in range(WITHIN * 10):
        if reached():
            return
        pause.wait(0.1)
    raise AssertionError("it never came to that")


@pytest.mark.parametrize("workers", [1, 2])
def test_the_figures_are_those_of_all_processes_and_go_with_the_server(
    database: str, fresh: Fresh, workers: int
) -> None:
    headers = {"Authorization": f"Bearer {fresh.token}"}
    with served(database, workers) as server:
        for _ in range(CALLS):
            assert 200 == httpx2.post(f"{server.url}/api/tools/whoami", headers=headers, timeout=WITHIN).status_code

        for found in (server.figures(), samples(httpx2.get(f"{server.url}/metrics", headers=headers).content)):
            assert CALLS == found['smeldr_calls_total{outcome="ok",tool="whoami"}']
            assert CALLS == found['smeldr_call_duration_seconds_count{tool="whoami"}']
            assert 0 == found['smeldr_calls_total{outcome="internal",tool="whoami"}']
            assert 1 == found["smeldr_store_up"]
        until(lambda: server.figures()['smeldr_store_connections{state="idle"}'] >= workers)
        assert 0 == server.figures()["smeldr_store_connections_limit"] % workers

        folders = {_folder(pid) for pid in server.pids}
        server.process.send_signal(signal.SIGTERM)
        ended = server.process.wait(WITHIN)

    assert 0 == ended
    assert (1 if workers > 1 else 0) == len(folders)
    assert not any(folder.exists() for folder in folders)


def _folder(pid: int) -> Path:
    """The folder in which a worker counts."""
    environment = Path(f"/proc/{pid}/environ").read_text(encoding="utf-8").split("\0")
    return Path(dict(each.partition("=")[::2] for each in environment)[FOLDER])


@ON_FILES
def test_an_address_that_is_taken_is_told_in_one_line(database: str) -> None:
    with served(database, 1) as server:
        port = server.metrics.removesuffix("/metrics").rpartition(":")[2]
        command = [sys.executable, "-m", "smeldr", "serve", "--database", database, "--port", "0"]
        environment = {**os.environ, "SMELDR_METRICS_PORT": port}
        ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=WITHIN)

    assert 1 == ended.returncode
    assert ended.stderr.startswith(f"smeldr: SMELDR_METRICS_PORT: cannot listen on 127.0.0.1:{port}: ")
    assert 1 == len(ended.stderr.splitlines())
