"""A register on a file: what the disk and the rights on it do to calls."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from smeldr.settings import Settings
from smeldr.store.contract import StoreUnusable
from smeldr.wiring import open_register
from tests.callers import Caller
from tests.conftest import Fresh
from tests.databases import ON_FILES, file_of
from tests.machine import room, unprivileged
from tests.operations.order import in_order
from tests.operations.tables import Tables

pytestmark = ON_FILES


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


def test_a_register_in_a_folder_that_cannot_be_written_is_refused_in_one_line(fresh: Fresh, shelf: Path) -> None:
    file = Path(shutil.copyfile(file_of(fresh.database), shelf / "register.db"))
    content = file.read_bytes()
    with unprivileged(shelf), pytest.raises(StoreUnusable) as raised:
        open_register(Settings(database=f"sqlite:///{file}"))
    assert str(raised.value).startswith("the database cannot be read: ")
    assert 1 == len(str(raised.value).splitlines())
    assert content == file.read_bytes()


def test_a_register_whose_file_has_become_read_only_answers_reads_and_refuses_writes(fresh: Fresh, shelf: Path) -> None:
    file = Path(shutil.copyfile(file_of(fresh.database), shelf / "register.db"))
    database = f"sqlite:///{file}"
    first = Caller(open_register(Settings(database=database)), fresh.token, fresh.owner_id)
    first.call("propose_decision", title="T", body="B")
    tables = Tables(database)
    before = tables.dump()
    with unprivileged(shelf):
        later = Caller(open_register(Settings(database=database)), fresh.token, fresh.owner_id)
        assert 1 == later.call("list_decisions")["total"]
        refusal = later.refused("internal", "propose_decision", title="T", body="B")
        assert refusal.message.startswith("the store fails: its file is read-only; nothing was written; the log has it")
        later.register.store.close()
    assert before == tables.dump()
    file.chmod(0o644)
    assert "D2" == first.call("propose_decision", title="T", body="B")["address"]
    in_order(first, tables)
