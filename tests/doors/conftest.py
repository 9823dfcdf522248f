"""What the tests of the doors start from: a register behind a real server, and async tests on asyncio."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from smeldr.doors.app import build_app
from smeldr.operations.register import Register
from smeldr.settings import Settings
from smeldr.wiring import open_register
from tests.callers import Caller
from tests.conftest import Fresh
from tests.databases import Databases
from tests.doors.serving import serving


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def url(register: Register) -> Iterator[str]:
    """The address of a real server over a fresh register."""
    with serving(build_app(register, Settings())) as address:
        yield address


@pytest.fixture
def twin(fresh: Fresh, databases: Databases) -> Iterator[Caller]:
    """The owner of another fresh register, which is the same to the last byte."""
    database = databases.copy(fresh.database)
    yield Caller(open_register(Settings(database=database)), fresh.token, fresh.owner_id)
    databases.drop(database)
