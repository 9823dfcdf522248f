"""A PostgreSQL server that is down, or that has no connection left: `busy`, nothing written, and well again alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

from smeldr.operations.call import Policy
from smeldr.operations.register import Register
from smeldr.settings import Settings
from smeldr.store.store import Store
from smeldr.wiring import initialise, open_register
from tests.callers import Caller
from tests.cluster import Cluster
from tests.databases import ON_A_SERVER
from tests.operations.faults.cuts import engine_of
from tests.operations.faults.roles import role
from tests.operations.order import in_order
from tests.operations.tables import Tables

PROPOSAL = {"title": "T", "body": "B"}


@dataclass
class Away:
    """A register on a server of its own, which the test stops and starts."""

    cluster: Cluster
    owner: Caller
    tables: Tables


@pytest.fixture(scope="module")
def own_cluster() -> Iterator[Cluster]:
    cluster = Cluster()
    yield cluster
    cluster.remove()


@pytest.fixture
def away(own_cluster: Cluster) -> Away:
    database = own_cluster.url(own_cluster.create())
    made = initialise(Settings(database=database), "Owner")
    owner = Caller(open_register(Settings(database=database)), made["token"], made["principal"])
    return Away(own_cluster, owner, Tables(database))


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("smeldr.operations.again.SECONDS", 0.2)


def test_a_server_that_stays_down_is_busy_and_one_that_comes_back_answers_again(away: Away) -> None:
    owner = away.owner
    before = away.tables.dump()
    away.cluster.stop()
    for tool, arguments in (("propose_decision", PROPOSAL), ("list_decisions", {}), ("no_such_tool", {})):
        assert owner.refused("busy", tool, **arguments).message.endswith("nothing was written")
    assert not owner.register.ready()
    away.cluster.start()
    assert owner.register.ready()
    assert before == away.tables.dump()
    assert "D1" == owner.call("propose_decision", **PROPOSAL)["address"]
    in_order(owner, away.tables)


def test_a_server_that_was_killed_and_started_again_answers_the_next_call(away: Away) -> None:
    owner = away.owner
    owner.call("propose_decision", **PROPOSAL)
    away.cluster.kill()
    away.cluster.start()
    assert "ratified" == owner.call("ratify_decision", decision="D1")["state"]
    in_order(owner, away.tables)


@ON_A_SERVER
def test_a_server_with_no_connection_left_is_busy_until_there_is_one(
    owner: Caller, database: str, tables: Tables
) -> None:
    with role(database, "SELECT, INSERT, UPDATE, DELETE", "CONNECTION LIMIT 1") as as_role:
        limited = Caller(open_register(Settings(database=as_role)), owner.token, owner.id)
        limited.register.store.close()
        with tables.unchanged(), psycopg.connect(as_role):
            for tool, arguments in (("propose_decision", PROPOSAL), ("list_decisions", {})):
                assert limited.refused("busy", tool, **arguments).message.endswith("nothing was written")
            assert not limited.register.ready()
        assert limited.register.ready()
        assert "D1" == limited.call("propose_decision", **PROPOSAL)["address"]
        limited.register.store.close()


def test_a_process_with_no_connection_left_is_busy_until_there_is_one(
    owner: Caller, database: str, tables: Tables
) -> None:
    hurried = Caller(Register(Store(database, 0.05, connections=4), Policy()), owner.token, owner.id)
    with tables.unchanged(), ExitStack() as held:
        for _ in range(_most_connections(hurried)):
            held.enter_context(hurried.register.store.read())
        for tool, arguments in (("propose_decision", PROPOSAL), ("list_decisions", {})):
            assert hurried.refused("busy", tool, **arguments).message.endswith("nothing was written")
        assert not hurried.register.ready()
    assert hurried.register.ready()
    assert "D1" == hurried.call("propose_decision", **PROPOSAL)["address"]


def _most_connections(caller: Caller) -> int:
    pool: Any = engine_of(caller).pool
    most: int = pool.size() + pool._max_overflow
    return most
