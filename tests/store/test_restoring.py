"""A register put back from a backup: at one moment, with what was there before kept."""

from __future__ import annotations

import random
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection

from smeldr.model.errors import Refusal
from smeldr.settings import Settings
from smeldr.store import keeping
from smeldr.store.copying import clear
from smeldr.store.store import Store
from smeldr.wiring import initialise
from tests.conftest import Fresh
from tests.operations.order import in_order
from tests.operations.tables import Tables
from tests.store import killed
from tests.store.kept import caller, dump, refused, restored, rows_in


def test_a_backup_is_restored_into_an_empty_database_to_the_last_row(
    filled: str, backup: Path, elsewhere: str, fresh: Fresh
) -> None:
    done = restored(backup, elsewhere)
    assert done.former is None
    assert Tables(filled).dump() == Tables(elsewhere).dump()
    in_order(caller(elsewhere, fresh), Tables(elsewhere))


def test_what_is_replaced_is_kept_as_a_backup_of_its_own(filled: str, backup: Path, fresh: Fresh) -> None:
    owner = caller(filled, fresh)
    backed_up_then = Tables(filled).dump()
    owner.call("propose_decision", title="Since", body="B")
    since = Tables(filled).dump()
    former = restored(backup, filled).former
    assert former is not None
    assert backup.parent == former.parent
    assert former.name.startswith("backup.db.replaced-2")
    assert backed_up_then == Tables(filled).dump()
    assert since == dump(former)
    assert "D10" == owner.call("propose_decision", title="Again", body="B")["address"]
    restored(former, filled, discard=True)
    assert since == Tables(filled).dump()
    assert "D11" == owner.call("propose_decision", title="Again", body="B")["address"]


def test_another_register_is_replaced_only_when_asked_for(backup: Path, filled: str, empty: str) -> None:
    initialise(Settings(database=empty), "Somebody")
    before = Tables(empty).dump()
    message = refused("conflict", lambda: restored(backup, empty))
    assert "the database holds another register than the backup: say --replace to replace it" == message
    assert before == Tables(empty).dump()
    assert [backup] == list(backup.parent.iterdir())
    former = restored(backup, empty, replace=True).former
    assert former is not None
    assert (before, Tables(filled).dump()) == (dump(former), Tables(empty).dump())


def test_whoever_reads_meanwhile_sees_the_register_before_and_whoever_writes_is_told_that_it_is_busy(
    filled: str, backup: Path, fresh: Fresh
) -> None:
    owner = caller(filled, fresh, busy_seconds=0.05)
    for title in ("One", "Two"):
        owner.call("propose_decision", title=title, body="B")
    totals: set[int] = set()
    refusals: set[str] = set()

    def look(_further: int, _more: int) -> None:
        totals.add(owner.call("list_decisions")["total"])
        try:
            owner.call("propose_decision", title="Meanwhile", body="B")
        except Refusal as refusal:
            refusals.add(refusal.code)

    restored(backup, filled, progress=look)
    assert ({11}, {"busy"}) == (totals, refusals)
    assert 9 == owner.call("list_decisions")["total"]


def test_a_caller_in_a_loop_sees_the_one_register_or_the_other(filled: str, backup: Path, fresh: Fresh) -> None:
    owner = caller(filled, fresh)
    for each in range(3, 10):
        owner.call("move_item", type="Decision", id=f"D{each}", place="DOM2", reason="So")
    seen: list[tuple[str, ...]] = []
    refusals: set[str] = set()
    restoring, over = threading.Event(), threading.Event()

    def loop() -> None:
        while not over.is_set():
            decisions = owner.call("list_decisions")["decisions"]
            seen.append(tuple(each["place"] for each in decisions if each["title"] != "Meanwhile"))
            try:
                owner.call("propose_decision", title="Meanwhile", body="B")
            except Refusal as refusal:
                refusals.add(refusal.code)
            restoring.set()

    thread = threading.Thread(target=loop)
    thread.start()
    restoring.wait()
    restored(backup, filled)
    over.set()
    thread.join()
    seen.append(tuple(each["place"] for each in owner.call("list_decisions")["decisions"][:9]))
    before, after = seen[0], seen[-1]
    assert before != after
    assert [before] * seen.count(before) + [after] * seen.count(after) == seen
    assert refusals <= {"busy"}
    in_order(owner, Tables(filled))


def test_a_restore_that_fails_leaves_the_register_and_nothing_beside_the_backup(
    filled: str, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(connection: Connection) -> None:
        clear(connection)
        raise KeyboardInterrupt

    monkeypatch.setattr(keeping, "clear", failing)
    with Tables(filled).unchanged(), pytest.raises(KeyboardInterrupt):
        restored(backup, filled)
    assert [backup] == list(backup.parent.iterdir())


@pytest.mark.parametrize("seed", range(2))
def test_a_killed_restore_leaves_the_register_as_it_was(filled: str, backup: Path, seed: int) -> None:
    with Tables(filled).unchanged():
        assert -9 == killed.run("restore", str(backup), filled, random.Random(seed).randint(0, 4 * rows_in(filled)))
    restored(backup, filled)


def test_a_sweep_that_runs_would_count_the_register_before(filled: str, backup: Path) -> None:
    with closing(Store(filled)) as sweeping, sweeping.sweeping(), Tables(filled).unchanged():
        assert "a sweep is running" in refused("conflict", lambda: restored(backup, filled))
