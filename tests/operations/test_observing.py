"""Every call has an id that its lines in the log share, a last line that says how it ended, and is counted once."""

from __future__ import annotations

import logging
from typing import Any

import pytest
import structlog
from structlog.contextvars import get_contextvars
from structlog.typing import EventDict

from smeldr.model.errors import Refusal
from smeldr.operations.call import Policy
from smeldr.operations.register import Register
from smeldr.store.contract import Interrupted
from tests.callers import Caller
from tests.conftest import MakeCaller
from tests.databases import Databases
from tests.operations.failing import failing, keep_no_text
from tests.operations.test_concurrency import at_once


class Counted:
    """An observer that keeps what it hears."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []
        self.seconds: list[float] = []
        self.again: list[str] = []

    def called(self, tool: str, outcome: str, seconds: float) -> None:
        self.calls.append((tool, outcome))
        self.seconds.append(seconds)

    def retried(self, tool: str) -> None:
        self.again.append(tool)


@pytest.fixture
def counted() -> Counted:
    return Counted()


@pytest.fixture
def watched(owner: Caller, counted: Counted) -> Caller:
    """The owner of the fresh register, whose calls are observed."""
    return Caller(Register(owner.register.store, Policy(), observer=counted), owner.token, owner.id)


@pytest.fixture
def said(logged: list[EventDict], owner: Caller) -> list[EventDict]:
    """Every line of the log, however little it is worth."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG))
    logged.clear()
    return logged


def test_a_change_leaves_one_line_that_says_who_did_what_and_how_it_ended(owner: Caller, said: list[EventDict]) -> None:
    owner.call("propose_decision", title="T", body="B")

    [line] = said
    assert 32 == len(line.pop("call"))
    assert 0 < line.pop("milliseconds")
    assert {
        "event": "call",
        "log_level": "info",
        "tool": "propose_decision",
        "outcome": "ok",
        "principal": owner.id,
    } == line


@pytest.mark.parametrize(
    "tool, arguments, outcome, level",
    [
        ("whoami", {}, "ok", "debug"),
        ("propose_decision", {"title": "T", "body": "B"}, "ok", "info"),
        ("propose_decision", {"title": "T"}, "validation_failed", "debug"),
        ("get_decision", {"id": "D9"}, "not_found", "debug"),
        ("ratify_decision", {"decision": "D9"}, "not_found", "debug"),
    ],
)
def test_a_change_is_worth_more_than_a_read_or_a_refusal(
    owner: Caller, said: list[EventDict], tool: str, arguments: dict[str, Any], outcome: str, level: str
) -> None:
    try:
        owner.call(tool, **arguments)
    except Refusal as refusal:
        assert outcome == refusal.code

    assert [(tool, outcome, level)] == [(line["tool"], line["outcome"], line["log_level"]) for line in said]


@pytest.mark.parametrize("code", ["busy", "internal"])
def test_what_whoever_runs_the_server_should_look_into_is_a_warning(
    owner: Caller, said: list[EventDict], monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr("smeldr.store.items.Items.add_texts", failing(Refusal(code, "because")))

    refusal = owner.refused(code, "propose_decision", title="T", body="B")

    assert ("warning", code) == (said[-1]["log_level"], said[-1]["outcome"])
    told = "because" if code == "busy" else f"because; the log has it as {said[-1]['call']}"
    assert told == refusal.message


def test_who_called_is_not_said_while_nobody_knows(register: Register, said: list[EventDict]) -> None:
    with pytest.raises(Refusal):
        register.call("whoami", {}, "a former token")

    [line] = said
    assert "unauthorized" == line["outcome"]
    assert "principal" not in line


def test_a_tool_that_is_none_goes_by_one_name_whatever_it_was_called(
    watched: Caller, counted: Counted, said: list[EventDict]
) -> None:
    for name in ("nonesuch", "x" * 10_000, "smeldr_a_token_in_the_wrong_place"):
        watched.refused("not_found", name)

    assert [("unknown", "not_found")] * 3 == counted.calls
    assert ["unknown"] * 3 == [line["tool"] for line in said]


def test_the_calls_of_many_threads_keep_their_lines_apart(
    owner: Caller, caller: MakeCaller, said: list[EventDict]
) -> None:
    others = [caller(f"Other {number}", rights={"ROOT": ["author"]}) for number in range(6)]
    said.clear()

    at_once(*[lambda each=each: each.call("propose_decision", title="T", body="B") for each in others])

    assert 6 == len({line["call"] for line in said})
    assert {each.id for each in others} == {line["principal"] for line in said}


def test_a_call_leaves_nothing_bound_for_what_comes_after(owner: Caller) -> None:
    owner.call("whoami")
    owner.register.require_administrator(owner.token)

    assert {} == get_contextvars()


def test_every_call_is_counted_once_with_its_outcome(watched: Caller, counted: Counted) -> None:
    watched.call("propose_decision", title="T", body="B")
    watched.call("ratify_decision", decision="D1")
    watched.refused("conflict", "ratify_decision", decision="D1")
    watched.refused("validation_failed", "ratify_decision")
    watched.register.sweep()

    assert [
        ("propose_decision", "ok"),
        ("ratify_decision", "ok"),
        ("ratify_decision", "conflict"),
        ("ratify_decision", "validation_failed"),
        ("run_sweep", "ok"),
    ] == counted.calls
    assert all(seconds > 0 for seconds in counted.seconds)


def test_a_call_that_is_made_again_is_counted_once_and_its_repetition_too(
    watched: Caller, counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def once(*_: Any) -> None:
        monkeypatch.undo()
        raise Interrupted("busy", "the store broke off")

    monkeypatch.setattr("smeldr.store.history.History.append", once)

    watched.call("propose_decision", title="T", body="B")

    assert ["propose_decision"] == counted.again
    assert [("propose_decision", "ok")] == counted.calls


def test_a_store_that_fails_is_in_the_log_with_its_own_code_and_the_id_of_the_call(
    owner: Caller, said: list[EventDict], databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_no_text(monkeypatch)

    refusal = owner.refused("internal", "propose_decision", title="T", body="B")

    failed, fault, last = said
    code = {"sqlite": "SQLITE_CONSTRAINT_NOTNULL", "postgresql": "23502"}[databases.kind]
    assert ("the store failed", code) == (failed["event"], failed["code"])
    assert failed["statement"].startswith("INSERT INTO texts (")
    assert {last["call"]} == {line["call"] for line in said}
    assert f"something went wrong on this side; the log has it as {fault['call']}" == refusal.message


def test_a_fault_outside_of_a_call_has_an_id_too(
    register: Register, said: list[EventDict], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("smeldr.store.access.AccessRows.bearer", failing(RuntimeError()))

    with pytest.raises(Refusal) as raised:
        register.authenticate("a token")

    [line] = said
    assert ("fault", "authenticate") == (line["event"], line["doing"])
    assert raised.value.message.endswith(f"the log has it as {line['call']}")
