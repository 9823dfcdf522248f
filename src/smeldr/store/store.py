"""Opening a register's store: which database, which revision, and a transaction for each call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, exc, inspect

from smeldr.model.errors import Refusal
from smeldr.model.records import Connections
from smeldr.store import contract
from smeldr.store.contract import StoreUnusable
from smeldr.store.engines import BUSY_SECONDS, CONNECTIONS, open_engine
from smeldr.store.errors import busy, failing, translated
from smeldr.store.unit import Unit


class Store(contract.Store):
    """Over any database that engines.py knows; every method opens its own transaction."""

    def __init__(
        self, url: str, busy_seconds: float = BUSY_SECONDS, connections: int = CONNECTIONS, *, at_rest: bool = False
    ) -> None:
        self._engine = open_engine(url, busy_seconds, connections, at_rest=at_rest)

    @contextmanager
    def read(self) -> Iterator[Unit]:
        with self.reading() as connection:
            yield Unit(connection)

    @contextmanager
    def write(self) -> Iterator[Unit]:
        with self._translated(), self._engine.writing() as connection:
            yield Unit(connection)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A read, for what deals with tables rather than with what they mean."""
        with self._translated(), self._engine.reading() as connection:
            yield connection

    @contextmanager
    def replacing(self) -> Iterator[Connection]:
        """A write for the same, which may take minutes."""
        ended = False
        try:
            with self._translated(), self._engine.replacing() as connection:
                yield connection
                ended = True
        except Refusal as refusal:
            if ended and refusal.code == "internal":
                raise Refusal("internal", "whether this was written is not known: run it again") from refusal
            raise

    @contextmanager
    def sweeping(self) -> Iterator[bool]:
        with self._translated(), self._engine.sweeping() as alone:
            yield alone

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn what the driver says into a refusal; what remains is a fault, unless the tables are of another version.

        A server that runs while its database is brought to another revision goes on as long as the tables serve it.
        """
        try:
            with translated(self._engine.refusal_of, self._engine.code_of):
                yield
        except exc.DBAPIError as error:
            try:
                self._check_revision()
            except StoreUnusable as unusable:
                raise failing(str(unusable)) from error
            raise

    def give_way(self) -> None:
        self._engine.give_way()

    def check(self) -> None:
        self._check_revision()
        if not self._founded():
            raise StoreUnusable("there is no register in this database yet: run `smeldr init`")

    def _check_revision(self) -> None:
        found = self.revision()
        if found not in (None, newest_revision()):
            raise StoreUnusable(f"the database is at revision {found}: run `smeldr migrate`")
        if found is None:
            raise StoreUnusable("there is no register in this database yet: run `smeldr init`")

    def holds_register(self) -> bool:
        """Whether there is a register, of whatever revision. Raises StoreUnusable when there is something else."""
        return self.revision() is not None and self._founded()

    def _founded(self) -> bool:
        try:
            with self.read() as unit:
                return unit.is_register()
        except exc.DatabaseError as error:
            raise self._unusable("read", error) from error

    def migrate(self) -> None:
        self.revision()
        config = alembic_config()
        try:
            with self._engine.writing() as connection:
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
        except exc.DatabaseError as error:
            raise self._unusable("written", error) from error

    def revision(self) -> str | None:
        """The revision that the database is at; None when it is empty. Raises StoreUnusable when it is not ours."""
        if not self._engine.exists():
            return None
        try:
            with self._engine.reading() as connection:
                found = MigrationContext.configure(connection).get_current_revision()
                tables = inspect(connection).get_table_names()
                unfit = self._engine.unfit(connection)
        except exc.TimeoutError:
            raise busy() from None
        except exc.DatabaseError as error:
            raise self._unusable("read", error) from error
        if unfit:
            raise StoreUnusable(unfit)
        if found is None and tables:
            raise StoreUnusable("the database holds the tables of something else, and no register")
        if found is not None and found not in known_revisions():
            raise StoreUnusable(f"the database is at revision {found}, which is newer than this version of Smeldr")
        return found

    def _unusable(self, done: str, error: exc.DatabaseError) -> Exception:
        refusal = self._engine.refusal_of(error)
        if refusal and refusal.code == "busy" and not isinstance(refusal, contract.Interrupted):
            return refusal
        return StoreUnusable(f"the database cannot be {done}: {self._engine.told(error)}")

    def connections(self) -> Connections:
        return self._engine.connections()

    def close(self) -> None:
        self._engine.close()


@cache
def newest_revision() -> str:
    """The revision that this version's tables are at."""
    head = ScriptDirectory.from_config(alembic_config()).get_current_head()
    if head is None:
        raise RuntimeError("the migrations are missing from this installation")
    return head


@cache
def known_revisions() -> frozenset[str]:
    """Every revision that this version can read or bring forward."""
    return frozenset(script.revision for script in ScriptDirectory.from_config(alembic_config()).walk_revisions())


def alembic_config() -> Config:
    """Where Alembic finds the migrations; the connection that they run on is added by whoever runs them."""
    config = Config()
    config.set_main_option("script_location", str(files("smeldr.store") / "migrations"))
    config.set_main_option("path_separator", "os")
    return config
