"""The servers that are called over HTTP, each in a process of its own: the register, and two that answer a constant.

`python -m benchmarks.servers register FILE`, `... constant` or `... sdk`; the last two read on standard input what they
are to answer. Each says on which port it listens. They run under the same server with the same options.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from benchmarks.building import url
from smeldr.doors.app import build_app
from smeldr.settings import Settings
from smeldr.wiring import open_register


@contextmanager
def running(*which: str | Path, answer: dict[str, Any] | None = None) -> Iterator[int]:
    """One of the servers, in a process; gives its port."""
    process = subprocess.Popen(
        [sys.executable, "-m", __name__, *which], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(answer) + "\n")
        process.stdin.flush()
        yield int(process.stdout.readline())
    finally:
        process.terminate()
        process.communicate()


def _constant(answer: dict[str, Any]) -> ASGIApp:
    """Starlette, reading the arguments and answering the same whatever they are."""

    async def tool(request: Request) -> JSONResponse:
        await request.json()
        return JSONResponse(answer)

    return Starlette(routes=[Route("/api/tools/{name}", tool, methods=["POST"])])


def _sdk(answer: dict[str, Any]) -> ASGIApp:
    """The MCP SDK, stateless and in JSON, serving one tool that answers the same whatever it is given."""
    text = types.TextContent(type="text", text=json.dumps(answer, ensure_ascii=False))
    result = types.CallToolResult(content=[text], structured_content=answer)
    tool = types.Tool(name="get_decision", input_schema={"type": "object"})

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool])

    async def call_tool(_: Any, __: Any) -> types.CallToolResult:
        return result

    server: Server[Any] = Server("constant", on_list_tools=list_tools, on_call_tool=call_tool)
    manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            yield

    return Starlette(routes=[Route("/mcp", StreamableHTTPASGIApp(manager))], lifespan=lifespan)


def _main(which: str, *rest: str) -> None:
    answer = json.loads(sys.stdin.readline())
    settings = Settings(database=url(Path(rest[0]))) if rest else Settings()
    apps: dict[str, Callable[[], ASGIApp]] = {
        "register": lambda: build_app(open_register(settings), settings),
        "constant": lambda: _constant(answer),
        "sdk": lambda: _sdk(answer),
    }
    config = uvicorn.Config(apps[which](), access_log=False, log_level="error", lifespan="on", ws="none")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    _main(*sys.argv[1:])
