"""Opening a register's store: which database, which revision, and a transaction for each call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.resources import files

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import exc
from sqlalchemy.engine import make_url

from smeldr.store.errors import StoreUnusable, translated
from smeldr.store.sqlite import SqliteEngine
from smeldr.store.unit import Unit


class Store:
    """A register's database. Safe to use from many threads; every method opens its own transaction."""

    def __init__(self, url: str) -> None:
        try:
            backend = make_url(url).get_backend_name()
        except exc.ArgumentError:
            raise StoreUnusable("SMELDR_DATABASE is not a database URL; one is sqlite:///smeldr.db") from None
        if backend != "sqlite":
            raise StoreUnusable(f"{backend} is not a database that this version knows; sqlite:///FILE is one")
        self._engine = SqliteEngine(url)

    @contextmanager
    def read(self) -> Iterator[Unit]:
        """One snapshot. Raises Refusal `busy` when the store does not answer in time."""
        with translated(), self._engine.reading() as connection:
            yield Unit(connection)

    @contextmanager
    def write(self) -> Iterator[Unit]:
        """One write transaction, after every one before it: committed when the block ends well, undone otherwise.

        Raises Refusal `busy` when the store does not answer in time (nothing was written) and `internal` when the
        commit failed (whether it was written is not known).
        """
        with translated(), self._engine.writing() as connection:
            yield Unit(connection)

    def sweeping(self) -> AbstractContextManager[bool]:
        """Hold the one sweep of this register; gives False when somebody else holds it."""
        return self._engine.sweeping()

    def revision(self) -> str | None:
        """The revision that the database is at; None when it is empty. Raises StoreUnusable when it is not ours."""
        try:
            with translated(), self._engine.reading() as connection:
                return MigrationContext.configure(connection).get_current_revision()
        except exc.DatabaseError as error:
            raise StoreUnusable(f"the database cannot be read: {error.orig}") from error

    def check(self) -> None:
        """Raises StoreUnusable, in one line, unless the database is at the newest revision and has its register."""
        found, newest = self.revision(), newest_revision()
        if found is None:
            raise StoreUnusable("there is no register in this database yet: run `smeldr init`")
        if found != newest:
            known = found in known_revisions()
            raise StoreUnusable(
                f"the database is at revision {found}: run `smeldr migrate`"
                if known
                else f"the database is at revision {found}, which is newer than this version of Smeldr"
            )

    def migrate(self) -> None:
        """Bring the database to the newest revision. Raises StoreUnusable when it is newer than this version."""
        found = self.revision()
        if found is not None and found not in known_revisions():
            raise StoreUnusable(f"the database is at revision {found}, which is newer than this version of Smeldr")
        config = _alembic()
        try:
            with translated(), self._engine.writing() as connection:
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
        except exc.DatabaseError as error:
            raise StoreUnusable(f"the database cannot be written: {error.orig}") from error

    def close(self) -> None:
        """Let go of the database."""
        self._engine.close()


def newest_revision() -> str:
    """The revision that this version's tables are at."""
    head = ScriptDirectory.from_config(_alembic()).get_current_head()
    if head is None:
        raise RuntimeError("the migrations are missing from this installation")
    return head


def known_revisions() -> set[str]:
    """Every revision that this version can read or bring forward."""
    return {script.revision for script in ScriptDirectory.from_config(_alembic()).walk_revisions()}


def _alembic() -> Config:
    config = Config()
    config.set_main_option("script_location", str(files("smeldr.store") / "migrations"))
    config.set_main_option("path_separator", "os")
    return config
