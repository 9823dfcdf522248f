"""Which database a URL names, and what the engine file of a database has to offer: the whole list of differences.

A new database is one more file with these few methods and its way of unpacking `sets.Keys`, and one more line in
`ENGINES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Final, Protocol

from sqlalchemy import BigInteger, Connection, Integer, Text, exc, text
from sqlalchemy.engine import make_url

from smeldr.model.errors import Refusal
from smeldr.model.records import Connections
from smeldr.store.contract import StoreUnusable
from smeldr.store.postgresql import PostgresqlEngine
from smeldr.store.sqlite import SqliteEngine, SqliteFile

KEY: Final = BigInteger().with_variant(Integer(), "sqlite")
"""A number of 64 bits. SQLite keeps a table in the order of a key only when the key's type is called INTEGER."""

TEXT: Final = Text().with_variant(Text(collation="C"), "postgresql")
"""Text that compares by its code points: an instant, an id or a name sorts alike on every database."""

IN_KEY_ORDER: Final[Mapping[str, Any]] = {"sqlite_with_rowid": False}
"""Options of a table of short rows with a key of several columns, which need not be kept a second time to be found."""

BUSY_SECONDS: Final = 10.0
"""How long a call waits for the store before it is `busy`."""

CONNECTIONS: Final = 16
"""How many connections a process opens to a database that is a server of its own, unless it is told otherwise."""


class Engine(Protocol):
    """One database, opened by any number of threads and processes."""

    def exists(self) -> bool:
        """Whether there is a database at all. Looking does not make one."""

    def unfit(self, connection: Connection) -> str | None:
        """Why this database can hold no register, in one line; None when it can."""

    def reading(self) -> AbstractContextManager[Connection]:
        """One snapshot; nothing that is written to it is kept."""

    def writing(self) -> AbstractContextManager[Connection]:
        """One write transaction after the other; committed when the block ends well, undone otherwise."""

    def replacing(self) -> AbstractContextManager[Connection]:
        """As `writing`, for a write that changes everything and may say nothing for minutes; reads go on meanwhile."""

    def sweeping(self) -> AbstractContextManager[bool]:
        """Hold the sweep of this database; False when another process or thread holds it. A killed one lets go."""

    def give_way(self) -> None:
        """Let those write who wait for it before this process writes again."""

    def refusal_of(self, error: exc.DBAPIError) -> Refusal | None:
        """What the driver's error means to a caller: `busy`, or that nothing can be written; None for a fault.

        Interrupted when the same again, in a new transaction, may go well.
        """

    def told(self, error: exc.DatabaseError) -> str:
        """What the driver says, in one line for whoever runs the server."""

    def code_of(self, error: exc.DBAPIError) -> str | None:
        """What the driver calls the error, for the log: a name or a number, which quotes nothing."""

    def connections(self) -> Connections:
        """What the pool holds. Waits for nobody."""

    def close(self) -> None:
        """Close every connection that is not in use."""


ENGINES: Final[Mapping[str, Callable[[str, float, int], Engine]]] = {
    "sqlite": SqliteEngine,
    "postgresql": PostgresqlEngine,
}
"""By the name that stands first in a database URL."""

IN_A_FILE: Final = SqliteFile
"""The engine of a register that is one file at rest: a backup. It also says what there is to know of such a file."""

_AT_REST: Final[Mapping[str, Callable[[str, float, int], Engine]]] = {**ENGINES, "sqlite": IN_A_FILE}


def open_engine(url: str, busy_seconds: float, connections: int, *, at_rest: bool = False) -> Engine:
    """The engine of the database that the URL names. Raises StoreUnusable when it names none that is known.

    `at_rest` is for a database that this process does not serve: one that is a file is left as it stands.
    """
    try:
        backend = make_url(url).get_backend_name()
    except exc.ArgumentError:
        raise StoreUnusable("SMELDR_DATABASE is not a database URL; one is sqlite:///smeldr.db") from None
    if backend not in ENGINES:
        known = "sqlite:///FILE and postgresql://USER@HOST/NAME are"
        raise StoreUnusable(f"{backend} is not a database that this version knows; {known}")
    return (_AT_REST if at_rest else ENGINES)[backend](url, busy_seconds, connections)


def shown(url: str) -> str:
    """The URL of a database as it may be shown and logged: without its password, wherever in it that stands."""
    try:
        parts = make_url(url)
    except exc.ArgumentError:
        return "a database URL that cannot be read"
    secret = [name for name in parts.query if "password" in name]
    if parts.password is None and not secret:
        return url
    return parts.update_query_dict(dict.fromkeys(secret, "***")).render_as_string(hide_password=True)


def only_where(condition: str) -> dict[str, Any]:
    """The options of an index that covers only some rows, which SQLAlchemy wants to hear once per database."""
    return {f"{backend}_where": text(condition) for backend in ENGINES}
