"""The tools and the Decisions over MCP: what a client may ask, and how a reply and a refusal look there.

A tool is an operation, published with its schemas and hints; what is refused comes back as a result marked `isError`,
for a model sees results and can do better next time. A Decision is a resource too. Nothing here is kept between two
messages: this file builds the server, and mcp_http.py and mcp_stdio.py connect it to a caller.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from mcp import types
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from starlette.requests import Request

from smeldr import __version__
from smeldr.doors.calling import Calls, bearer
from smeldr.doors.mcp_resources import Resources
from smeldr.doors.schemas import reply_or_refusal, slim
from smeldr.model.errors import Refusal
from smeldr.operations.registry import OPERATIONS, Operation

Context = ServerRequestContext[Any, Request]

INSTRUCTIONS: Final = """\
Smeldr keeps decisions and what rests on what.
Items go by address: D1 a Decision, A1 an Amendment, SIG1 a Signal, DOM1 a Domain, ARE1 an Area.
Only a ratified Decision is in force.
A move may carry the `rev` that you read, so that nobody moves a text that has changed meanwhile.
A refused call has changed nothing; it says which parameter, right or state stands against it and what would do.
If the answer to a changing call is lost, send the call again with the same `request_key`."""
_FRESH: Final = 5 * 60 * 1000
_CACHE: Final[Mapping[CacheableMethod, CacheHint]] = {
    "server/discover": CacheHint(_FRESH, "public"),
    "tools/list": CacheHint(_FRESH, "public"),
    "resources/templates/list": CacheHint(_FRESH, "public"),
}


def build_server(calls: Calls, token: str | None = None) -> Server[Any]:
    """Make the MCP server. Over HTTP each message brings its own token; `token` is for a door that has one caller."""
    tools = types.ListToolsResult(tools=[tool(each) for each in OPERATIONS.values()])

    def credential(context: Context) -> str | None:
        return token if context.request is None else bearer(context.request.headers)

    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return tools

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            reply = await calls.call(params.name, params.arguments or {}, credential(context))
        except Refusal as refusal:
            return _result(refusal.reply(), is_error=True)
        return _result(reply, is_error=False)

    resources = Resources(calls, credential)
    return Server(
        "smeldr",
        title="Smeldr",
        version=__version__,
        description="A register of decisions for people and AI agents",
        instructions=INSTRUCTIONS,
        cache_hints=_CACHE,
        get_tool_input_schema=_input_schema,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=resources.list,
        on_list_resource_templates=resources.templates,
        on_read_resource=resources.read,
    )


def tool(operation: Operation) -> types.Tool:
    """Publish one operation."""
    return types.Tool(
        name=operation.name,
        title=operation.name.replace("_", " ").capitalize(),
        description=f"{operation.description}\n\nRight: {operation.right}.",
        input_schema=slim(operation.input_schema),
        output_schema=reply_or_refusal(operation.output_schema),
        annotations=types.ToolAnnotations(
            read_only_hint=not operation.changes,
            destructive_hint=operation.destructive,
            idempotent_hint=not operation.changes,
            open_world_hint=False,
        ),
    )


def _input_schema(name: str) -> Mapping[str, Any] | None:
    operation = OPERATIONS.get(name)
    return operation.input_schema if operation else None


def _result(reply: dict[str, Any], *, is_error: bool) -> types.CallToolResult:
    text = json.dumps(reply, ensure_ascii=False)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=reply, is_error=is_error
    )
