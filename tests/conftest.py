"""What most tests start from: a fresh register on a SQLite file, its owner, and callers made to measure."""

from __future__ import annotations

import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
import structlog

from smeldr.operations.register import Register
from smeldr.settings import Settings
from smeldr.wiring import initialise, open_register
from tests.callers import Caller, Rights, principal

MakeCaller = Callable[..., Caller]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what runs in the background deaf to Ctrl-C, and what the tests start would be deaf too.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass(frozen=True)
class Fresh:
    """A register that holds nothing but its owner: copied for every test, since making one takes longer."""

    file: Path
    token: str
    owner_id: str


@pytest.fixture(autouse=True)
def _log_as_before() -> Iterator[None]:
    """A test that set the log up leaves it as it was: to its own standard error nobody may write after it."""
    yield
    structlog.reset_defaults()


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Fresh:
    file = tmp_path_factory.mktemp("fresh") / "register.db"
    made = initialise(Settings(database=f"sqlite:///{file}"), "Owner")
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return Fresh(file, made["token"], made["principal"])


@pytest.fixture
def database(fresh: Fresh, tmp_path: Path) -> str:
    """The URL of a fresh register of this test's own."""
    file = tmp_path / "register.db"
    shutil.copyfile(fresh.file, file)
    return f"sqlite:///{file}"


@pytest.fixture
def register(database: str) -> Register:
    """A fresh register with an owner in it."""
    return open_register(Settings(database=database))


@pytest.fixture
def owner(fresh: Fresh, register: Register) -> Caller:
    """The owner: all four rights over ROOT."""
    return Caller(register, fresh.token, fresh.owner_id)


@pytest.fixture
def caller(owner: Caller) -> MakeCaller:
    """Make a principal: `caller("Writer", rights={"ARE1": ["author"]})`, `caller("Bot", "agent")`."""

    def make(name: str, cls: str = "person", rights: Rights | None = None) -> Caller:
        return principal(owner, name, cls, rights)

    return make
