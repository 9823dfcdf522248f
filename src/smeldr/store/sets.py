"""Sets of keys in statements: what a reader may see, and lists too long for one statement."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Any, Final, TypeVar

from sqlalchemy import ColumnElement, FromClause, Select, bindparam, select
from sqlalchemy.sql.functions import FunctionElement

from smeldr.model.items import ItemKey
from smeldr.store.contract import Readable

CHUNK: Final = 10_000
"""Values in one statement, under every database's limit of parameters."""

Value = TypeVar("Value")


class Keys(FunctionElement[int]):
    """Rows of one column `value`, out of one parameter: a JSON list of keys. How, each engine file says."""

    name = "keys"
    inherit_cache = True


def chunks(values: Collection[Value]) -> Iterator[Sequence[Value]]:
    """The values in lists short enough for one statement."""
    remaining = iter(values)
    while some := list(islice(remaining, CHUNK)):
        yield some


def key_table(keys: Collection[ItemKey], name: str) -> FromClause:
    """A table of one column `value` with these keys, passed as one parameter however many there are."""
    return Keys(bindparam(name, json.dumps(list(keys)), unique=True)).table_valued("value", name=name)


def key_set(keys: Collection[ItemKey]) -> Select[Any]:
    """The keys as a subquery for `IN`, passed as one parameter however many there are."""
    return select(key_table(keys, "keys").c.value)


def within(column: ColumnElement[int], keys: Readable) -> list[ColumnElement[bool]]:
    """The condition that the column holds one of the keys; no condition at all for every key."""
    return [] if keys is None else [column.in_(key_set(keys))]
