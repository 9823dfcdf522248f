"""A Decision is a resource: `smeldr://decision/D1` reads as what `get_decision` answers.

The list of resources is what `list_decisions` shows the caller, page by page. Places, Amendments and Signals are not
resources: a tool answers for them. A refusal is a JSON-RPC error here, since a resource has no result to carry it; its
data holds the error in its one shape.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import unquote

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.requests import Request

from smeldr.doors.calling import Calls
from smeldr.model.errors import Refusal, not_found

Context = ServerRequestContext[Any, Request]

PAGE: Final = 50
"""Decisions in one page of the list."""

TEMPLATE: Final = "smeldr://decision/{address}"
_URI: Final = re.compile(r"smeldr://decision/([^/?#]+)")
_MIME: Final = "application/json"
_NOT_FOUND_BY_HANDSHAKE: Final = -32002
"""What the protocol versions that begin with a handshake call a resource that is not there; later ones say -32602."""


class Resources:
    """The three requests about resources."""

    def __init__(self, calls: Calls, credential: Callable[[Context], str | None]) -> None:
        self._calls = calls
        self._credential = credential

    async def templates(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
        """Say how a Decision's URI is made."""
        template = types.ResourceTemplate(
            uri_template=TEMPLATE,
            name="decision",
            title="Decision",
            description="One Decision by its address, as get_decision answers it",
            mime_type=_MIME,
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def list(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        """List the Decisions that the caller may read, by address; the cursor is the last address of a page."""
        arguments: dict[str, Any] = {"limit": PAGE}
        if params is not None and params.cursor is not None:
            arguments["after"] = params.cursor
        try:
            page = (await self._calls.call("list_decisions", arguments, self._credential(context)))["decisions"]
        except Refusal as refusal:
            raise _error(refusal, context, {}) from None
        more = page[-1]["address"] if len(page) == PAGE else None
        return types.ListResourcesResult(resources=[_resource(each) for each in page], next_cursor=more)

    async def read(self, context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """Read one Decision."""
        uri = str(params.uri)
        found = _URI.fullmatch(uri)
        try:
            if found is None:
                raise not_found(uri[:200])
            decision = await self._calls.call("get_decision", {"id": unquote(found[1])}, self._credential(context))
        except Refusal as refusal:
            raise _error(refusal, context, {"uri": uri[:2_000]}) from None
        content = types.TextResourceContents(
            uri=params.uri, mime_type=_MIME, text=json.dumps(decision, ensure_ascii=False)
        )
        return types.ReadResourceResult(contents=[content])


def _resource(decision: dict[str, Any]) -> types.Resource:
    address = decision["address"]
    return types.Resource(
        uri=TEMPLATE.format(address=address),
        name=address,
        title=decision["title"],
        description=f"{decision['state']}, in {decision['place']}",
        mime_type=_MIME,
    )


def _error(refusal: Refusal, context: Context, data: dict[str, Any]) -> MCPError:
    code = {
        "not_found": types.INVALID_PARAMS,
        "validation_failed": types.INVALID_PARAMS,
        "internal": types.INTERNAL_ERROR,
        "busy": types.INTERNAL_ERROR,
    }.get(refusal.code, types.INVALID_REQUEST)
    if refusal.code == "not_found" and context.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS:
        code = _NOT_FOUND_BY_HANDSHAKE
    return MCPError(code, refusal.message, {**data, **refusal.reply()})
