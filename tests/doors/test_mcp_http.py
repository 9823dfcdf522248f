"""MCP over HTTP without a client library: one POST, one JSON answer, and a token with each."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS

from smeldr.model.errors import MAX_BODY_BYTES
from tests.callers import Caller
from tests.doors.mcp_clients import message
from tests.doors.stubs import TOKEN, StubRegister, client
from tests.doors.test_body import ODD

CALL = message("tools/call", name="echo", arguments={"a": 1})
PLAIN: dict[str, dict[str, str]] = {
    "nothing said": {},
    "anything accepted": {"Accept": "*/*"},
    "a page accepted": {"Accept": "text/html"},
    "a form sent": {"Content-Type": "application/x-www-form-urlencoded"},
    "JSON both ways": {"Content-Type": "application/json", "Accept": "application/json"},
}


def post(body: Any, headers: dict[str, str] | None = None, token: str | None = TOKEN) -> httpx2.Response:
    with client(StubRegister(), token) as http:
        return http.post("/mcp", json=body, headers=headers)


@pytest.mark.parametrize("headers", PLAIN.values(), ids=PLAIN.keys())
def test_a_plain_post_of_a_call_is_answered_in_json_without_a_handshake(headers: dict[str, str]) -> None:
    response = post(CALL, headers)

    assert 200 == response.status_code
    assert "application/json" == response.headers["content-type"]
    assert {"echo": {"a": 1}} == response.json()["result"]["structuredContent"]


def test_curl_gets_an_answer_from_a_real_server(url: str, owner: Caller) -> None:
    headers = {"Authorization": f"Bearer {owner.token}", "Content-Type": "application/json", "Accept": "*/*"}

    response = httpx2.post(f"{url}/mcp", json=message("tools/call", name="whoami", arguments={}), headers=headers)

    assert owner.call("whoami") == response.json()["result"]["structuredContent"]


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
def test_every_version_that_begins_with_a_handshake_is_spoken(version: str) -> None:
    hello = message("initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "t", "version": "1"})

    with client(StubRegister()) as http:
        answer = http.post("/mcp", json=hello).json()["result"]
        told = http.post(
            "/mcp", json=message("notifications/initialized", None), headers={"MCP-Protocol-Version": version}
        )
        called = http.post("/mcp", json=CALL, headers={"MCP-Protocol-Version": version}).json()["result"]

    assert version == answer["protocolVersion"]
    assert "Smeldr" in answer["instructions"]
    assert 202 == told.status_code
    assert {"echo": {"a": 1}} == called["structuredContent"]


@pytest.mark.parametrize("method", ["initialize", "tools/list", "tools/call", "resources/list", "ping", "nonesuch"])
@pytest.mark.parametrize("token", [None, "other"])
def test_every_message_without_a_live_token_is_401(method: str, token: str | None) -> None:
    response = post(message(method), token=token)

    assert (401, "unauthorized") == (response.status_code, response.json()["error"]["code"])
    assert "Bearer" == response.headers["www-authenticate"]


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_there_are_no_streams_and_no_sessions_to_end(method: str) -> None:
    with client(StubRegister()) as http:
        response = http.request(method, "/mcp")

    assert (405, "not_found") == (response.status_code, response.json()["error"]["code"])
    assert "POST" == response.headers["allow"]


@pytest.mark.parametrize(
    "body",
    [pytest.param(body, id=odd) for odd, body in ODD.items() if odd not in {"a list", "a string", "null"}],
)
def test_a_message_that_is_not_json_is_a_parse_error(body: bytes) -> None:
    with client(StubRegister()) as http:
        response = http.post("/mcp", content=body)

    assert 400 == response.status_code
    assert -32700 == response.json()["error"]["code"]
    assert response.json()["id"] is None


@pytest.mark.parametrize(
    "body",
    [
        [],
        [CALL],
        "tools/call",
        {},
        {**CALL, "jsonrpc": "1.0"},
        {**CALL, "id": None},
        {**CALL, "id": True},
        {**CALL, "method": 1},
        {**CALL, "params": []},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
    ],
)
def test_what_is_no_request_is_an_invalid_request(body: Any) -> None:
    response = post(body)

    assert 400 == response.status_code
    assert -32600 == response.json()["error"]["code"]


def test_an_unknown_method_is_a_json_rpc_error() -> None:
    assert -32601 == post(message("nonesuch/nonesuch")).json()["error"]["code"]


def test_malformed_params_are_a_json_rpc_error() -> None:
    assert -32602 == post(message("tools/call", name=1)).json()["error"]["code"]


def test_a_message_over_the_limit_is_too_large_in_the_one_shape() -> None:
    with client(StubRegister()) as http:
        response = http.post("/mcp", content=b" " * (MAX_BODY_BYTES + 1))

    assert (413, "too_large") == (response.status_code, response.json()["error"]["code"])


def test_a_fault_in_a_tool_is_a_refusal_and_its_detail_stays_in_the_log() -> None:
    with client(StubRegister(raises=RuntimeError("the secret detail"))) as http:
        response = http.post("/mcp", json=CALL)

    assert response.json()["result"]["isError"] is True
    assert "internal" == response.json()["result"]["structuredContent"]["error"]["code"]
    assert "secret" not in response.text
