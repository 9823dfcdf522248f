"""The official MCP client gets the tools, their replies and their refusals, whatever version it speaks."""

from __future__ import annotations

import json

import anyio
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp.types import TextContent

from smeldr.operations.registry import OPERATIONS
from tests.callers import Caller
from tests.conftest import MakeCaller
from tests.doors.mcp_clients import MODES, over_http, over_stdio

pytestmark = pytest.mark.anyio
every_door_and_mode = pytest.mark.parametrize(
    "door, mode", [*(("http", mode) for mode in MODES), ("stdio", "legacy"), ("stdio", "auto")]
)


@pytest.fixture
def address(request: pytest.FixtureRequest, door: str) -> str:
    """What the door is found by: a URL, or the database."""
    return str(request.getfixturevalue("url" if door == "http" else "database"))


def connected(door: str, address: str, token: str, mode: str) -> Client:
    return (over_http if door == "http" else over_stdio)(address, token, mode)  # type: ignore[return-value]


@every_door_and_mode
async def test_it_lists_every_tool_with_its_schemas_and_hints(
    door: str, address: str, owner: Caller, mode: str
) -> None:
    async with connected(door, address, owner.token, mode) as client:
        tools = (await client.list_tools()).tools

    assert list(OPERATIONS) == [tool.name for tool in tools]
    for tool in tools:
        operation = OPERATIONS[tool.name]
        assert tool.title
        assert tool.description is not None
        assert tool.description.startswith(operation.summary)
        assert list(operation.input_schema["properties"]) == list(tool.input_schema["properties"])
        assert tool.output_schema is not None
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is not operation.changes
        assert tool.annotations.destructive_hint is operation.destructive
        assert tool.annotations.open_world_hint is False


@every_door_and_mode
async def test_a_call_answers_as_structured_content_and_as_the_same_text(
    door: str, address: str, owner: Caller, mode: str
) -> None:
    async with connected(door, address, owner.token, mode) as client:
        made = await client.call_tool("propose_decision", {"title": "Käse 🧀", "body": "Yes."})
        found = await client.call_tool("get_decision", {"id": "d1"})

    assert not made.is_error
    assert owner.call("get_decision", id="D1") == found.structured_content
    [content] = found.content
    assert isinstance(content, TextContent)
    assert found.structured_content == json.loads(content.text)
    assert "Käse 🧀" in content.text


@every_door_and_mode
async def test_a_refused_call_is_a_result_with_the_error_in_its_one_shape(
    door: str, address: str, owner: Caller, mode: str
) -> None:
    async with connected(door, address, owner.token, mode) as client:
        await client.list_tools()
        absent = await client.call_tool("get_decision", {"id": "D9"})
        odd = await client.call_tool("get_decision", {"id": "D1", "identifier": "D1"})
        unknown = await client.call_tool("nonesuch", {})

    assert owner.refused("not_found", "get_decision", id="D9").reply() == absent.structured_content
    assert (
        owner.refused("validation_failed", "get_decision", id="D1", identifier="D1").reply() == odd.structured_content
    )
    assert owner.refused("not_found", "nonesuch").reply() == unknown.structured_content
    for result in (absent, odd, unknown):
        assert result.is_error
        [content] = result.content
        assert isinstance(content, TextContent)
        assert result.structured_content == json.loads(content.text)


@every_door_and_mode
async def test_the_decisions_that_the_caller_may_read_are_resources(
    door: str, address: str, owner: Caller, caller: MakeCaller, mode: str
) -> None:
    for number in range(1, 53):
        owner.call("propose_decision", title=f"Decision {number}", body="Text.")
    nobody = caller("Nobody")

    async with connected(door, address, owner.token, mode) as client:
        first = await client.list_resources()
        second = await client.list_resources(cursor=first.next_cursor)
        template = (await client.list_resource_templates()).resource_templates[0]
        read = (await client.read_resource("smeldr://decision/D52")).contents[0]
        with pytest.raises(MCPError) as absent:
            await client.read_resource("smeldr://decision/D53")
        with pytest.raises(MCPError):
            await client.read_resource("smeldr://place/DOM1")
        version = client.protocol_version
    async with connected(door, address, nobody.token, mode) as client:
        assert [] == (await client.list_resources()).resources
        with pytest.raises(MCPError) as hidden:
            await client.read_resource("smeldr://decision/D52")

    listed = [*first.resources, *second.resources]
    assert second.next_cursor is None
    assert [f"smeldr://decision/D{number}" for number in range(1, 53)] == [str(each.uri) for each in listed]
    assert "Decision 52" == listed[-1].title
    assert "smeldr://decision/{address}" == template.uri_template
    assert owner.call("get_decision", id="D52") == json.loads(read.text)  # type: ignore[union-attr]
    for raised, who, reference in ((absent, owner, "D53"), (hidden, nobody, "D52")):
        assert (-32602 if version == "2026-07-28" else -32002) == raised.value.code
        assert who.refused("not_found", "get_decision", id=reference).reply()["error"] == raised.value.data["error"]


@pytest.mark.parametrize("mode", MODES)
async def test_two_callers_at_once_are_each_answered_as_themselves(
    url: str, owner: Caller, caller: MakeCaller, mode: str
) -> None:
    other = caller("Other", "agent")
    answers: dict[str, list[object]] = {owner.id: [], other.id: []}

    async def ask(who: Caller) -> None:
        async with over_http(url, who.token, mode) as client:
            for _ in range(10):
                answers[who.id].append((await client.call_tool("whoami")).structured_content)

    async with anyio.create_task_group() as group:
        for who in (owner, other, owner, other):
            group.start_soon(ask, who)

    for who in (owner, other):
        assert [who.call("whoami")] * 20 == answers[who.id]
