"""Whatever answers, or does not, ends in one line with a code, and what may have been done twice is not sent twice."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from tests.doors.cli.conftest import TOKEN, Cli
from tests.doors.cli.stub import CUT, Answer, Stub, refusal, reply

PROPOSE = ("decision", "propose", "T", "--body", "B")


@pytest.fixture
def deaf() -> Iterator[str]:
    """The address of something that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def test_a_call_carries_the_token_and_says_who_it_is(stub: Stub, cli: Cli) -> None:
    stub.says("whoami", reply({}))
    assert 0 == cli("whoami").code
    headers = stub.asked[0].headers
    assert f"Bearer {TOKEN}" == headers["Authorization"]
    assert "application/json" == headers["Content-Type"]
    assert headers["User-Agent"].startswith("smeldr-cli/")


def test_a_proxy_of_the_environment_gets_nothing(stub: Stub, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    stub.says("whoami", reply({}))
    assert 0 == cli("whoami").code


def test_a_refusal_is_one_line_and_what_it_carries_under_it(stub: Stub, cli: Cli) -> None:
    stub.says("get_decision", refusal("conflict", "D1 is retired", 409, state="retired", allowed=["a", "b"]))
    ended = cli("decision", "show", "D1")
    assert (1, "") == (ended.code, ended.out)
    assert "smeldr-cli: conflict: D1 is retired\n  state: retired\n  allowed: a, b\n" == ended.err
    stub.says("get_decision", refusal("rev_conflict", "changed", 409, rev=4))
    assert "smeldr-cli: rev_conflict: changed\n  rev: 4\n" == cli("decision", "show", "D1").err
    fields = {"id": {"why": "no address"}, "kind": {"why": "unknown", "valid": ["x", "y"]}, "odd": 1}
    stub.says("get_decision", refusal("validation_failed", "two", 422, fields=fields))
    expected = "smeldr-cli: validation_failed: two\n  id: no address\n  kind: unknown (valid: x, y)\n  odd: 1\n"
    assert expected == cli("decision", "show", "D1").err


def test_json_changes_nothing_about_a_refusal(stub: Stub, cli: Cli) -> None:
    stub.says("whoami", refusal("unauthorized", "no such token", 401))
    ended = cli("whoami", "--json")
    assert (1, "", "smeldr-cli: unauthorized: no such token\n") == (ended.code, ended.out, ended.err)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1", "http://[::1]:1", "http://nonesuch.invalid", "http://a..b", "https://127.0.0.1:1"]
)
def test_no_server_is_said_with_the_address(url: str, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMELDR_URL", url)
    ended = cli(*PROPOSE)
    assert 1 == ended.code
    assert ended.err.startswith(f"smeldr-cli: unreachable: cannot reach {url}: ")
    assert "is `smeldr serve` running there" in ended.err
    assert "may or may not" not in ended.err


@pytest.mark.parametrize(
    "answer",
    [
        Answer(b"<html>Bad Gateway</html>", 502, "text/html"),
        Answer(b"", 504, "text/plain"),
        Answer(b"{}", 302),
        Answer(b"hello", 200, "text/plain"),
        Answer(b"[1]", 200),
        Answer(b"\xff\xfe", 200),
        Answer(b"[" * 100_000, 200),
        Answer(b'{"error": "no"}', 500),
        Answer(b'{"error": {"code": "x", "message": "y"}}', 200),
        Answer(b'{"detail": "Not Found"}', 404),
    ],
)
def test_what_no_smeldr_server_says_is_a_bad_answer(answer: Answer, stub: Stub, cli: Cli) -> None:
    stub.says("whoami", answer)
    ended = cli("whoami")
    assert 1 == ended.code
    assert ended.err.startswith(f"smeldr-cli: bad_answer: {stub.url} answered {answer.status}")
    assert 1 == ended.err.count("\n")


def test_a_change_that_a_proxy_lost_may_have_been_done(stub: Stub, cli: Cli) -> None:
    stub.says("propose_decision", Answer(b"Bad Gateway", 502, "text/plain"))
    err = cli(*PROPOSE).err
    key = stub.calls("propose_decision")[0]["request_key"]
    assert f"it may or may not have been done; sent again with --request-key {key}, it is not repeated" in err
    assert 1 == len(stub.asked)


def test_a_fault_of_the_server_says_how_to_ask_again(stub: Stub, cli: Cli) -> None:
    stub.says("get_decision", reply({"rev": 3, "state": "ratified"}))
    stub.says("retire_decision", refusal("internal", "whether it was written is unknown", 500))
    err = cli("decision", "retire", "D1", "--reason", "R").err
    key = stub.calls("retire_decision")[0]["request_key"]
    assert f"sent again with --rev 3 --request-key {key}, it is not repeated" in err


def test_a_lost_connection_is_tried_once_more_where_nothing_can_happen_twice(stub: Stub, cli: Cli) -> None:
    stub.says("whoami", CUT, reply({}))
    assert 0 == cli("whoami").code
    stub.says("propose_decision", CUT, reply({}))
    assert 0 == cli(*PROPOSE).code
    first, second = stub.calls("propose_decision")
    assert first == second
    assert 32 == len(first["request_key"])


def test_each_change_has_a_key_of_its_own(stub: Stub, cli: Cli) -> None:
    stub.says("propose_decision", reply({}))
    cli(*PROPOSE)
    cli(*PROPOSE)
    first, second = stub.calls("propose_decision")
    assert first["request_key"] != second["request_key"]


def test_a_connection_that_is_lost_twice_is_a_failure_that_says_what_is_unknown(stub: Stub, cli: Cli) -> None:
    stub.says("propose_decision", CUT)
    ended = cli(*PROPOSE)
    assert 1 == ended.code
    assert ended.err.startswith(
        f"smeldr-cli: unreachable: the connection to {stub.url} was lost before the answer came"
    )
    assert "may or may not" in ended.err
    assert 2 == len(stub.asked)
    stub.says("whoami", CUT)
    assert "may or may not" not in cli("whoami").err


def test_a_change_by_call_without_a_key_is_never_sent_twice(stub: Stub, cli: Cli) -> None:
    for tool in ("propose_decision", "nonesuch"):
        stub.says(tool, CUT)
        assert "look before you send it again" in cli("call", tool, "{}").err
        assert [{}] == stub.calls(tool)
    stub.says("run_sweep", CUT, reply({}))
    assert 0 == cli("call", "run_sweep", '{"request_key": "k"}').code
    assert [{"request_key": "k"}] * 2 == stub.calls("run_sweep")


def test_a_server_that_does_not_answer_is_given_up(deaf: str, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMELDR_URL", deaf)
    ended = cli(*PROPOSE, "--timeout", "0.1")
    assert 1 == ended.code
    assert ended.err.startswith(f"smeldr-cli: timeout: no answer from {deaf} within 0.1 seconds")
    assert "may or may not" in ended.err


def test_an_answer_that_is_no_http_is_a_lost_connection(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            for _ in range(2):
                connection, _address = server.accept()
                with connection:
                    connection.recv(65_536)
                    connection.sendall(b"SSH-2.0-OpenSSH\r\n")

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        monkeypatch.setenv("SMELDR_URL", f"http://127.0.0.1:{server.getsockname()[1]}")
        ended = cli("whoami")
        thread.join()
    assert 1 == ended.code
    assert "smeldr-cli: unreachable: the connection" in ended.err


def test_https_to_a_server_without_it_is_unreachable(stub: Stub, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMELDR_URL", stub.url.replace("http", "https"))
    ended = cli("whoami")
    assert 1 == ended.code
    assert ended.err.startswith("smeldr-cli: unreachable: cannot reach https://")


def test_a_refusal_that_comes_before_everything_was_sent_is_heard(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    body = b'{"error": {"code": "too_large", "message": "over 4 MiB"}}'
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _address = server.accept()
            with connection:
                connection.recv(1024)
                head = f"HTTP/1.1 413 Too Large\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
                connection.sendall(head.encode() + body)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(1 << 20):
                    pass

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        monkeypatch.setenv("SMELDR_URL", f"http://127.0.0.1:{server.getsockname()[1]}")
        ended = cli("decision", "propose", "T", "--body", "-", stdin=b"x" * 5_000_000)
        thread.join()
    assert "smeldr-cli: too_large: over 4 MiB\n" == ended.err


def test_an_address_with_a_path_is_kept(stub: Stub, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMELDR_URL", f"{stub.url}/smeldr/")
    stub.says("/smeldr/api/tools/whoami", reply({}))
    assert 0 == cli("whoami").code


def test_the_name_of_a_tool_cannot_leave_its_place(stub: Stub, cli: Cli) -> None:
    assert 1 == cli("call", "../x?y#ü").code
    assert "..%2Fx%3Fy%23%C3%BC" == stub.asked[0].tool
