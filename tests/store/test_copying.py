"""Rows copied from one connection to another, and what is noticed of it when they are read back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from typing import Any

import pytest
from sqlalchemy import Connection, Table, literal, update

from smeldr.model.errors import Refusal
from smeldr.store import copying
from smeldr.store.contract import StoreUnusable
from smeldr.store.copying import clear, compare_rows, copy_rows, is_empty, register_in
from smeldr.store.rows import add_rows
from smeldr.store.schema import METADATA, history, texts
from smeldr.store.store import Store
from tests.databases import Databases
from tests.operations.tables import Tables


def ignored(_further: int, _more: int) -> None:
    """Whoever does not watch."""


@pytest.fixture
def open_store(databases: Databases) -> Iterator[Any]:
    with ExitStack() as stack:
        yield lambda url: stack.enter_context(closing(Store(url)))


@pytest.fixture
def source(filled: str, open_store: Any) -> Iterator[Connection]:
    with open_store(filled).reading() as connection:
        yield connection


@pytest.fixture
def target(empty: str, open_store: Any) -> Iterator[Connection]:
    store = open_store(empty)
    store.migrate()
    with store.replacing() as connection:
        yield connection


def test_every_row_arrives_as_it_was_and_is_summed_up(source: Connection, target: Connection, filled: str) -> None:
    assert is_empty(target)
    sums = copy_rows(source, target, ignored)
    compare_rows(target, sums, ignored)
    there = Tables(filled).dump()
    for table in METADATA.sorted_tables:
        rows = target.execute(table.select().order_by(*table.primary_key.columns))
        assert there[table.name] == [dict(row._mapping) for row in rows]
    assert {name: len(rows) for name, rows in there.items()} == {each.table: each.rows for each in sums}
    assert 0 not in [each.rows for each in sums]
    assert register_in(source) == register_in(target)


def test_a_sum_can_be_taken_by_anybody_who_reads_the_rows(source: Connection, target: Connection, filled: str) -> None:
    def listed(row: Mapping[str, Any]) -> str:
        return json.dumps(list(row.values()), ensure_ascii=False, separators=(",", ":")) + ","

    expected = {
        name: hashlib.sha256("".join(map(listed, rows)).encode()).hexdigest()
        for name, rows in Tables(filled).dump().items()
    }
    assert expected == {each.table: each.sha256 for each in copy_rows(source, target, ignored)}


@pytest.mark.parametrize("batch", [1, 3, 1_000])
def test_it_does_not_matter_how_many_rows_are_held_at_once(
    source: Connection, target: Connection, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = copy_rows(source, target, ignored)
    clear(target)
    assert is_empty(target)
    monkeypatch.setattr(copying, "BATCH", batch)
    assert expected == copy_rows(source, target, ignored)
    compare_rows(target, expected, ignored)


def test_what_is_said_of_the_progress_adds_up(source: Connection, target: Connection) -> None:
    steps: list[tuple[int, int]] = []
    sums = copy_rows(source, target, lambda *step: steps.append(step))
    compare_rows(target, sums, lambda *step: steps.append(step))
    twice = 2 * sum(each.rows for each in sums)
    assert (0, twice) == steps[0]
    assert (twice, twice) == (sum(further for further, _ in steps), sum(more for _, more in steps))


@pytest.mark.parametrize(
    "change",
    [
        update(texts).where(texts.c.key == 3_000_000_000_001).values(body=texts.c.body + literal(" ")),
        update(texts).where(texts.c.key == 3_000_000_000_001).values(ratified_by=""),
        texts.delete().where(texts.c.key == 3_000_000_000_007),
    ],
    ids=["a character more", "empty for absent", "a row less"],
)
def test_a_row_that_changed_on_its_way_is_noticed(source: Connection, target: Connection, change: Any) -> None:
    sums = copy_rows(source, target, ignored)
    assert 1 == target.execute(change).rowcount
    with pytest.raises(Refusal) as raised:
        compare_rows(target, sums, ignored)
    assert "internal" == raised.value.code
    assert "the table texts did not arrive as it was read; nothing was written" == raised.value.message


def test_a_row_that_was_lost_while_it_was_written_is_noticed(
    source: Connection, target: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def losing(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        add_rows(connection, table, rows[:-1] if table.name == "grants" else rows)

    monkeypatch.setattr(copying, "add_rows", losing)
    sums = copy_rows(source, target, ignored)
    with pytest.raises(Refusal, match="the table grants did not arrive"):
        compare_rows(target, sums, ignored)


def test_rows_that_the_database_does_not_take_are_told_in_one_line_with_their_table(
    source: Connection, target: Connection
) -> None:
    copy_rows(source, target, ignored)
    target.execute(METADATA.tables["history_texts"].delete())
    target.execute(history.delete())
    with pytest.raises(StoreUnusable) as raised:
        copy_rows(source, target, ignored)
    assert str(raised.value).startswith("the table confirmations cannot be written: ")
    assert 1 == len(str(raised.value).splitlines())
