"""The life of a real `smeldr serve` in processes of its own: started, killed, started again on the same address."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import httpx2

ROOT: Final = Path(__file__).resolve().parents[2]
WITHIN: Final = 90.0
"""Seconds for the server to answer; reached only when something is wrong."""


class Server:
    """One address, behind which servers come and go."""

    def __init__(self, database: str, log: Path) -> None:
        self._database = database
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._born = 0
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}"

    def start(self, workers: int = 1, settings: Mapping[str, str] | None = None) -> None:
        """Start a server and wait until it is ready.

        One that finds the address taken, by what is left of the one before, is started again.
        """
        command = ["serve", "--database", self._database, "--port", str(self._port), "--workers", str(workers)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **(settings or {})}
        until = time.monotonic() + WITHIN
        while True:
            with self._log.open("ab") as log:
                self._born = log.tell()
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "smeldr", *command],
                    cwd=ROOT,
                    env=environment,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            while self._process.poll() is None and time.monotonic() < until:
                if self.ready():
                    return
                time.sleep(0.05)
            if time.monotonic() > until:
                raise RuntimeError(f"the server does not start; {self._log} says why")

    def ready(self) -> bool:
        """Whether the server says that it is ready."""
        with suppress(httpx2.TransportError):
            return httpx2.get(f"{self.url}/ready", timeout=WITHIN).status_code == 200
        return False

    def wait_until_ready(self) -> float:
        """Wait until the server is ready by itself, and give the seconds that it took."""
        began = time.monotonic()
        while not self.ready():
            if time.monotonic() - began > WITHIN:
                raise RuntimeError(f"the server does not answer again within {WITHIN:.0f} s")
            time.sleep(0.05)
        return time.monotonic() - began

    def kill(self) -> None:
        """Kill the process that was started, and nothing else."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def kill_a_worker(self, chance: random.Random) -> None:
        """Kill one of the processes that serve; the one that started it sees to another."""
        with suppress(ProcessLookupError):
            os.kill(chance.choice(self._workers()), signal.SIGKILL)

    def kill_all(self) -> None:
        """Kill the process that was started, if there is one, and every one that it started, at once."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def _workers(self) -> list[int]:
        """The processes that serve, without the one that started them when there are several."""
        with self._log.open(encoding="utf-8", errors="replace") as log:
            log.seek(self._born)
            started = [int(each) for each in re.findall(r"Started server process \[(\d+)\]", log.read())]
        return [each for each in started if _lives(each)]


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
