"""A register with something of everything in it, in order, and a copy of it to damage."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from smeldr.settings import Settings
from smeldr.wiring import open_register
from tests.callers import Caller
from tests.conftest import Fresh
from tests.databases import Databases
from tests.operations.calls import related
from tests.operations.checkup.damages import Damaged


def complete(owner: Caller) -> None:
    """Beside what calls.py furnishes: D5 superseded D4; D5 and D6 contradict each other, and so did D3 and D4; D7 rests
    on D8."""
    for title in ("Fourth", "Fifth", "Sixth", "Seventh"):
        owner.ratified(title)
    owner.ratified("Eighth", place="DOM2")
    owner.call("supersede_decision", decision="D4", by="D5")
    owner.call("assert_relation", **related("D5", "D6", "contradicts"))
    owner.call("assert_relation", **related("D3", "D4", "contradicts"))
    owner.call("assert_relation", **related("D7", "D8", "grounded_in"))
    owner.call("update_decision", decision="D1", rev=1, title="Another", request_key="k")
    owner.call("run_sweep")


@pytest.fixture(scope="session")
def completed(furnished: str, fresh: Fresh, databases: Databases) -> str:
    database = databases.copy(furnished)
    register = open_register(Settings(database=database))
    complete(Caller(register, fresh.token, fresh.owner_id))
    register.store.close()
    return database


@pytest.fixture
def damaged(completed: str, fresh: Fresh, databases: Databases) -> Iterator[Damaged]:
    """A register in order, to be damaged."""
    database = databases.copy(completed)
    register = open_register(Settings(database=database))
    yield Damaged(Caller(register, fresh.token, fresh.owner_id), database)
    register.store.close()
    databases.drop(database)
