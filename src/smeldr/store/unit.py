"""One transaction, and everything that can be read and written in it."""

from __future__ import annotations

import secrets
import time
from functools import cached_property
from uuid import UUID

from sqlalchemy import Connection, insert, select

from smeldr.model.instants import Instant
from smeldr.model.items import ITEM_TYPES
from smeldr.store import contract
from smeldr.store.access import AccessRows
from smeldr.store.conditions import Conditions
from smeldr.store.counts import Counts
from smeldr.store.history import History
from smeldr.store.integrity import Integrity
from smeldr.store.items import Items
from smeldr.store.keys import RequestKeys
from smeldr.store.relations import Relations
from smeldr.store.schema import counters, register
from smeldr.store.walks import Walks


class Unit(contract.Unit):
    """Its parts share one connection, and so one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @cached_property
    def items(self) -> Items:
        return Items(self._connection)

    @cached_property
    def relations(self) -> Relations:
        return Relations(self._connection)

    @cached_property
    def walks(self) -> Walks:
        return Walks(self._connection)

    @cached_property
    def conditions(self) -> Conditions:
        return Conditions(self._connection)

    @cached_property
    def access(self) -> AccessRows:
        return AccessRows(self._connection)

    @cached_property
    def counts(self) -> Counts:
        return Counts(self._connection)

    @cached_property
    def history(self) -> History:
        return History(self._connection)

    @cached_property
    def keys(self) -> RequestKeys:
        return RequestKeys(self._connection)

    @cached_property
    def integrity(self) -> Integrity:
        return Integrity(self._connection)

    def is_register(self) -> bool:
        return self._connection.execute(select(register.c.id)).first() is not None

    def found_register(self, at: Instant) -> None:
        self._connection.execute(insert(register).values(id=self.new_id(), created_at=at))
        self._connection.execute(insert(counters), [{"name": name, "value": 0} for name in ITEM_TYPES])

    def new_id(self) -> str:
        value = (time.time_ns() // 1_000_000 & (1 << 48) - 1) << 80 | secrets.randbits(80)
        value = value & ~(0xF << 76) | 0x7 << 76
        value = value & ~(0x3 << 62) | 0x2 << 62
        return str(UUID(int=value))
