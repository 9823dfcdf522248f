"""Which names the server answers to, and the headers that every answer carries.

A page that a browser loaded from elsewhere can be made to reach a server on the reader's own machine under a name of
its choosing. So a server on a loopback address answers only to loopback names, unless it is told its names. A server on
any other address cannot know its names: until it is told, it answers to each, but not to a page from elsewhere. Who
calls is judged by the token, not here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from smeldr.model.errors import forbidden

LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
ANY: Final = "*"


def allowed_names(setting: str, bound: str) -> frozenset[str]:
    """The host names to answer to, in lower case and without ports; none at all when they are not known.

    `setting` is a list with commas between (`*` for whatever comes), `bound` the address that the server listens on.
    """
    named = frozenset(name.strip().lower().strip("[]") for name in setting.split(",") if name.strip())
    if named:
        return named | LOOPBACK
    return LOOPBACK if bound in LOOPBACK else frozenset()


class Guard:
    """ASGI middleware around the whole app: a request under a name that is not ours goes no further."""

    def __init__(self, app: ASGIApp, names: Iterable[str]) -> None:
        self._app = app
        self._names = frozenset(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if not self._welcome(Headers(scope=scope)):
            refusal = forbidden("this server does not go by that name; SMELDR_ALLOWED_HOSTS lists those it goes by")
            await JSONResponse(refusal.reply(), refusal.status)(scope, receive, _careful(send))
            return
        await self._app(scope, receive, _careful(send))

    def _welcome(self, headers: Headers) -> bool:
        host, origin = headers.get("host", ""), headers.get("origin")
        if ANY in self._names:
            return True
        if not self._names:
            return origin is None or _parts(origin).netloc.lower() == host.lower() != ""
        return _parts(f"//{host}").hostname in self._names and (
            origin is None or _parts(origin).hostname in self._names
        )


def _parts(address: str) -> SplitResult:
    """The parts of an address; empty ones when it is none."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def _careful(send: Send) -> Send:
    """Tell browsers and proxies to keep, guess and leak nothing, where the answer itself says nothing about it."""

    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("cache-control", "no-store")
            headers.setdefault("referrer-policy", "no-referrer")
            headers.setdefault("x-content-type-options", "nosniff")
        await send(message)

    return with_headers
