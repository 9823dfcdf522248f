"""A register of an older revision is brought forward whole, answers as it did before, or stays what it was."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, event

from smeldr.model.errors import Refusal
from smeldr.operations.call import Policy
from smeldr.operations.register import Register
from smeldr.store.contract import StoreUnusable
from smeldr.store.store import Store, newest_revision
from tests.operations.chain import broken
from tests.operations.replaying import differences
from tests.operations.tables import Tables
from tests.store.building import Broken
from tests.store.revisions import Rows, bring_to, fill, kept, rows

FIRST = kept("0001")
NOW = datetime.fromisoformat(FIRST["now"])


@pytest.fixture
def first(empty: str) -> str:
    """A register that is still at the first revision."""
    bring_to(empty, "0001")
    fill(empty, FIRST["tables"])
    return empty


@pytest.fixture
def migrated(first: str) -> str:
    Store(first).migrate()
    return first


def opened(url: str, at: datetime = NOW) -> Register:
    """The register, when it is that late."""
    return Register(Store(url), Policy(), lambda: at)


def ask(register: Register, asked: dict[str, Any]) -> dict[str, Any]:
    """What the register answers a caller of the file."""
    try:
        return register.call(asked["tool"], dict(asked["arguments"]), FIRST["tokens"][asked["who"]])
    except Refusal as refusal:
        return refusal.reply()


def holds(former: Any, now: Any) -> bool:
    """Whether an answer says all that it said before; more keys may have come."""
    if isinstance(former, dict):
        return isinstance(now, dict) and all(name in now and holds(each, now[name]) for name, each in former.items())
    if isinstance(former, list):
        return isinstance(now, list) and len(former) == len(now) and all(map(holds, former, now))
    return bool(former == now)


def test_a_server_on_an_older_revision_is_told_to_migrate(first: str) -> None:
    with pytest.raises(StoreUnusable) as raised:
        Store(first).check()
    assert "the database is at revision 0001: run `smeldr migrate`" == str(raised.value)
    assert not opened(first).ready()


def test_a_migrated_register_answers_as_it_did_before(migrated: str) -> None:
    register = opened(migrated)
    assert register.ready()
    differing = {
        (each["who"], each["tool"], str(each["arguments"])): (each["reply"], answer)
        for each in FIRST["answers"]
        if not holds(each["reply"], answer := ask(register, each))
    }
    assert {} == differing
    assert len(FIRST["answers"]) > 40


def test_a_migrated_register_holds_what_it_held_and_its_history_is_whole(migrated: str) -> None:
    there = rows(migrated)
    for name, former in FIRST["tables"].items():
        assert former == [{column: row[column] for column in old} for old, row in zip(former, there[name], strict=True)]
    assert [] == broken(Tables(migrated))
    assert {} == differences(Tables(migrated))


def test_the_counts_of_the_first_revision_are_the_first_generation_of_the_run_that_made_them(migrated: str) -> None:
    there = rows(migrated)
    assert {1} == {row["generation"] for row in (*there["rest_counts"], *there["register"])}
    assert [None, 1, None] == [row["generation"] for row in there["sweep_runs"]]


def test_a_migrated_register_is_swept_and_the_first_generation_goes(migrated: str) -> None:
    late = {"who": "owner", "tool": "list_rest_counts", "arguments": {"items": [{"type": "Decision", "id": "D7"}]}}
    register = opened(migrated, NOW + timedelta(days=2))
    assert "counted_at" not in ask(register, late)["counts"][0]
    run = register.sweep()
    assert (0, 0) == (run["opened"], run["closed"])
    assert {2} == {row["generation"] for row in rows(migrated)["rest_counts"]}
    assert {"open": 0, "closed": 2} == ask(register, late)["counts"][0]["this_rests_on"]
    assert [] == rows(migrated)["request_keys"]


def test_a_register_that_was_never_swept_is_migrated_too(empty: str) -> None:
    bring_to(empty, "0001")
    fill(empty, {**FIRST["tables"], "rest_counts": [], "sweep_runs": []})
    Store(empty).migrate()
    assert "error" not in opened(empty).sweep()
    assert [2] == [row["generation"] for row in rows(empty)["sweep_runs"]]


def test_migrating_again_changes_nothing(migrated: str) -> None:
    before = rows(migrated)
    Store(migrated).migrate()
    assert before == rows(migrated)
    assert [{"version_num": newest_revision()}] == before["alembic_version"]


def test_a_migration_that_fails_at_any_statement_leaves_the_former_revision_whole(first: str) -> None:
    before = rows(first)
    for statement in itertools.count(1):
        with failing_at(statement):
            try:
                Store(first).migrate()
            except Broken:
                assert before == rows(first)
            else:
                break
    assert statement > 12
    Store(first).check()


@contextmanager
def failing_at(statement: int) -> Iterator[None]:
    """Fail before that statement, of those that change something, is sent."""
    sent = itertools.count(1)

    def look(_: Any, __: Any, sql: str, *___: Any) -> None:
        if sql.split()[0] in ("CREATE", "ALTER", "DROP", "INSERT", "UPDATE") and next(sent) == statement:
            raise Broken

    event.listen(Engine, "before_cursor_execute", look)
    try:
        yield
    finally:
        event.remove(Engine, "before_cursor_execute", look)


def test_the_rows_of_the_file_are_in_the_tables_before_anything_is_migrated(first: str) -> None:
    there: Rows = rows(first)
    assert FIRST["tables"] == {name: there[name] for name in FIRST["tables"]}
