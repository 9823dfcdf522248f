"""What was acknowledged stays, whatever happens to the process or the disk; what was refused leaves no trace."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, exc
from structlog.typing import EventDict

from smeldr.operations.call import Policy
from smeldr.operations.register import Register
from smeldr.settings import Settings
from smeldr.store.contract import StoreUnusable
from smeldr.wiring import open_register
from tests.callers import Caller
from tests.conftest import Fresh
from tests.operations import writer
from tests.operations.chain import broken
from tests.operations.clock import Clock
from tests.operations.replaying import differences
from tests.operations.tables import Row, Tables


def in_order(owner: Caller, tables: Tables) -> None:
    """Insist that the conditions are what the rules say, the history is whole, and that it is the whole register."""
    run = owner.call("run_sweep")
    assert (0, 0) == (run["opened"], run["closed"])
    assert [] == broken(tables)
    assert {} == differences(tables)


@pytest.mark.parametrize("seed", range(3))
def test_a_process_killed_amid_its_writes_has_lost_nothing_that_it_acknowledged(
    database: str, fresh: Fresh, tables: Tables, seed: int
) -> None:
    chance = random.Random(seed)
    acknowledged: list[Row] = []
    for life in range(2):
        running = writer.start(database, fresh.token, 10_000, seed * 10 + life)
        assert running.stdout is not None
        acknowledged += [json.loads(running.stdout.readline()) for _ in range(chance.randint(5, 40))]
        running.kill()
        acknowledged += [json.loads(line) for line in running.stdout if line.endswith("\n")]
        running.stdout.close()
        assert -9 == running.wait()

    owner = Caller(open_register(Settings(database=database)), fresh.token, fresh.owner_id)
    proposed = [each["address"] for each in acknowledged if each["tool"] == "propose_decision"]
    assert len(proposed) == len(set(proposed))
    last = {each["address"]: each for each in acknowledged if "address" in each}
    for address, told in last.items():
        found = owner.call("get_decision", id=address)
        assert told["rev"] <= found["rev"]
        assert told["rev"] < found["rev"] or told["state"] == found["state"]
    in_order(owner, tables)


@contextmanager
def room(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond this many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("characters", [100_000, 200_000])
def test_a_write_for_which_the_disk_has_no_room_is_refused_and_leaves_nothing(
    owner: Caller, tables: Tables, characters: int
) -> None:
    owner.call("propose_decision", title="Before", body="B")
    with tables.unchanged():
        with room(90_000):
            refusal = owner.refused("internal", "propose_decision", title="T", body="x" * characters)
        assert 500 == refusal.status
        assert 1 == owner.call("list_decisions")["total"]
    assert "D2" == owner.call("propose_decision", title="After", body="x" * characters)["address"]
    in_order(owner, tables)


@contextmanager
def unprivileged(folder: Path) -> Iterator[None]:
    """Be somebody who may read the files of the folder and write none of them, even when run as an administrator."""
    for each in (folder, *folder.iterdir()):
        each.chmod(0o555 if each.is_dir() else 0o444)
    privileged = os.geteuid() == 0
    if privileged:
        os.seteuid(65534)
    try:
        yield
    finally:
        if privileged:
            os.seteuid(0)
        folder.chmod(0o755)


@pytest.fixture
def shelf() -> Iterator[Path]:
    """A folder that everybody can reach, unlike those that pytest makes."""
    folder = Path(tempfile.mkdtemp())
    yield folder
    shutil.rmtree(folder)


def test_a_register_in_a_folder_that_cannot_be_written_is_refused_in_one_line(fresh: Fresh, shelf: Path) -> None:
    file = Path(shutil.copyfile(fresh.file, shelf / "register.db"))
    content = file.read_bytes()
    with unprivileged(shelf), pytest.raises(StoreUnusable) as raised:
        open_register(Settings(database=f"sqlite:///{file}"))
    assert str(raised.value).startswith("the database cannot be read: ")
    assert 1 == len(str(raised.value).splitlines())
    assert content == file.read_bytes()


def test_a_register_whose_file_has_become_read_only_answers_reads_and_refuses_writes(fresh: Fresh, shelf: Path) -> None:
    file = Path(shutil.copyfile(fresh.file, shelf / "register.db"))
    database = f"sqlite:///{file}"
    first = Caller(open_register(Settings(database=database)), fresh.token, fresh.owner_id)
    first.call("propose_decision", title="T", body="B")
    tables = Tables(database)
    before = tables.dump()
    with unprivileged(shelf):
        later = Caller(open_register(Settings(database=database)), fresh.token, fresh.owner_id)
        assert 1 == later.call("list_decisions")["total"]
        refusal = later.refused("internal", "propose_decision", title="T", body="B")
        assert "the store fails: its file is read-only; nothing was written" == refusal.message
        later.register.store.close()
    assert before == tables.dump()
    file.chmod(0o644)
    assert "D2" == first.call("propose_decision", title="T", body="B")["address"]
    in_order(first, tables)


def test_the_history_never_goes_back_when_the_clock_does(timed: Caller, clock: Clock, tables: Tables) -> None:
    for back in (0, 3600, 1, 86_400):
        clock.now -= timedelta(seconds=back)
        made = timed.call("propose_decision", title="T", body="B")
        timed.call("ratify_decision", decision=made["address"])
        timed.call("retire_decision", decision=made["address"], reason="R")
    instants = [entry["at"] for entry in tables.entries()]
    assert sorted(instants) == instants
    assert 1 == len({entry["at"] for entry in tables.entries() if entry["subject_type"] == "Decision"})
    in_order(timed, tables)


def test_a_call_that_fails_inside_leaves_no_trace_and_says_where_the_log_has_it(
    owner: Caller, tables: Tables, logged: list[EventDict], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fault(*_: object) -> None:
        raise RuntimeError("a secret of the inside")

    monkeypatch.setattr("smeldr.store.history.History.append", fault)
    with tables.unchanged():
        refusal = owner.refused("internal", "propose_decision", title="T", body="B")
    assert "secret" not in refusal.message
    (entry,) = logged
    assert entry["incident"] in refusal.message


def test_a_commit_that_fails_says_that_nobody_knows(owner: Caller, tables: Tables) -> None:
    def fault(_: object) -> None:
        raise exc.OperationalError("COMMIT", {}, Exception("gone"))

    engine: Engine = owner.register.store._engine.engine  # type: ignore[attr-defined]
    event.listen(engine, "commit", fault)
    with tables.unchanged():
        refusal = owner.refused("internal", "propose_decision", title="T", body="B", request_key="k")
    assert "request_key" in refusal.message
    event.remove(engine, "commit", fault)
    assert "D1" == owner.call("propose_decision", title="T", body="B", request_key="k")["address"]
    assert "D1" == owner.call("propose_decision", title="T", body="B", request_key="k")["address"]


def test_a_register_opened_anew_knows_all_that_was_acknowledged(owner: Caller, database: str, tables: Tables) -> None:
    address = owner.ratified("T")
    again = Register(open_register(Settings(database=database)).store, Policy())
    assert "ratified" == Caller(again, owner.token, owner.id).call("get_decision", id=address)["state"]
    in_order(owner, tables)
