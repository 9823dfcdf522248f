"""The bare MCP SDK, stateless and in JSON as the register has it, with one tool that always answers the same."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Route

from benchmarks import servers


def build_app(answer: dict[str, Any]) -> Starlette:
    """One path, as the register's."""
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


if __name__ == "__main__":
    servers.listen(build_app(servers.told()))
