"""Sets of keys in statements: what a reader may see, and lists too long for one statement.

Making a statement takes longer than running it. What every call runs is made once, with parameters that have names.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Any, Final, TypeVar

from sqlalchemy import ColumnElement, FromClause, Select, Text, bindparam, literal_column, select
from sqlalchemy.sql.functions import FunctionElement

from smeldr.model.items import ItemKey
from smeldr.store.contract import Readable

CHUNK: Final = 10_000
"""Values in one statement, under every database's limit of parameters."""

Value = TypeVar("Value")


class Keys(FunctionElement[int]):
    """Rows of one column `value`, out of one parameter: a JSON list of keys. How, each engine file says.

    A second argument, where there is one, is a number that the keys do not exceed, for those who plan by it.
    """

    name = "keys"
    inherit_cache = True


def chunks(values: Collection[Value]) -> Iterator[Sequence[Value]]:
    """The values in lists short enough for one statement."""
    remaining = iter(values)
    while some := list(islice(remaining, CHUNK)):
        yield some


def key_table(name: str, at_most: int) -> FromClause:
    """A table of one column `value` with the keys of one parameter; `passed` says how they are passed."""
    return Keys(bindparam(name, type_=Text()), literal_column(str(at_most))).table_valued("value", name=name)


def keys_of(name: str) -> Select[Any]:
    """The keys of one parameter as a subquery for `IN`."""
    return select(Keys(bindparam(name, type_=Text())).table_valued("value", name=name).c.value)


def roughly(keys: Collection[ItemKey]) -> int:
    """How many keys there are, up to the next power of ten."""
    return 10 ** len(str(len(keys) - 1)) if len(keys) > 1 else len(keys)


def passed(keys: Collection[ItemKey]) -> str:
    """Keys as the value of such a parameter."""
    return json.dumps(list(keys))


def key_set(keys: Collection[ItemKey]) -> Select[Any]:
    """These keys as a subquery for `IN`, in a statement that is made for one use."""
    given = Keys(bindparam("keys", passed(keys), Text(), unique=True), literal_column(str(roughly(keys))))
    return select(given.table_valued("value", name="keys").c.value)


def within(column: ColumnElement[int], keys: Readable) -> list[ColumnElement[bool]]:
    """The condition that the column holds one of the keys; no condition at all for every key."""
    return [] if keys is None else [column.in_(key_set(keys))]
