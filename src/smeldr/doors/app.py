"""One web app with every door that is reached over HTTP.

Each door brings its own routes; this file only puts them side by side, inside the guard. It opens no register and
listens nowhere.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route

from smeldr.doors import http, metrics_http
from smeldr.doors.calling import Calls
from smeldr.doors.guard import Guard, allowed_names
from smeldr.doors.leaving import Leaving
from smeldr.doors.mcp import build_server
from smeldr.doors.mcp_http import McpEndpoint
from smeldr.doors.metrics import Metrics
from smeldr.doors.metrics_http import Scrape
from smeldr.doors.refusing import HANDLERS
from smeldr.operations.register import Register
from smeldr.settings import Settings


def build_app(
    register: Register, settings: Settings, host: str = "127.0.0.1", metrics: Metrics | None = None
) -> Starlette:
    """Join the doors.

    `host` is the address that the server will listen on; `metrics` is what observes the register, if anything does.
    """
    calls, leaving = Calls(register), Leaving(settings.drain_seconds)
    scrape = Scrape(register, metrics or Metrics())
    mcp = McpEndpoint(calls, build_server(calls))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        with leaving.heeding():
            async with mcp.run(), scrape.noting():
                yield

    app = Starlette(
        routes=[*http.routes(calls, leaving), *metrics_http.routes(scrape), Route("/mcp", mcp)],
        middleware=[
            Middleware(leaving.closing),
            Middleware(Guard, names=allowed_names(settings.allowed_hosts, host)),
        ],
        exception_handlers=HANDLERS,
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False  # an address that is none is told so, in the one shape of an error
    return app
