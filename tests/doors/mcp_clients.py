"""The official MCP client, connected to us in each way that it can be.

`mode` is the client's: `legacy` begins with a handshake, `auto` asks the server what it speaks, a date is that version.
"""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

MODES = ["legacy", "auto", "2026-07-28"]


@asynccontextmanager
async def over_http(url: str, token: str, mode: str) -> AsyncIterator[Client]:
    """A client of a running server."""
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@asynccontextmanager
async def over_stdio(database: str, token: str, mode: str) -> AsyncIterator[Client]:
    """A client that starts `smeldr mcp` itself."""
    environment = {**os.environ, "SMELDR_DATABASE": database, "SMELDR_TOKEN": token}
    server = StdioServerParameters(command=sys.executable, args=["-m", "smeldr", "mcp"], env=environment)
    async with Client(stdio_client(server), mode=mode) as client:
        yield client


def message(method: str, identifier: int | None = 1, **params: Any) -> dict[str, Any]:
    """A JSON-RPC request, or a notification when it has no identifier."""
    named = {} if identifier is None else {"id": identifier}
    return {"jsonrpc": "2.0", **named, "method": method, "params": params}
