"""MCP as one HTTP path: each POST is a message, with a token of its own, and its answer is JSON.

No sessions, no streams: a message needs no other one before it, so any server of a register answers any message. What
is refused before the message is read (no token, too large, not a POST) is refused as everywhere over HTTP; a
message that cannot be read is a JSON-RPC error. The official SDK speaks the protocol, every version of it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final

from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from smeldr.doors.body import LARGE, parse_json, read_body
from smeldr.doors.calling import Calls, bearer
from smeldr.doors.refusing import refused
from smeldr.model.errors import MAX_BODY_BYTES, Refusal, not_found

_ACCEPT: Final = "application/json, text/event-stream"


class McpEndpoint:
    """The ASGI app behind the path. It answers only inside `run`, once."""

    def __init__(self, calls: Calls, server: Server[Any]) -> None:
        self._calls = calls
        self._manager = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, max_request_body_size=MAX_BODY_BYTES
        )

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Be ready to answer while the context lasts."""
        async with self._manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            await self._calls.authenticate(bearer(request.headers))
            if request.method != "POST":
                refusal = not_found(f"{request.method} {request.url.path}")
                await refused(refusal, 405, {"Allow": "POST"})(scope, receive, send)
                return
            body = await read_body(request)
            message = await self._calls.aside(partial(parse_json, body)) if len(body) > LARGE else parse_json(body)
        except Refusal as refusal:
            await refused(refusal)(scope, receive, send)
            return
        except ValueError as error:
            await _malformed(types.PARSE_ERROR, f"Parse error: {error}")(scope, receive, send)
            return
        if not _is_message(message):
            why = "Invalid request: not one JSON-RPC 2.0 request or notification"
            await _malformed(types.INVALID_REQUEST, why)(scope, receive, send)
            return
        await self._manager.handle_request(_plain(scope), _once(body, receive), send)


def _malformed(code: int, why: str) -> JSONResponse:
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": why}}, 400)


def _is_message(message: Any) -> bool:
    """Whether it has the shape of a request or a notification; a server that asks nothing takes no responses."""
    return (
        isinstance(message, dict)
        and message.get("jsonrpc") == "2.0"
        and isinstance(message.get("method"), str)
        and type(message.get("id", 0)) in (int, str)
        and isinstance(message.get("params", {}), dict)
    )


def _plain(scope: Scope) -> Scope:
    """The same request, from a client that says that it sends and takes JSON: it sent JSON, and gets JSON."""
    changed = {**scope, "headers": list(scope["headers"])}
    headers = MutableHeaders(scope=changed)
    headers["accept"] = _ACCEPT
    headers["content-type"] = "application/json"
    return changed


def _once(body: bytes, receive: Receive) -> Receive:
    """Give the body that was read already, then whatever else comes."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay
