"""The contract on PostgreSQL, and what is promised of a PostgreSQL database beyond it."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from smeldr.model.errors import Refusal
from smeldr.store.contract import StoreUnusable
from smeldr.store.postgresql import AT_THE_LOCK
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


def unusable(url: str) -> str:
    """Why a store cannot be used, in one line."""
    with pytest.raises(StoreUnusable) as raised:
        Database(url).check()
    told = str(raised.value)
    assert len(told.splitlines()) == 1
    return told


def test_a_database_without_tables_is_no_register_yet_and_can_become_one(server: Server) -> None:
    url = server.new()
    assert "there is no register in this database yet: run `smeldr init`" == unusable(url)
    Database(url).migrate()
    assert "there is no register in this database yet: run `smeldr init`" == unusable(url)


def test_a_database_that_is_not_there_is_told_in_one_line_without_its_password(server: Server) -> None:
    url = server.cluster.url("nonesuch").replace("postgres@", "postgres:secret@")
    told = unusable(url)
    assert told.startswith("the database cannot be read: ")
    assert 'database "nonesuch" does not exist' in told
    assert "secret" not in told


def test_a_server_that_is_not_there_is_told_in_one_line() -> None:
    assert "Connection refused" in unusable("postgresql://nobody@127.0.0.1:1/register")


def test_a_url_without_a_database_is_told_in_one_line() -> None:
    assert "SMELDR_DATABASE needs a database, for example postgresql://smeldr@localhost/smeldr" == unusable(
        "postgresql://localhost"
    )


def test_a_database_of_another_encoding_is_refused_and_left_as_it_is(server: Server) -> None:
    name = server.cluster.create(encoding="LATIN1")
    url = server.cluster.url(name)
    assert "the database holds text as LATIN1: Smeldr takes one that was made with ENCODING 'UTF8'" == unusable(url)
    with pytest.raises(StoreUnusable, match="LATIN1"):
        Database(url).migrate()
    assert [] == server.cluster.tell("SELECT 1 FROM pg_tables WHERE schemaname = 'public'", name)


def test_the_database_of_something_else_is_refused_and_left_as_it_is(server: Server) -> None:
    name = server.cluster.create()
    server.cluster.tell("CREATE TABLE songs (title text)", name)
    url = server.cluster.url(name)
    assert "the database holds the tables of something else, and no register" == unusable(url)
    with pytest.raises(StoreUnusable):
        Database(url).migrate()
    assert [("songs",)] == server.cluster.tell("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", name)


def test_a_register_of_a_newer_version_is_refused_and_left_as_it_is(server: Server, url: str) -> None:
    name = url.split("/")[3].partition("?")[0]
    server.cluster.tell("UPDATE alembic_version SET version_num = '9999'", name)
    assert "the database is at revision 9999, which is newer than this version of Smeldr" == unusable(url)
    with pytest.raises(StoreUnusable, match="newer"):
        Database(url).migrate()
    assert [("9999",)] == server.cluster.tell("SELECT version_num FROM alembic_version", name)


@pytest.mark.parametrize("told,used", [("off", "on"), ("local", "local"), ("remote_apply", "remote_apply")])
def test_a_commit_is_on_the_disk_before_it_is_answered_whatever_the_database_is_set_to(
    server: Server, url: str, told: str, used: str
) -> None:
    name = url.split("/")[3].partition("?")[0]
    server.cluster.tell(f"ALTER DATABASE {name} SET synchronous_commit = {told}")
    store = Database(url)
    with store.write() as unit:
        assert used == unit._connection.exec_driver_sql("SHOW synchronous_commit").scalar()
    store.close()


def test_a_migration_that_cannot_get_the_lock_of_the_writers_is_busy(server: Server, url: str) -> None:
    with server.held(url), pytest.raises(Refusal) as raised:
        Database(url, busy_seconds=0.05).migrate()
    assert "busy" == raised.value.code


def test_the_server_gives_up_on_a_silent_write_unless_it_replaces_everything(store: Database) -> None:
    with store._engine.writing() as writing:
        assert "1min" == writing.exec_driver_sql("SHOW idle_in_transaction_session_timeout").scalar()
    with store.replacing() as replacing:
        assert "0" == replacing.exec_driver_sql("SHOW idle_in_transaction_session_timeout").scalar()


def test_writers_wait_inside_the_process_and_leave_the_connections_to_the_readers(server: Server, url: str) -> None:
    store = Database(url, busy_seconds=10, connections=AT_THE_LOCK + 1)
    done: list[str] = []

    def write() -> None:
        with store.write() as unit:
            unit.items.next_keys("Decision")
        done.append("written")

    writers = [threading.Thread(target=write) for _ in range(8)]
    with server.held(url):
        for each in writers:
            each.start()
        while AT_THE_LOCK > len(
            server.cluster.tell("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        ):
            pass
        with store.read() as unit:
            assert {} == unit.items.get([])
        assert [] == done
    for each in writers:
        each.join()
    assert ["written"] * 8 == done
    store.close()
