"""The servers that are called over HTTP, each in a process of its own and all with the same options.

`served_register`, `served_constant` and `served_sdk` are what they serve. Each reads on standard input what it is to
answer and says on standard output on which port it listens.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.types import ASGIApp


@contextmanager
def running(module: str, *arguments: str, answer: dict[str, Any] | None = None) -> Iterator[Callable[[], int]]:
    """One of the servers, in a process; gives what waits for its port."""
    command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    said = process.stdout
    try:
        process.stdin.write(json.dumps(answer) + "\n")
        process.stdin.flush()
        yield lambda: int(said.readline())
    finally:
        process.terminate()
        process.communicate()


def told() -> dict[str, Any]:
    """In such a process: what it is to answer."""
    answer: dict[str, Any] = json.loads(sys.stdin.readline())
    return answer


def listen(app: ASGIApp) -> None:
    """In such a process: serve until stopped, on whatever port is free."""
    config = uvicorn.Config(app, access_log=False, log_level="error", lifespan="on", ws="none")
    with socket.socket(proto=socket.IPPROTO_TCP) as listener:  # without it, answers wait for acknowledgements
        listener.bind(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        uvicorn.Server(config).run(sockets=[listener])
