"""One script of calls, through every door: the same replies and the same refusals.

Each door gets a fresh register of its own and plays the script from its start. What a register numbers by itself (ids
and instants) is numbered anew in the order in which it shows up, so that two transcripts can be laid side by side.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client import Client

from smeldr.doors.app import build_app
from smeldr.model.errors import Refusal
from smeldr.settings import Settings
from tests.callers import Caller
from tests.doors.mcp_clients import over_http, over_stdio
from tests.doors.serving import serving

Reply = dict[str, Any]
Arguments = Reply | Callable[[list[Reply]], Reply]
"""The arguments of a call, or what makes them from the replies so far."""


def relation_of(past: list[Reply]) -> str:
    return str(next(reply["relation"]["id"] for reply in past if "relation" in reply))


SCRIPT: list[tuple[str, Arguments]] = [
    ("whoami", {}),
    ("create_domain", {"name": "Shop"}),
    ("create_area", {"domain": "DOM1", "name": "Billing"}),
    ("propose_decision", {"title": "Invoices stay \N{GRINNING FACE}", "body": "Line\r\nline.", "place": "ARE1"}),
    ("propose_decision", {"title": "Corrected by credit note", "body": "So.", "place": "are1", "grounded_in": ["D1"]}),
    ("ratify_decision", {"decision": "D1", "rev": 1}),
    ("ratify_decision", {"decision": "D2", "rev": 7}),
    ("ratify_decision", {"decision": "D2"}),
    ("ratify_decision", {"decision": "D2"}),
    ("ratify_decision", {"decision": "D9"}),
    ("ratify_decision", {"decision": "A1"}),
    ("ratify_decision", {"decisions": "D1"}),
    ("ratify_decision", {}),
    ("retire_decision", {"decision": "D1", "reason": ""}),
    ("retire_decision", {"decision": "D1", "reason": "Gone.", "request_key": "k" * 65}),
    ("retire_decision", {"decision": "D1", "reason": "Gone.", "request_key": "once"}),
    ("retire_decision", {"decision": "D1", "reason": "Gone.", "request_key": "once"}),
    ("retire_decision", {"decision": "D2", "reason": "Gone.", "request_key": "once"}),
    ("list_signals", {"receiver": "ratify"}),
    ("list_signals", {"state": "ajar"}),
    ("confirm_premise", {"condition": "SIG1", "reason": "Still holds."}),
    ("propose_decision", {"title": "A third", "body": "Text."}),
    ("assert_relation", {"source_type": "Decision", "source_id": "D3", "relation_kind": "contradicts",
                         "target_type": "Decision", "target_id": "D2"}),
    ("withdraw_relation", lambda past: {"id": relation_of(past), "rev": 9, "reason": "No."}),
    ("withdraw_relation", lambda past: {"id": relation_of(past), "rev": 1, "reason": "No."}),
    ("get_decision", {"id": "D2"}),
    ("list_decisions", {"limit": 2}),
    ("list_decisions", {"limit": 0}),
    ("list_decisions", {"limit": "2"}),
    ("list_decisions", {"limit": True}),
    ("list_decisions", {"limit": 2.5}),
    ("get_rest_counts", {"type": "Decision", "id": "D1"}),
    ("get_reachability", {"type_name": "Decision", "id": "D1", "kind": "grounded_in", "direction": "incoming"}),
    ("list_rest_counts", {"items": [{"type": "Decision", "id": "D1"}, {"type": "Decision", "id": "D99"}]}),
    ("list_rest_counts", {"items": []}),
    ("list_places", {}),
    ("create_principal", {"name": "Bot", "class": "agent"}),
    ("nonesuch", {"a": 1}),
]  # fmt: skip


async def through_the_register(_: str, owner: Caller) -> list[Reply]:
    replies: list[Reply] = []
    for tool, arguments in SCRIPT:
        try:
            replies.append(owner.call(tool, **_made(arguments, replies)))
        except Refusal as refusal:
            replies.append(refusal.reply())
    return replies


async def through_http(_: str, owner: Caller) -> list[Reply]:
    replies: list[Reply] = []
    with serving(build_app(owner.register, Settings())) as url:
        async with httpx2.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {owner.token}"}) as http:
            for tool, arguments in SCRIPT:
                replies.append((await http.post(f"/api/tools/{tool}", json=_made(arguments, replies))).json())
    return replies


async def _through_mcp(client: Client) -> list[Reply]:
    replies: list[Reply] = []
    await client.list_tools()
    for tool, arguments in SCRIPT:
        result = await client.call_tool(tool, _made(arguments, replies))
        assert result.structured_content is not None
        assert result.is_error is ("error" in result.structured_content)
        replies.append(result.structured_content)
    return replies


def through_mcp_over_http(mode: str) -> Any:
    async def door(_: str, owner: Caller) -> list[Reply]:
        with serving(build_app(owner.register, Settings())) as url:
            async with over_http(url, owner.token, mode) as client:
                return await _through_mcp(client)

    return door


def through_mcp_over_stdio(mode: str) -> Any:
    async def door(database: str, owner: Caller) -> list[Reply]:
        async with over_stdio(database, owner.token, mode) as client:
            return await _through_mcp(client)

    return door


async def through_the_command_line(_: str, owner: Caller) -> list[Reply]:
    """`smeldr-cli call` gives the reply; of a refusal it gives code and message."""
    replies: list[Reply] = []
    with serving(build_app(owner.register, Settings())) as url:
        environment = {**os.environ, "SMELDR_URL": url, "SMELDR_TOKEN": owner.token, "PYTHONUTF8": "1"}
        for tool, arguments in SCRIPT:
            command = [sys.executable, "-c", "import sys; from smeldr.doors.cli.client import main; sys.exit(main())"]
            ran = subprocess.run(
                [*command, "call", tool, "-", "--json"],
                input=json.dumps(_made(arguments, replies)),
                capture_output=True,
                text=True,
                env=environment,
                check=False,
            )
            if ran.returncode == 0:
                replies.append(json.loads(ran.stdout))
            else:
                assert 1 == ran.returncode, ran.stderr
                _, code, message = ran.stderr.splitlines()[0].split(": ", 2)
                replies.append({"error": {"code": code, "message": message}})
    return replies


def _made(arguments: Arguments, past: list[Reply]) -> Reply:
    return arguments(past) if callable(arguments) else arguments


def transcript(replies: list[Reply]) -> list[str]:
    """The replies as text, with ids and instants numbered in the order in which they show up."""
    seen: dict[str, str] = {}

    def numbered(found: re.Match[str]) -> str:
        return seen.setdefault(found[0], f"<{len(seen) + 1}>")

    own = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[0-9:.]+Z"
    return [re.sub(own, numbered, json.dumps(reply, sort_keys=True, ensure_ascii=False)) for reply in replies]


@pytest.mark.anyio
@pytest.mark.parametrize(
    "door",
    [
        pytest.param(through_http, id="http"),
        pytest.param(through_mcp_over_http("legacy"), id="mcp-http-legacy"),
        pytest.param(through_mcp_over_http("2026-07-28"), id="mcp-http-modern"),
        pytest.param(through_mcp_over_stdio("legacy"), id="mcp-stdio-legacy"),
        pytest.param(through_mcp_over_stdio("2026-07-28"), id="mcp-stdio-modern"),
        pytest.param(through_the_command_line, id="command-line"),
    ],
)
async def test_a_door_gives_the_replies_and_the_refusals_of_the_register(
    door: Any, database: str, owner: Caller, twin: Caller
) -> None:
    expected = await through_the_register("", twin)

    answered = await door(database, owner)

    if door is through_the_command_line:
        expected = [_code_and_message(reply) for reply in expected]
    for (tool, _), wanted, got in zip(SCRIPT, transcript(expected), transcript(answered), strict=True):
        assert wanted == got, tool


def _code_and_message(reply: Reply) -> Reply:
    error = reply.get("error")
    return {"error": {key: error[key] for key in ("code", "message")}} if error else reply


def test_the_script_meets_replies_and_most_kinds_of_refusal(owner: Caller) -> None:
    replies = anyio.run(through_the_register, "", owner)

    codes = {reply["error"]["code"] if "error" in reply else "reply" for reply in replies}
    assert {"reply", "validation_failed", "not_found", "conflict", "rev_conflict"} == codes
