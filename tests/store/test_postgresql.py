"""The contract on PostgreSQL, and what is promised of a PostgreSQL database beyond it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from smeldr.store.store import Store as Database
from tests.cluster import Cluster
from tests.databases import Server
from tests.store.building import at
from tests.store.contract import *  # noqa: F403 - the whole suite, run on the fixture below


@pytest.fixture(scope="module")
def server(cluster: Cluster) -> Server:
    return Server(cluster)


@pytest.fixture(scope="module")
def founded(server: Server) -> str:
    """A founded register without anything in it: copied for every test, since making one takes longer."""
    url = server.new()
    store = Database(url)
    store.migrate()
    with store.write() as unit:
        unit.found_register(at(0))
    store.close()
    return url


@pytest.fixture
def url(server: Server, founded: str) -> Iterator[str]:
    url = server.copy(founded)
    yield url
    server.drop(url)


@pytest.fixture
def store(url: str) -> Iterator[Database]:
    store = Database(url, busy_seconds=0.05)
    yield store
    store.close()
