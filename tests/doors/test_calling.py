"""A burst waits its turn and not for ever, and whether the store is ready is told whatever else goes on."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, cast

import anyio
import pytest
from starlette.types import Message, Receive, Scope, Send

from smeldr.doors.calling import THREADS, Calls
from smeldr.doors.leaving import Leaving
from smeldr.model.errors import Refusal
from smeldr.operations.register import Register
from tests.doors.stubs import TOKEN, StubRegister

pytestmark = pytest.mark.anyio


class Held(StubRegister):
    """Answers nothing until it is let go; counts what was begun."""

    def __init__(self) -> None:
        super().__init__()
        self.let_go = threading.Event()
        self.begun: list[str] = []

    def call(self, name: str, arguments: Mapping[str, Any], token: str | None) -> dict[str, Any]:
        self.begun.append(name)
        assert self.let_go.wait(30)
        return super().call(name, arguments, token)

    def ready(self) -> bool:
        self.begun.append("ready")
        assert self.let_go.wait(30)
        return super().ready()


@pytest.fixture
def held() -> Held:
    return Held()


@pytest.fixture
def calls(held: Held) -> Calls:
    return Calls(cast(Register, held))


async def outcome_of(calls: Calls, outcomes: list[str]) -> None:
    try:
        await calls.call("echo", {}, TOKEN)
        outcomes.append("done")
    except Refusal as refusal:
        outcomes.append(refusal.code)


async def test_everybody_of_a_burst_is_answered(held: Held, calls: Calls) -> None:
    outcomes: list[str] = []
    held.let_go.set()

    async with anyio.create_task_group() as group:
        for _ in range(200):
            group.start_soon(outcome_of, calls, outcomes)

    assert ["done"] * 200 == outcomes


async def test_a_call_that_gets_no_turn_in_time_is_busy_and_has_not_begun(
    held: Held, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("smeldr.doors.calling.TURN_SECONDS", 0.05)
    first: list[str] = []
    late: list[str] = []

    async with anyio.create_task_group() as group:
        for _ in range(THREADS):
            group.start_soon(outcome_of, calls, first)
        await anyio.wait_all_tasks_blocked()
        await outcome_of(calls, late)
        with pytest.raises(Refusal, match="busy"):
            await calls.aside(lambda: held.begun.append("aside"))
        held.let_go.set()

    assert ["busy"] == late
    assert ["done"] * THREADS == first
    assert ["echo"] * THREADS == held.begun


async def test_whether_the_store_is_ready_is_told_while_every_thread_is_busy(held: Held) -> None:
    class Ready(Held):
        def ready(self) -> bool:
            return True

    register = Ready()
    calls = Calls(cast(Register, register))
    outcomes: list[str] = []

    async with anyio.create_task_group() as group:
        for _ in range(THREADS):
            group.start_soon(outcome_of, calls, outcomes)
        await anyio.wait_all_tasks_blocked()
        assert await calls.ready()
        assert [] == outcomes
        register.let_go.set()


async def test_a_store_that_hangs_is_not_ready_is_looked_at_once_and_is_ready_again_by_itself(
    held: Held, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("smeldr.doors.calling.READY_SECONDS", 0.05)

    assert [False] * 3 == [await calls.ready() for _ in range(3)]
    assert ["ready"] == held.begun
    held.let_go.set()
    monkeypatch.setattr("smeldr.doors.calling.READY_SECONDS", 30)
    assert await calls.ready()


async def test_a_call_that_the_web_server_gives_up_on_is_told_to_ask_again() -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def app(_: Scope, __: Receive, ___: Send) -> None:
        group.cancel_scope.cancel()
        await anyio.sleep_forever()

    async with anyio.create_task_group() as group:
        await Leaving().closing(app)({"type": "http", "headers": []}, receive, send)

    assert 500 == sent[0]["status"]
    assert b"ask again with the same request_key" in sent[1]["body"]
