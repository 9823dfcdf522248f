"""MCP over standard input and output, for a client that starts the server itself: one caller, one token.

Standard output belongs to the protocol: whatever else is said goes to the log. What was asked before the input ended is
answered still, so that calls can be piped in. This file reads no environment and opens no register; who starts it does.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Final, Self

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from pydantic import ValidationError

from smeldr.doors.calling import Calls
from smeldr.doors.logs import log_to_stderr
from smeldr.doors.mcp import build_server
from smeldr.operations.register import Register

GRACE: Final = 30
"""Seconds that what was asked is given to be answered when the input has ended."""


def serve_stdio(register: Register, token: str, log_level: str = "info", log_format: str = "text") -> None:
    """Answer the client at the other end until it closes its end.

    Raises:
        Refusal: `unauthorized`, before anything is read, when the token is not a live one.
    """
    log_to_stderr(log_level, log_format)
    register.authenticate(token)
    anyio.run(_serve, register, token)


async def _serve(register: Register, token: str) -> None:
    server = build_server(Calls(register), token)
    async with stdio_server() as (incoming, outgoing):
        asked = _Asked()
        told = _Outgoing(outgoing, asked)
        await server.run(_Incoming(incoming, told, asked), told, server.create_initialization_options())


class _Asked:
    """The requests that wait for their answer."""

    def __init__(self) -> None:
        self._open: set[int | str] = set()
        self._changed = anyio.Event()

    def note(self, message: Any) -> None:
        """Take note of a request, of its answer, or that its answer is not wanted any more."""
        if isinstance(message, JSONRPCRequest):
            self._open.add(message.id)
        elif isinstance(message, JSONRPCResponse | JSONRPCError):
            self._settle(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._settle((message.params or {}).get("requestId"))

    async def settled(self) -> None:
        """Wait until none is open, for a while."""
        with anyio.move_on_after(GRACE):
            while self._open:
                self._changed = anyio.Event()
                await self._changed.wait()

    def _settle(self, identifier: Any) -> None:
        self._open.discard(identifier)
        self._changed.set()


class _Closing:
    """A stream that closes with its context."""

    async def aclose(self) -> None:
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class _Outgoing(_Closing):
    """What the client is told."""

    def __init__(self, inner: Any, asked: _Asked) -> None:
        self._inner = inner
        self._asked = asked

    async def send(self, item: SessionMessage) -> None:
        await self._inner.send(item)
        self._asked.note(item.message)

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Incoming(_Closing):
    """What the client says; the end is told only when its requests are answered.

    A line that is no message is answered here, since nobody behind this does.
    """

    def __init__(self, inner: Any, told: _Outgoing, asked: _Asked) -> None:
        self._inner = inner
        self._told = told
        self._asked = asked

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def receive(self) -> SessionMessage:
        while True:
            try:
                said: SessionMessage | Exception = await self._inner.receive()
            except anyio.EndOfStream:
                await self._asked.settled()
                raise
            if isinstance(said, SessionMessage):
                self._asked.note(said.message)
                return said
            await self._told.send(SessionMessage(_malformed(said)))

    async def aclose(self) -> None:
        await self._inner.aclose()


def _malformed(problem: Exception) -> JSONRPCError:
    unreadable = not isinstance(problem, ValidationError) or problem.errors()[0]["type"] == "json_invalid"
    error = (
        ErrorData(code=PARSE_ERROR, message="Parse error: not a line of JSON")
        if unreadable
        else ErrorData(code=INVALID_REQUEST, message="Invalid request: not one JSON-RPC 2.0 message")
    )
    return JSONRPCError(jsonrpc="2.0", id=None, error=error)
