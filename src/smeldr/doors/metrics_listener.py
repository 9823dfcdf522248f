"""`/metrics` on a listener of its own: for whoever can reach it, without a token.

It answers while the store does not, and in the process that starts workers, which answers nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from socket import AF_INET, AF_INET6, create_server
from threading import Thread
from typing import Final

import structlog
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from smeldr.doors.guard import Guard, allowed_names
from smeldr.doors.metrics_http import Scrape
from smeldr.doors.refusing import HANDLERS

GRACE: Final = 2
"""Seconds that an answer which is on its way at the stop is given."""

_LOG = structlog.get_logger("smeldr")


def alone(scrape: Scrape, host: str) -> Starlette:
    """An app that answers to `/metrics` alone, whoever asks. `host` is the address that it will listen on."""

    async def metrics(_: Request) -> Response:
        return await scrape.answer()

    app = Starlette(
        routes=[Route("/metrics", metrics)],
        middleware=[Middleware(Guard, names=allowed_names("", host))],
        exception_handlers=HANDLERS,
    )
    app.router.redirect_slashes = False
    return app


@contextmanager
def listening(scrape: Scrape, host: str, port: int) -> Iterator[None]:
    """Answer on a listener of its own, in a thread, while the context lasts.

    Raises:
        SystemExit: the address cannot be had.
    """
    try:
        listener = create_server((host, port), family=AF_INET6 if ":" in host else AF_INET)
    except OSError as error:
        why = error.strerror or error
        raise SystemExit(f"smeldr: SMELDR_METRICS_PORT: cannot listen on {host}:{port}: {why}") from None
    config = uvicorn.Config(
        alone(scrape, host),
        access_log=False,
        lifespan="off",
        log_config=None,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
        ws="none",
    )
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, args=([listener],), name="metrics", daemon=True)
    thread.start()
    _LOG.info(f"Metrics on http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}/metrics")
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(GRACE * 2)
