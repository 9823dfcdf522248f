"""The databases that the tests run on: how each kind makes a new one, copies one, and is held from outside."""

from __future__ import annotations

import itertools
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Final, Protocol

import psycopg
import pytest
from sqlalchemy.engine import make_url

from smeldr.store.postgresql import WRITING
from tests.cluster import Cluster

KINDS: Final = ("sqlite", "postgresql")
ON_FILES: Final = pytest.mark.parametrize("databases", ["sqlite"], indirect=True, scope="session")
ON_A_SERVER: Final = pytest.mark.parametrize("databases", ["postgresql"], indirect=True, scope="session")


class Databases(Protocol):
    """One kind of database."""

    kind: str

    def new(self) -> str:
        """The URL of an empty database of its own."""

    def copy(self, url: str) -> str:
        """The URL of a copy of a database that nobody writes."""

    def drop(self, url: str) -> None:
        """Remove the database, whoever uses it."""

    def held(self, url: str) -> AbstractContextManager[None]:
        """Hold the lock of its writers from outside."""


class Files:
    """SQLite: a file each."""

    kind = "sqlite"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = itertools.count(1)

    def new(self) -> str:
        return f"sqlite:///{self._folder}/register-{next(self._numbers)}.db"

    def copy(self, url: str) -> str:
        made = self.new()
        with closing(sqlite3.connect(file_of(url))) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        shutil.copyfile(file_of(url), file_of(made))
        return made

    def drop(self, url: str) -> None:
        for each in file_of(url).parent.glob(f"{file_of(url).name}*"):
            each.unlink()

    @contextmanager
    def held(self, url: str) -> Iterator[None]:
        with closing(sqlite3.connect(file_of(url), isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield


class Server:
    """PostgreSQL: databases of one server."""

    kind = "postgresql"

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def new(self) -> str:
        return self.cluster.url(self.cluster.create())

    def copy(self, url: str) -> str:
        return self.cluster.url(self.cluster.create(_name(url)))

    def drop(self, url: str) -> None:
        self.cluster.drop(_name(url))

    @contextmanager
    def held(self, url: str) -> Iterator[None]:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"SELECT pg_advisory_lock({WRITING})")
            yield


def file_of(url: str) -> Path:
    """The file of an SQLite database."""
    return Path(url.removeprefix("sqlite:///"))


def _name(url: str) -> str:
    name = make_url(url).database
    assert name is not None
    return name
