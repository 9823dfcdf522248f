"""What the tests of the operations share: the tables behind the register, and a register with a clock of the test's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs
from structlog.typing import EventDict

from smeldr.operations.call import Policy
from smeldr.operations.register import Register
from smeldr.settings import Settings
from smeldr.wiring import open_register
from tests.callers import Caller
from tests.conftest import Fresh
from tests.databases import Databases
from tests.operations.calls import furnish
from tests.operations.clock import Clock
from tests.operations.tables import Tables


@pytest.fixture(autouse=True)
def logged() -> Iterator[list[EventDict]]:
    """What the register has said to its log, from a warning on unless a test asks for more."""
    with capture_logs([merge_contextvars]) as entries:
        yield entries


@pytest.fixture
def tables(database: str) -> Tables:
    """The tables of the fresh register."""
    return Tables(database)


@pytest.fixture
def clock() -> Clock:
    """A clock that the test moves."""
    return Clock()


@pytest.fixture
def timed(register: Register, owner: Caller, clock: Clock) -> Caller:
    """The owner of the fresh register, by the test's clock."""
    return Caller(Register(register.store, Policy(), clock), owner.token, owner.id)


@pytest.fixture(scope="session")
def furnished(fresh: Fresh, databases: Databases) -> str:
    """The register that the calls of calls.py are about: copied for every test that makes them."""
    database = databases.copy(fresh.database)
    register = open_register(Settings(database=database))
    furnish(Caller(register, fresh.token, fresh.owner_id))
    register.store.close()
    return database
