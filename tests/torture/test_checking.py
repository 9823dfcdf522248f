"""The check of the torture finds what it looks for: without that, `nothing lost` would say nothing."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from smeldr.model.errors import Refusal
from smeldr.settings import Settings
from smeldr.wiring import open_register
from tests.callers import Caller, principal
from tests.conftest import Fresh
from tests.databases import ON_FILES, Databases
from tests.operations.tables import Tables
from tests.torture.checking import check
from tests.torture.door import Answer, Door
from tests.torture.journal import Change, Journal
from tests.torture.known import Known
from tests.torture.repertoire import CHANGES, granting
from tests.torture.writer import Writer

pytestmark = ON_FILES

CALLS = 150


class Straight(Door):
    """A door without a server; every so many calls the answer is lost on the way. Ends the work after enough calls."""

    def __init__(self, caller: Caller, over: threading.Event) -> None:
        self._caller = caller
        self._over = over
        self._calls = 0

    def ask(self, tool: str, arguments: dict[str, Any]) -> Answer:
        self._calls += 1
        if self._calls >= CALLS:
            self._over.set()
        try:
            reply = self._caller.call(tool, **arguments)
        except Refusal as refusal:
            return Answer("refused", None, refusal.code, refusal.message)
        return Answer("lost") if self._calls % 7 == 0 else Answer("reply", reply)


@pytest.fixture(scope="module")
def written(fresh: Fresh, databases: Databases) -> tuple[str, list[Change]]:
    """A register, and what a writer was told in some hundred calls: copied for every test."""
    database = databases.copy(fresh.database)
    register = open_register(Settings(database=database))
    owner = Caller(register, fresh.token, fresh.owner_id)
    over, journal, known = threading.Event(), Journal(), Known()
    known.hear("create_domain", owner.call("create_domain", name="Books"))
    bystander = principal(owner, "Bystander").id
    changes = (*CHANGES, (1, granting(bystander)))
    Writer("w1", Straight(owner, over), random.Random(7), journal, known, changes).work(over)
    assert [] == journal.amiss
    register.store.close()
    return database, journal.changes


@pytest.fixture
def database(written: tuple[str, list[Change]], databases: Databases) -> Iterator[str]:
    copy = databases.copy(written[0])
    yield copy
    databases.drop(copy)


@pytest.fixture
def journal(written: tuple[str, list[Change]]) -> Journal:
    return Journal(deepcopy(written[1]))


@pytest.fixture
def tables(database: str) -> Tables:
    return Tables(database)


def changed(database: str, statement: str) -> None:
    engine = create_engine(database, poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text(statement))


def last(journal: Journal, tool: str) -> Change:
    return [each for each in journal.acknowledged() if each.tool == tool][-1]


def test_a_register_in_which_all_is_there_has_nothing_amiss(journal: Journal, tables: Tables, owner: Caller) -> None:
    assert [] == check(journal, tables, owner).lines
    assert {"propose_decision", "ratify_decision", "move_item"} < {each.tool for each in journal.acknowledged()}
    assert journal.in_doubt()
    assert journal.refused()


def test_what_was_acknowledged_and_is_not_there_is_found(journal: Journal, tables: Tables, owner: Caller) -> None:
    reply = {"address": "D999", "rev": 1, "state": "proposed"}
    journal.add(Change("w1.999", "propose_decision", {"title": "T [w1.999]"}, reply=reply))
    found = check(journal, tables, owner)
    assert 2 == found.lost
    assert any("D999 at rev 1" in line for line in found.lines)


def test_what_was_refused_and_is_there_is_found(journal: Journal, tables: Tables, owner: Caller) -> None:
    change = last(journal, "propose_decision")
    change.reply, change.refused = None, "busy"
    found = check(journal, tables, owner)
    assert 1 == found.found_of_refused
    assert any(line.endswith("refused as busy") for line in found.lines)


def test_what_happened_twice_is_found(journal: Journal, tables: Tables, owner: Caller) -> None:
    owner.call("propose_decision", **{**last(journal, "propose_decision").arguments, "request_key": None})
    assert 1 == check(journal, tables, owner).lost


def test_an_address_that_was_given_twice_is_found(journal: Journal, tables: Tables, owner: Caller) -> None:
    first, *_, other = [each for each in journal.acknowledged() if each.tool == "propose_decision"]
    other.reply = first.reply
    assert any(line.startswith("given twice: D") for line in check(journal, tables, owner).lines)


@pytest.mark.parametrize(
    "statement,line",
    [
        ("UPDATE items SET rev = rev - 1 WHERE rev = 2", "not as far as was told"),
        ("UPDATE items SET state = 'retired' WHERE state = 'ratified'", "not as far as was told"),
        ("UPDATE history SET at = '2001' WHERE seq = 20", "entry 20 of the history"),
        ("UPDATE items SET state = 'retired' WHERE state = 'ratified'", "a sweep had to repair"),
        ("UPDATE principals SET name = 'X'", "principals and the history differ"),
    ],
)
def test_tables_that_were_tampered_with_are_found(
    journal: Journal, database: str, tables: Tables, owner: Caller, statement: str, line: str
) -> None:
    changed(database, statement)
    found = check(journal, tables, owner).lines
    assert any(line in each for each in found), found


def test_an_answer_that_should_not_be_is_found(journal: Journal, tables: Tables, owner: Caller) -> None:
    journal.wrong("w1 was told something went wrong on this side")
    assert 1 == len(check(journal, tables, owner).lines)
