"""A real server on a free port, in a thread, for as long as a test needs it.

It is stopped as a signal would stop it. What it serves is up to the test.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.types import ASGIApp

STARTED_WITHIN = 30
"""Seconds; reached only when something is wrong."""


class _Server(uvicorn.Server):
    """Says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listens = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listens.set()


@contextmanager
def serving(app: ASGIApp, **options: Any) -> Iterator[str]:
    """Serve the app and give its URL."""
    server = _Server(uvicorn.Config(app, log_level="critical", lifespan="on", ws="none", **options))
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            assert server.listens.wait(STARTED_WITHIN), "the server did not start"
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(STARTED_WITHIN)
