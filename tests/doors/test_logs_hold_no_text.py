"""Nothing that people wrote, and no token, gets into the log: whatever fails, wherever it fails, at every level.

What a caller sends holds a word that stands nowhere else; the faults below are made to say it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any, Final

import httpx2
import pytest
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Engine, event, exc

from smeldr.doors.app import build_app
from smeldr.doors.logs import log_to_stderr
from smeldr.model.errors import Refusal
from smeldr.operations.register import Register
from smeldr.settings import Settings
from tests.callers import Caller
from tests.doors.mcp_clients import message
from tests.doors.serving import serving
from tests.operations.failing import failing, keep_no_text

SECRET: Final = "hunter2"
TEXTS: Final = {"title": f"Title {SECRET}", "body": f"Body {SECRET}\nof two lines", "source": f"Source {SECRET}"}
LEVELS: Final = ("debug", "info", "warning", "error")
FORMATS: Final = ("text", "json")

Breaks = Callable[[pytest.MonkeyPatch, Register], None]


def _of_pydantic() -> ValidationError:
    try:
        TypeAdapter(int).validate_python(SECRET)
    except ValidationError as error:
        return error
    raise AssertionError


def _of_a_group() -> ExceptionGroup[Exception]:
    return ExceptionGroup(SECRET, [KeyError(SECRET), UnicodeEncodeError("utf-8", SECRET, 0, 1, SECRET)])


def _noted() -> RuntimeError:
    error = RuntimeError(SECRET)
    error.add_note(SECRET)
    error.__cause__ = KeyError(SECRET)
    return error


def _at(path: str, error: BaseException) -> Breaks:
    return lambda patch, _: patch.setattr(path, failing(error))


def _commit(patch: pytest.MonkeyPatch, register: Register) -> None:
    engine: Engine = register.store._engine.engine  # type: ignore[attr-defined]
    event.listen(engine, "commit", failing(exc.OperationalError("COMMIT", {"x": SECRET}, _noted())))


BREAKS: Final[Mapping[str, Breaks]] = {
    "nothing": lambda _, __: None,
    "the token is looked up": _at("smeldr.store.access.AccessRows.bearer", ValueError(SECRET)),
    "the arguments are read": _at("smeldr.operations.registry.Operation.read", _of_pydantic()),
    "the operation": _at("smeldr.operations.writing.add_document", _noted()),
    "the history": _at("smeldr.store.history.History.append", _of_a_group()),
    "the conditions": _at("smeldr.operations.conditions.reconcile", UnicodeDecodeError("utf-8", b"hunter2", 0, 1, "x")),
    "an insert": lambda patch, _: keep_no_text(patch),
    "a statement": _at("smeldr.store.items.add_rows", exc.DataError("INSERT", {"x": SECRET}, _noted(), True)),
    "a commit": _commit,
    "the store": _at("smeldr.store.history.History.append", exc.TimeoutError(SECRET)),
}


@pytest.mark.parametrize("broken", BREAKS)
def test_a_call_says_nothing_that_was_written(
    owner: Caller, broken: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    BREAKS[broken](monkeypatch, owner.register)
    stranger = Caller(owner.register, SECRET, "")

    for level, form in product(LEVELS, FORMATS):
        log_to_stderr(level, form)
        codes = {_code(owner, "propose_decision", **TEXTS), _code(stranger, "whoami")}

        said = "".join(capsys.readouterr())
        assert SECRET not in said
        assert owner.token not in said
        assert ("ok" in codes) is (broken == "nothing")
        assert ("outcome=" in said or '"outcome"' in said) is _worth_a_line(codes, level)
        if form == "json":
            assert all(json.loads(line)["event"] for line in said.splitlines())


@pytest.mark.parametrize("level", LEVELS)
def test_what_is_refused_says_nothing_that_was_written(
    owner: Caller, level: str, capsys: pytest.CaptureFixture[str]
) -> None:
    log_to_stderr(level)
    owner.ratified("T")

    _code(owner, SECRET * 1_000)
    _code(owner, "propose_decision", **{SECRET: SECRET})
    _code(owner, "get_decision", id=SECRET)
    _code(owner, "retire_decision", decision="D1", reason=SECRET)
    _code(owner, "retire_decision", decision="D1", reason=SECRET)
    _code(owner, "propose_decision", title="T", body="B", request_key=SECRET)
    _code(owner, "withdraw_relation", id=owner.id, rev=1, reason=SECRET)

    assert SECRET not in "".join(capsys.readouterr())


def test_no_door_says_what_was_written_when_it_fails_itself(
    owner: Caller, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("smeldr.doors.http.parse_arguments", failing(_noted()))
    monkeypatch.setattr("smeldr.doors.mcp._result", failing(_noted()))
    headers = {"Authorization": f"Bearer {owner.token}"}
    call = message("tools/call", name="propose_decision", arguments=TEXTS)
    log_to_stderr("debug")

    with serving(build_app(owner.register, Settings()), log_config=None) as url:
        answer = httpx2.post(f"{url}/api/tools/{SECRET}?{SECRET}={SECRET}", json=TEXTS, headers=headers)
        httpx2.post(f"{url}/mcp", json=call, headers=headers)
        httpx2.get(f"{url}/{SECRET}", headers={"Authorization": f"Bearer {SECRET}", "X": SECRET})

    said = capsys.readouterr().err
    assert "internal" == answer.json()["error"]["code"]
    assert answer.json()["error"]["message"].rpartition(" ")[2] in said
    assert "/api/tools/{name}" in said
    assert "mcp.shared.jsonrpc_dispatcher spoke at" in said
    assert SECRET not in said
    assert owner.token not in said


def _worth_a_line(codes: set[str], level: str) -> bool:
    """Whether a call that ended so is logged at the level."""
    if level == "debug" or (level == "info" and "ok" in codes):
        return True
    return level != "error" and bool({"busy", "internal"} & codes)


def _code(caller: Caller, tool: str, **arguments: Any) -> str:
    try:
        caller.call(tool, **arguments)
    except Refusal as refusal:
        return refusal.code
    return "ok"
