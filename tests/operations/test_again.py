"""A call that the database let go of is made again, within a bound; anything else is told at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

from smeldr.model.errors import Refusal
from smeldr.operations import again as module
from smeldr.operations.again import again
from smeldr.store.contract import Interrupted, Unit
from tests.callers import Caller
from tests.operations.tables import Tables


class Failing:
    """Fails some times before it does what it is for."""

    def __init__(self, times: int, failure: Exception) -> None:
        self.left, self.failure, self.made, self.told = times, failure, 0, 0

    def call(self) -> str:
        self.made += 1
        if self.left:
            self.left -= 1
            raise self.failure
        return "done"

    def tell(self) -> None:
        self.told += 1


def interrupted() -> Interrupted:
    return Interrupted("busy", "the database let go; nothing was written")


def test_a_call_that_was_interrupted_is_made_again_and_every_time_is_told() -> None:
    failing = Failing(2, interrupted())
    assert "done" == again(failing.call, failing.tell)
    assert (3, 2) == (failing.made, failing.told)


@pytest.mark.parametrize("code", ["busy", "conflict", "internal"])
def test_a_refusal_is_told_at_once(code: str) -> None:
    failing = Failing(1, Refusal(code, "why"))
    with pytest.raises(Refusal) as raised:
        again(failing.call, failing.tell)
    assert (code, 1, 0) == (raised.value.code, failing.made, failing.told)


def test_a_fault_is_told_at_once() -> None:
    failing = Failing(1, RuntimeError())
    with pytest.raises(RuntimeError):
        again(failing.call, failing.tell)
    assert 1 == failing.made


def test_what_goes_on_being_interrupted_is_busy_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.1)
    failing = Failing(10_000, interrupted())
    with pytest.raises(Refusal) as raised:
        again(failing.call, failing.tell)
    assert "busy" == raised.value.code
    assert failing.made == failing.told + 1 > 1


class Interrupting:
    """A store that lets go of so many transactions, each after its work was done and before it is kept."""

    def __init__(self, store: Any, times: int) -> None:
        self._store, self._left = store, times

    def read(self) -> AbstractContextManager[Unit]:
        return self._interrupted(self._store.read())

    def write(self) -> AbstractContextManager[Unit]:
        return self._interrupted(self._store.write())

    @contextmanager
    def _interrupted(self, transaction: AbstractContextManager[Unit]) -> Iterator[Unit]:
        with transaction as unit:
            yield unit
            if self._left:
                self._left -= 1
                raise interrupted()


@pytest.mark.parametrize("times", [1, 3])
def test_a_change_that_was_interrupted_happens_once(owner: Caller, tables: Tables, times: int) -> None:
    owner.register.store = Interrupting(owner.register.store, times)  # type: ignore[assignment]
    assert "D1" == owner.call("propose_decision", title="T", body="B", request_key="k")["address"]
    assert "D1" == owner.call("get_decision", id="D1")["address"]
    assert 1 == len(tables.rows("texts"))
    assert 1 == len({entry["act"] for entry in tables.entries() if entry["tool"] == "propose_decision"})
