"""What most tests start from: a fresh register on each kind of database, its owner, and callers made to measure."""

from __future__ import annotations

import logging
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import structlog

from smeldr.doors.logs import OURS
from smeldr.operations.register import Register
from smeldr.settings import Settings
from smeldr.store.engines import open_engine
from smeldr.wiring import initialise, open_register
from tests.callers import Caller, Rights, principal
from tests.cluster import Cluster
from tests.databases import KINDS, Databases, Files, Server

MakeCaller = Callable[..., Caller]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what runs in the background deaf to Ctrl-C, and what the tests start would be deaf too.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass(frozen=True)
class Fresh:
    """A register that holds nothing but its owner: copied for every test, since making one takes longer."""

    database: str
    token: str
    owner_id: str


def _log_to_nobody() -> None:
    structlog.reset_defaults()
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.ReturnLoggerFactory(),
    )
    root = logging.getLogger()
    root.handlers[:] = [handler for handler in root.handlers if handler.get_name() != OURS]
    for name in ("uvicorn", "uvicorn.error"):
        logging.getLogger(name).propagate = True


_log_to_nobody()


@pytest.fixture(autouse=True)
def _log_as_before() -> Iterator[None]:
    """A test that set the log up leaves it as it was: to its own standard error nobody may write after it."""
    yield
    _log_to_nobody()


@pytest.fixture(autouse=True)
def _connections_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close what a test has opened: many of them open a register and let go of it."""
    opened = []

    def opening(*how: Any, **more: Any) -> Any:
        opened.append(open_engine(*how, **more))
        return opened[-1]

    monkeypatch.setattr("smeldr.store.store.open_engine", opening)
    yield
    for engine in opened:
        engine.close()


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A server of PostgreSQL that all tests share."""
    cluster = Cluster()
    yield cluster
    cluster.remove()


@pytest.fixture(scope="session", params=KINDS)
def databases(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Databases:
    """Each kind of database in turn: whatever starts from it is tested on all of them.

    A test that is about one kind says so: `ON_FILES` and `ON_A_SERVER` of databases.py.
    """
    if request.param == "postgresql":
        return Server(request.getfixturevalue("cluster"))
    return Files(tmp_path_factory.mktemp("databases"))


@pytest.fixture(scope="session")
def fresh(databases: Databases) -> Fresh:
    database = databases.new()
    made = initialise(Settings(database=database), "Owner")
    return Fresh(database, made["token"], made["principal"])


@pytest.fixture
def database(fresh: Fresh, databases: Databases) -> Iterator[str]:
    """The URL of a fresh register of this test's own."""
    copy = databases.copy(fresh.database)
    yield copy
    databases.drop(copy)


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


@pytest.fixture
def shelf() -> Iterator[Path]:
    """A folder that everybody can reach, unlike those that pytest makes."""
    folder = Path(tempfile.mkdtemp())
    yield folder
    shutil.rmtree(folder)
