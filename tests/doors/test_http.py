"""A tool is one POST, and every refusal has the one shape."""

from __future__ import annotations

import json
from collections.abc import Iterator

import anyio
import httpx2
import pytest
from starlette.testclient import TestClient
from starlette.types import Message
from structlog.testing import capture_logs

from smeldr.model.errors import HTTP_STATUS, MAX_BODY_BYTES, Refusal
from tests.doors.stubs import StubRegister, client
from tests.doors.test_body import ODD


def code(response: httpx2.Response) -> str:
    return str(response.json()["error"]["code"])


def test_a_call_answers_with_the_reply_of_the_tool() -> None:
    response = client().post("/api/tools/echo", json={"a": 1})

    assert 200 == response.status_code
    assert {"echo": {"a": 1}} == response.json()
    assert "no-store" == response.headers["cache-control"]


@pytest.mark.parametrize("content_type", ["application/json", "application/x-www-form-urlencoded", "text/plain"])
def test_the_body_is_json_whatever_it_is_called(content_type: str) -> None:
    response = client().post("/api/tools/echo", content=b'{"a": 1}', headers={"Content-Type": content_type})

    assert {"echo": {"a": 1}} == response.json()


def test_no_body_is_no_arguments() -> None:
    assert {"echo": {}} == client().post("/api/tools/echo").json()


@pytest.mark.parametrize("refused", HTTP_STATUS)
def test_a_refusal_has_the_one_shape_under_the_status_of_its_code(refused: str) -> None:
    refusal = Refusal(refused, "because", fields={"a": {"why": "it is"}}, rev=3, state="retired", allowed=["x"])

    response = client(StubRegister(raises=refusal)).post("/api/tools/echo")

    assert HTTP_STATUS[refused] == response.status_code
    assert refusal.reply() == response.json()


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Basic live", "live", "Bearer other"])
def test_a_call_without_a_live_token_is_unauthorized_and_asks_for_one(header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header}

    response = client(token=None).post("/api/tools/echo", headers=headers)

    assert (401, "unauthorized") == (response.status_code, code(response))
    assert "Bearer" == response.headers["www-authenticate"]


def test_the_word_bearer_is_read_in_any_case() -> None:
    assert 200 == client(token=None).post("/api/tools/echo", headers={"Authorization": "bEARER live"}).status_code


@pytest.mark.parametrize("body", ODD.values(), ids=ODD.keys())
def test_a_body_that_cannot_be_read_is_validation_failed(body: bytes) -> None:
    response = client().post("/api/tools/echo", content=body)

    assert (422, "validation_failed") == (response.status_code, code(response))
    assert ["arguments"] == list(response.json()["error"]["fields"])


def test_without_a_live_token_nothing_is_said_about_the_body() -> None:
    stranger = client(token=None)

    assert 401 == stranger.post("/api/tools/echo", content=b"{").status_code
    assert 401 == stranger.post("/api/tools/echo", content=b" " * (MAX_BODY_BYTES + 1)).status_code
    assert 401 == stranger.post("/api/tools/echo", content=b" " * 100_000).status_code


def test_a_body_of_exactly_the_limit_is_read() -> None:
    assert 200 == client().post("/api/tools/echo", content=b" " * MAX_BODY_BYTES).status_code


def test_a_body_over_the_limit_is_too_large() -> None:
    response = client().post("/api/tools/echo", content=b" " * (MAX_BODY_BYTES + 1))

    assert (413, "too_large") == (response.status_code, code(response))


def test_a_body_over_the_limit_is_not_read_to_its_end() -> None:
    sent = 0

    def chunks() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(1_000):
            sent += 1
            yield b" " * 65_536

    response = _post_streamed(client(), chunks())

    assert (413, "too_large") == response
    assert sent * 65_536 < 2 * MAX_BODY_BYTES


def _post_streamed(to: TestClient, chunks: Iterator[bytes]) -> tuple[int, str]:
    """Hand the app its body piece by piece, as a server does, and stop when it has answered."""
    statuses: list[int] = []
    answer = bytearray()

    async def receive() -> Message:
        return {"type": "http.request", "body": next(chunks), "more_body": True}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])
        else:
            answer.extend(message["body"])

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/tools/echo",
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), (b"authorization", b"Bearer live")],
    }
    anyio.run(to.app, scope, receive, send)
    return statuses[0], json.loads(answer)["error"]["code"]


def test_an_unknown_tool_is_not_found() -> None:
    response = client().post("/api/tools/nonesuch", json={})

    assert (404, "not_found") == (response.status_code, code(response))


@pytest.mark.parametrize("path", ["/nonesuch", "/api/tools", "/api/tools/", "/api/tools/a/b"])
def test_an_unknown_path_is_not_found_in_the_one_shape(path: str) -> None:
    response = client().post(path)

    assert (404, "not_found") == (response.status_code, code(response))


@pytest.mark.parametrize(
    "method, path",
    [("GET", "/api/tools/echo"), ("PUT", "/api/tools/echo"), ("POST", "/health"), ("DELETE", "/openapi.json")],
)
def test_a_wrong_method_is_405_in_the_one_shape_and_names_the_right_ones(method: str, path: str) -> None:
    response = client().request(method, path)

    assert (405, "not_found") == (response.status_code, code(response))
    assert response.headers["allow"]


def test_a_fault_is_internal_with_an_id_and_its_detail_stays_in_the_log() -> None:
    with capture_logs() as logs:
        response = client(StubRegister(raises=RuntimeError("the secret detail"))).post("/api/tools/echo")

    assert (500, "internal") == (response.status_code, code(response))
    assert "secret" not in response.text
    [entry] = logs
    assert entry["call"] in response.json()["error"]["message"]
    assert "the secret detail" == str(entry["exc_info"])


def test_the_server_says_that_it_is_alive_and_whether_it_is_ready() -> None:
    assert {"status": "alive"} == client(token=None).get("/health").json()
    assert {"status": "ready"} == client(token=None).get("/ready").json()


def test_a_store_that_is_not_ready_is_503() -> None:
    response = client(StubRegister(ready=False), token=None).get("/ready")

    assert (503, "busy") == (response.status_code, code(response))
