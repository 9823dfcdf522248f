"""Copying, backing up and restoring, as the tests of it do: short, and with what they ask of the outcome."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from smeldr.model.errors import Refusal
from smeldr.operations.call import Policy
from smeldr.operations.register import Register
from smeldr.store.contract import StoreUnusable
from smeldr.store.keeping import Copy, back_up, restore
from smeldr.store.store import Store
from tests.callers import Caller
from tests.conftest import Fresh
from tests.operations.tables import Tables

Progress = Callable[[int, int], object]


def ignored(_further: int, _more: int) -> None:
    """Whoever does not watch."""


def backed_up(database: str, file: Path, *, force: bool = False, progress: Progress = ignored) -> Copy:
    """Back a register up."""
    return back_up(database, file, force=force, progress=progress)


def restored(
    file: Path, database: str, *, replace: bool = False, discard: bool = False, progress: Progress = ignored
) -> Copy:
    """Restore a register."""
    return restore(file, database, replace=replace, discard=discard, progress=progress)


def caller(database: str, fresh: Fresh, busy_seconds: float = 10) -> Caller:
    """The owner of the register in this database."""
    opened = Store(database, busy_seconds)
    opened.check()
    return Caller(Register(opened, Policy()), fresh.token, fresh.owner_id)


def dump(file: Path) -> dict[str, list[dict[str, Any]]]:
    """Every row of a backup."""
    return Tables(f"sqlite:///{file}").dump()


def rows_in(database: str) -> int:
    """How many rows there are."""
    return sum(len(rows) for rows in Tables(database).dump().values())


def holds_register(database: str) -> bool:
    """Whether there is a register."""
    with closing(Store(database)) as opened:
        return opened.holds_register()


def refused(code: str, work: Callable[[], object]) -> str:
    """Insist on a refusal with this code, and give its message."""
    with pytest.raises(Refusal) as raised:
        work()
    assert code == raised.value.code, raised.value
    return raised.value.message


def unusable(work: Callable[[], object]) -> str:
    """Insist that a database cannot be used, and give why: one line."""
    with pytest.raises(StoreUnusable) as raised:
        work()
    assert 1 == len(str(raised.value).splitlines())
    return str(raised.value)
