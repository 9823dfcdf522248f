"""`smeldr mcp` speaks over standard input and output, and nothing but the protocol."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests.callers import Caller
from tests.doors.mcp_clients import message


def smeldr_mcp(database: str, token: str | None, said: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "SMELDR_DATABASE": database}
    environment.pop("SMELDR_TOKEN", None)
    if token is not None:
        environment["SMELDR_TOKEN"] = token
    return subprocess.run(
        [sys.executable, "-m", "smeldr", "mcp"], input=said, capture_output=True, text=True, env=environment, timeout=60
    )


def lines(*messages: object) -> str:
    return "".join(f"{json.dumps(each)}\n" for each in messages)


def test_standard_output_holds_the_answers_alone_and_the_end_of_input_ends_it(database: str, owner: Caller) -> None:
    hello = message(
        "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t", "version": "1"}
    )
    call = message("tools/call", 2, name="whoami", arguments={})

    ended = smeldr_mcp(database, owner.token, lines(hello, message("notifications/initialized", None), call))

    assert 0 == ended.returncode, ended.stderr
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [1, 2] == [answer["id"] for answer in answers]
    assert owner.call("whoami") == answers[1]["result"]["structuredContent"]


def test_a_line_that_is_no_message_is_a_json_rpc_error_and_the_next_one_counts(database: str, owner: Caller) -> None:
    hello = message(
        "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t", "version": "1"}
    )

    ended = smeldr_mcp(database, owner.token, "{not json\n[]\n" + lines(hello))

    assert 0 == ended.returncode, ended.stderr
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [None, None, 1] == [answer["id"] for answer in answers]
    assert [-32700, -32600] == [answer["error"]["code"] for answer in answers[:2]]


def test_without_a_token_it_says_which_variable_it_needs(database: str) -> None:
    ended = smeldr_mcp(database, None, "")

    assert ended.returncode != 0
    assert "SMELDR_TOKEN" in ended.stderr
    assert "" == ended.stdout


def test_with_a_token_that_is_not_a_live_one_it_does_not_start(database: str, owner: Caller) -> None:
    ended = smeldr_mcp(database, "other", "")

    assert ended.returncode != 0
    assert "unauthorized" in ended.stderr
    assert "" == ended.stdout
