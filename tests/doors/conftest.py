"""What the tests of the doors start from: a register behind a real server, and async tests on asyncio."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from smeldr.doors.app import build_app
from smeldr.operations.register import Register
from smeldr.settings import Settings
from smeldr.wiring import open_register
from tests.callers import Caller
from tests.conftest import Fresh
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
def twin(fresh: Fresh, tmp_path: Path) -> Caller:
    """The owner of another fresh register, which is the same to the last byte."""
    file = tmp_path / "twin.db"
    shutil.copyfile(fresh.file, file)
    return Caller(open_register(Settings(database=f"sqlite:///{file}")), fresh.token, fresh.owner_id)
