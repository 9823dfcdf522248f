"""What a count and a trace are held against: SQL over the same tables, sent by a bare driver with no rights to read.

A reader's places are given to it; the tool has to find them out.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from typing import Any, Final

from benchmarks.walks import CAP, Readable
from smeldr.model.items import ItemKey

FEW: Final = 10
"""Places up to which rows are better found by place and then sorted than read in order and then looked at."""

_LIVE: Final = "r.ended_at IS NULL AND r.kind IN ({kinds}) {where}"
_COUNTED: Final = "'addresses', 'amends', 'grounded_in'"

_WALK: Final = """
WITH RECURSIVE reached (key, depth) AS (
    SELECT ?1, 0
    UNION
    SELECT r.{far}, {depth} FROM reached CROSS JOIN relations r ON r.{near} = reached.key
    WHERE {live} {deeper}
)
SELECT count(DISTINCT key) - 1 FROM (SELECT key FROM reached LIMIT {limit})
"""


def recursive_count(rows: sqlite3.Connection, start: ItemKey, readable: Readable) -> Callable[[], list[int]]:
    """One recursive query for each direction: how many items are reached, at most one more than the cap."""
    statements = [
        _WALK.format(live=_live(_COUNTED, far, readable), near=near, far=far, depth="0", deeper="", limit=CAP + 2)
        for near, far in (("target", "source"), ("source", "target"))
    ]
    return lambda: [_number(rows, statement, start, readable) for statement in statements]


def recursive_trace(rows: sqlite3.Connection, start: ItemKey, readable: Readable, depth: int) -> Callable[[], int]:
    """One recursive query: how many items are reached through grounded_in coming in."""
    statement = _WALK.format(
        live=_live("'grounded_in'", "source", readable),
        near="target",
        far="source",
        depth="depth + 1",
        deeper=f"AND depth < {depth}",
        limit=-1,
    )
    return lambda: _number(rows, statement, start, readable)


def first_rows(rows: sqlite3.Connection, start: ItemKey, readable: Readable) -> Callable[[], list[tuple[Any, ...]]]:
    """One query of the first 1,000 rows of what rests on the item directly, through whichever index is the better."""
    few = readable is not None and len(readable) < FEW
    statement = f"SELECT r.source FROM relations r WHERE r.target = ?1 AND {_live(_COUNTED, 'source', readable)}"
    statement += f" ORDER BY {'+' if few else ''}r.source LIMIT {CAP}"
    return lambda: rows.execute(statement, _parameters(start, readable)).fetchall()


def ring_size(rows: sqlite3.Connection, start: ItemKey, readable: Readable) -> Callable[[], int]:
    """How many rest on the item directly, by counting its index."""
    live = _live("'grounded_in'", "source", readable)
    statement = f"SELECT count(*) FROM relations r WHERE r.target = ?1 AND {live}"
    return lambda: _number(rows, statement, start, readable)


def _live(kinds: str, far: str, readable: Readable) -> str:
    where = "" if readable is None else f"AND r.{far}_place IN (SELECT value FROM json_each(?2))"
    return _LIVE.format(kinds=kinds, where=where)


def _parameters(start: ItemKey, readable: Readable) -> tuple[Any, ...]:
    return (start,) if readable is None else (start, json.dumps(sorted(readable)))


def _number(rows: sqlite3.Connection, statement: str, start: ItemKey, readable: Readable) -> int:
    number: int = rows.execute(statement, _parameters(start, readable)).fetchone()[0]
    return number
