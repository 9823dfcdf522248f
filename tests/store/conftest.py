"""What the tests of the store share: the asserts of the contract told in full, and databases, empty and filled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from smeldr.settings import Settings
from smeldr.wiring import open_register
from tests.callers import Caller
from tests.conftest import Fresh
from tests.databases import KINDS, Databases, Server
from tests.store.filled import fill
from tests.store.kept import backed_up

pytest.register_assert_rewrite("tests.store.contract")


@pytest.fixture(scope="session")
def _filled(fresh: Fresh, databases: Databases) -> str:
    database = databases.copy(fresh.database)
    register = open_register(Settings(database=database))
    fill(Caller(register, fresh.token, fresh.owner_id))
    register.store.close()
    return database


@pytest.fixture
def filled(_filled: str, databases: Databases) -> Iterator[str]:
    """The URL of a register with something in every table, of this test's own."""
    copy = databases.copy(_filled)
    yield copy
    databases.drop(copy)


@pytest.fixture
def empty(databases: Databases) -> Iterator[str]:
    """The URL of an empty database."""
    made = databases.new()
    yield made
    databases.drop(made)


@pytest.fixture(params=KINDS)
def elsewhere(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty database of each kind in turn, whichever kind the test is run on."""
    if request.param == "postgresql":
        server = Server(request.getfixturevalue("cluster"))
        url = server.new()
        yield url
        server.drop(url)
    else:
        yield f"sqlite:///{tmp_path}/elsewhere.db"


@pytest.fixture
def backup(filled: str, tmp_path: Path) -> Path:
    """The filled register, backed up into a folder that holds nothing else."""
    file = tmp_path / "backup.db"
    backed_up(filled, file)
    return file
