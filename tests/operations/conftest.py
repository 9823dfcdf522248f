"""What the tests of the operations share: the tables behind the register, and a register with a clock of the test's."""

from __future__ import annotations

import pytest

from smeldr.operations.call import Policy
from smeldr.operations.register import Register
from tests.callers import Caller
from tests.operations.clock import Clock
from tests.operations.tables import Tables


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
