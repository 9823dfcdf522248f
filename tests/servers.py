"""Servers in processes of their own, as whoever runs them starts them, and the register as it is behind them.

What they serve, and what becomes of them, is up to the test.
"""

from __future__ import annotations

import itertools
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Final, cast

import httpx2

from smeldr.model.errors import Refusal
from smeldr.operations.register import Register

ROOT: Final = Path(__file__).parents[1]
WITHIN: Final = 120
"""Seconds; reached only when something is wrong."""


class Server:
    """A process with the workers that it starts; what they say is in `log`, line by line."""

    def __init__(self, command: list[str], environment: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        self.log: list[str] = []
        self._said = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def url(self) -> str:
        """Where it listens, once somebody answers there, which with workers is after the address is known."""
        [url] = self.says(r"(http://127\.0\.0\.1:\d+)")
        self.says("startup complete")
        return url

    @cached_property
    def remote(self) -> Remote:
        """The register behind it."""
        return Remote(self.url)

    def says(self, what: str, times: int = 1) -> list[str]:
        """Wait until that is in the log so many times, and give what was found; of a pattern with a group, that."""
        found: list[str] = []

        def said() -> bool:
            found[:] = re.findall(what, "".join(self.log))
            return len(found) >= times or not self._reader.is_alive()

        with self._said:
            self._said.wait_for(said, WITHIN)
        assert len(found) >= times, f"never said {what}: {''.join(self.log)}"
        return found

    def told(self, number: signal.Signals) -> int:
        """Send it a signal, and give the code that it ends with."""
        self.process.send_signal(number)
        return self.process.wait(WITHIN)

    def remove(self) -> None:
        """End it and its workers in any case."""
        if "remote" in vars(self):
            self.remote.client.close()
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._reader.join()
        assert self.process.stderr is not None
        self.process.stderr.close()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._said:
                self.log.append(line)
                self._said.notify_all()


class Remote:
    """The register behind a server, called as a `Register` is."""

    def __init__(self, url: str) -> None:
        limits = httpx2.Limits(max_connections=None)
        self.client = httpx2.Client(base_url=url, timeout=WITHIN, limits=limits, trust_env=False)

    def call(self, name: str, arguments: Mapping[str, Any], token: str | None) -> dict[str, Any]:
        """Call an operation. Raises Refusal when the server answers with one."""
        answer = self.client.post(
            f"/api/tools/{name}", json=dict(arguments), headers={"Authorization": f"Bearer {token}"}
        )
        reply: dict[str, Any] = answer.json()
        if "error" in reply:
            raise Refusal(**reply["error"])
        return reply

    def ready(self) -> bool:
        """Whether it says that it is ready."""
        try:
            return self.client.get("/ready").status_code == 200
        except httpx2.TransportError:
            return False


class Balanced:
    """Several servers as one: a call goes to the next of them that says that it is ready, and is made once."""

    def __init__(self, *remotes: Remote) -> None:
        self._remotes = remotes
        self._turn = itertools.cycle(remotes)

    def call(self, name: str, arguments: Mapping[str, Any], token: str | None) -> dict[str, Any]:
        """Call an operation at one of them. Raises Refusal when it answers with one."""
        while not (remote := next(self._turn)).ready():
            assert any(each.ready() for each in self._remotes), "no server is ready"
        return remote.call(name, arguments, token)


@contextmanager
def started(*commands: list[str], environment: Mapping[str, str]) -> Iterator[list[Server]]:
    """Processes that run these commands, all at once."""
    servers = [Server(command, environment) for command in commands]
    try:
        yield servers
    finally:
        for server in servers:
            server.remove()


def smeldr(*words: str) -> list[str]:
    """`smeldr serve` on a free port."""
    return [sys.executable, "-m", "smeldr", "serve", "--port", "0", *words]


def environment(**settings: str) -> dict[str, str]:
    """This process's environment with these settings and no others."""
    ours = ("SMELDR_", "ENABLE_STRUCTURAL", "STRUCTURAL_SWEEP", "ALLOW_AGENT")
    return {**{name: value for name, value in os.environ.items() if not name.startswith(ours)}, **settings}


def as_register(remote: Remote | Balanced) -> Register:
    """For whoever wants a register and calls nothing but `call`."""
    return cast(Register, remote)


def until(holds: Callable[[], bool]) -> None:
    """Look again and again until it holds."""
    pause = threading.Event()
    for _ in range(WITHIN * 20):
        if holds():
            return
        pause.wait(0.05)
    raise AssertionError("it never came to hold")
