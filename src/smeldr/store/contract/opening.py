"""Opening a register's database, and one transaction in it with all its parts."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from smeldr.model.errors import Refusal
from smeldr.model.instants import Instant
from smeldr.model.records import Connections
from smeldr.store.contract.conditions import Conditions, Counts
from smeldr.store.contract.graph import Items, Relations, Walks
from smeldr.store.contract.integrity import Integrity
from smeldr.store.contract.people import AccessRows
from smeldr.store.contract.told import History, RequestKeys


class StoreUnusable(Exception):
    """The store cannot be opened or is not one of ours; the message is one line for whoever runs the server."""


class Interrupted(Refusal):
    """`busy`, because the database let go of the transaction: the same again, in a new one, may succeed at once."""


class Store(Protocol):
    """A register's database. Safe to use from many threads, and from many processes at once."""

    def read(self) -> AbstractContextManager[Unit]:
        """One snapshot; nothing that is written to it is kept. Raises Refusal `busy`, Interrupted among them."""

    def write(self) -> AbstractContextManager[Unit]:
        """One write, which comes after every one that ended before it began: kept when the block ends well, or undone.

        Raises:
            Refusal: `busy` when its turn does not come in time, and Interrupted when the database lets go of it;
                `internal` when the commit itself failed, for then nobody knows whether it was kept.
        """

    def sweeping(self) -> AbstractContextManager[bool]:
        """Hold the one sweep of this register, across processes; gives False at once when somebody else holds it.

        A holder that is killed lets go.
        """

    def give_way(self) -> None:
        """Let those write who wait for their turn: for whoever writes many times in a row, between one and the next."""

    def check(self) -> None:
        """Raises StoreUnusable unless the database is at the newest revision and has its register."""

    def migrate(self) -> None:
        """Bring the database to the newest revision; one that is there stays as it is.

        Raises:
            StoreUnusable: the database is no register, cannot be written, or is newer than this version.
        """

    def connections(self) -> Connections:
        """How many connections this process holds at this moment. Waits for nobody and asks the database nothing."""

    def close(self) -> None:
        """Let go of the database; a later call opens it again."""


class Unit(Protocol):
    """One transaction. Not for two threads at once."""

    @property
    def items(self) -> Items: ...
    @property
    def relations(self) -> Relations: ...
    @property
    def walks(self) -> Walks: ...
    @property
    def conditions(self) -> Conditions: ...
    @property
    def access(self) -> AccessRows: ...
    @property
    def counts(self) -> Counts: ...
    @property
    def history(self) -> History: ...
    @property
    def keys(self) -> RequestKeys: ...
    @property
    def integrity(self) -> Integrity: ...

    def new_id(self) -> str:
        """A new UUID, version 7: later ones sort later, by the millisecond."""

    def is_register(self) -> bool:
        """Whether a register was made in this database."""

    def found_register(self, at: Instant) -> None:
        """Make this database a register: give it an id, and start the address numbers of every type at 1."""
