"""The fixed tools, resources and prompts that the conformance scenarios ask for, put beside our own.

They exist only here. What they hold is given by the scenarios, word for word; the features that the product does not
have (prompts aside, which need nothing of it) are not made up here, so that their scenarios show what is not offered.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from typing import Any, Final

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

Context = ServerRequestContext[Any, Any]
Handler = Callable[[Context, Any], Awaitable[Any]]

PNG: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV: Final = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
_TEMPLATE: Final = re.compile(r"test://template/([^/]+)/data")

_ADDRESS_SCHEMA: Final = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def _image() -> types.ImageContent:
    return types.ImageContent(type="image", data=PNG, mime_type="image/png")


def _embedded(uri: str, mime_type: str, text: str) -> types.EmbeddedResource:
    return types.EmbeddedResource(
        type="resource", resource=types.TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    )


_TOOLS: Final[dict[str, types.CallToolResult]] = {
    "test_simple_text": types.CallToolResult(content=[_text("This is a simple text response for testing.")]),
    "test_image_content": types.CallToolResult(content=[_image()]),
    "test_audio_content": types.CallToolResult(
        content=[types.AudioContent(type="audio", data=WAV, mime_type="audio/wav")]
    ),
    "test_embedded_resource": types.CallToolResult(
        content=[_embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")]
    ),
    "test_multiple_content_types": types.CallToolResult(
        content=[
            _text("Multiple content types test:"),
            _image(),
            _embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
        ]
    ),
    "test_error_handling": types.CallToolResult(
        content=[_text("This tool intentionally returns an error for testing")], is_error=True
    ),
    "json_schema_2020_12_tool": types.CallToolResult(content=[_text("read")]),
}

_PROMPTS: Final = {
    "test_simple_prompt": [],
    "test_prompt_with_arguments": ["arg1", "arg2"],
    "test_prompt_with_embedded_resource": ["resourceUri"],
    "test_prompt_with_image": [],
}


def mount(server: Server[Any]) -> None:
    """Put the fixtures in front of what the server answers already."""
    list_tools, call_tool = _handler(server, "tools/list"), _handler(server, "tools/call")
    list_resources, read_resource = _handler(server, "resources/list"), _handler(server, "resources/read")
    list_templates = _handler(server, "resources/templates/list")

    async def tools(context: Context, params: Any) -> types.ListToolsResult:
        ours = await list_tools(context, params)
        return types.ListToolsResult(tools=[*ours.tools, *(_tool(name) for name in _TOOLS)])

    async def call(context: Context, params: Any) -> types.CallToolResult:
        result: types.CallToolResult = _TOOLS.get(params.name) or await call_tool(context, params)
        return result

    async def resources(context: Context, params: Any) -> types.ListResourcesResult:
        ours = await list_resources(context, params)
        theirs = [_resource("test://static-text", "text/plain"), _resource("test://static-binary", "image/png")]
        return types.ListResourcesResult(resources=[*ours.resources, *theirs], next_cursor=ours.next_cursor)

    async def templates(context: Context, params: Any) -> types.ListResourceTemplatesResult:
        ours = await list_templates(context, params)
        template = types.ResourceTemplate(uri_template="test://template/{id}/data", name="template")
        return types.ListResourceTemplatesResult(resource_templates=[*ours.resource_templates, template])

    async def read(context: Context, params: Any) -> types.ReadResourceResult:
        found = _contents(str(params.uri))
        result: types.ReadResourceResult = (
            types.ReadResourceResult(contents=[found]) if found else await read_resource(context, params)
        )
        return result

    server.add_request_handler("tools/list", types.PaginatedRequestParams, tools)
    server.add_request_handler("tools/call", types.CallToolRequestParams, call)
    server.add_request_handler("resources/list", types.PaginatedRequestParams, resources)
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, templates)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, read)
    server.add_request_handler("prompts/list", types.PaginatedRequestParams, _prompts)
    server.add_request_handler("prompts/get", types.GetPromptRequestParams, _prompt)


def _handler(server: Server[Any], method: str) -> Handler:
    entry = server.get_request_handler(method)
    assert entry is not None, method
    return entry.handler


def _tool(name: str) -> types.Tool:
    schema = _ADDRESS_SCHEMA if name == "json_schema_2020_12_tool" else {"type": "object", "properties": {}}
    return types.Tool(name=name, description=name.replace("_", " "), input_schema=schema)


def _resource(uri: str, mime_type: str) -> types.Resource:
    return types.Resource(uri=uri, name=uri, description=uri, mime_type=mime_type)


def _contents(uri: str) -> types.TextResourceContents | types.BlobResourceContents | None:
    if uri == "test://static-text":
        text = "This is the content of the static text resource."
        return types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)
    if uri == "test://static-binary":
        return types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
    if found := _TEMPLATE.fullmatch(uri):
        text = json.dumps({"id": found[1], "templateTest": True, "data": f"Data for ID: {found[1]}"})
        return types.TextResourceContents(uri=uri, mime_type="application/json", text=text)
    return None


async def _prompts(_: Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    return types.ListPromptsResult(
        prompts=[
            types.Prompt(
                name=name,
                description=name.replace("_", " "),
                arguments=[types.PromptArgument(name=each, description=each, required=True) for each in arguments],
            )
            for name, arguments in _PROMPTS.items()
        ]
    )


async def _prompt(_: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    given = params.arguments or {}
    contents: dict[str, list[Any]] = {
        "test_simple_prompt": [_text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments": [
            _text(f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'")
        ],
        "test_prompt_with_embedded_resource": [
            _embedded(given.get("resourceUri", ""), "text/plain", "Embedded resource content for testing."),
            _text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image": [_image(), _text("Please analyze the image above.")],
    }
    if params.name not in contents:
        raise MCPError(types.INVALID_PARAMS, f"there is no prompt {params.name}")
    messages = [types.PromptMessage(role="user", content=each) for each in contents[params.name]]
    return types.GetPromptResult(messages=messages)
