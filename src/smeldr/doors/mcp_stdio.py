"""MCP over standard input and output, for a client that starts the server itself: one caller, one token.

Standard output belongs to the protocol: whatever else is said goes to the log. This file reads no environment and
opens no register; who starts it does.
"""

from __future__ import annotations

import anyio
from mcp.server.stdio import stdio_server

from smeldr.doors.calling import Calls
from smeldr.doors.logs import log_to_stderr
from smeldr.doors.mcp import build_server
from smeldr.operations.register import Register


def serve_stdio(register: Register, token: str, log_level: str = "info") -> None:
    """Answer the client at the other end until it closes its end.

    Raises:
        Refusal: `unauthorized`, before anything is read, when the token is not a live one.
    """
    log_to_stderr(log_level)
    register.authenticate(token)
    anyio.run(_serve, register, token)


async def _serve(register: Register, token: str) -> None:
    server = build_server(Calls(register), token)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
