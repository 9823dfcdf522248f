"""Nothing grows with the register on PostgreSQL either: whatever a call looks up, it finds through an index.

What a server plans depends on what its tables hold, so they hold something here: twenty thousand Decisions, each with
three relations and an open condition, written past the register.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from sqlalchemy import Connection, Engine, event

from smeldr.model.items import key_of
from smeldr.model.kinds import KINDS
from smeldr.store.walks import FEW_PLACES
from tests.callers import Caller
from tests.conftest import MakeCaller
from tests.databases import ON_A_SERVER

pytestmark = ON_A_SERVER

MANY = 20_000
FIRST, SIGNAL, DOMAIN = key_of("Decision", 1_000), key_of("Signal", 1_000), key_of("Domain", 1)
AT = "2026-01-01T00:00:00.000000Z"
FILLED = f"""
INSERT INTO items SELECT {FIRST} + n, 'decision ' || n, {DOMAIN} + n % {FEW_PLACES}, 'ratified', 1, 1, '{AT}', '{AT}'
    FROM generate_series(1, {MANY}) AS n;
INSERT INTO texts SELECT {FIRST} + n, 'T', NULL, 'nobody', 'nobody', NULL, 'B' FROM generate_series(1, {MANY}) AS n;
INSERT INTO items SELECT {SIGNAL} + n, 'signal ' || n, {DOMAIN} + n % {FEW_PLACES}, 'open', 1, 1, '{AT}', '{AT}'
    FROM generate_series(1, {MANY}) AS n;
INSERT INTO signals SELECT {SIGNAL} + n, 'premise-flagged', {FIRST} + n, {FIRST} + n % 100 + 1, 'r' || n, NULL, NULL
    FROM generate_series(1, {MANY}) AS n;
INSERT INTO relations SELECT 'r' || n || '-' || k, CASE k WHEN 3 THEN 'addresses' ELSE 'grounded_in' END,
    {FIRST} + n, {DOMAIN} + n % {FEW_PLACES}, {FIRST} + (n * k * 7) % {MANY} + 1,
    {DOMAIN} + ((n * k * 7) % {MANY} + 1) % {FEW_PLACES}, 1, 'nobody', '{AT}', NULL, NULL, NULL, NULL
    FROM generate_series(1, {MANY}) AS n, generate_series(1, 3) AS k
    WHERE n <> (n * k * 7) % {MANY} + 1 ON CONFLICT DO NOTHING;
INSERT INTO history SELECT {MANY} + n, 'act', '{AT}', 'nobody', 'person', NULL, 'Decision', 'decision ' || n,
    {FIRST} + n, NULL, 'ratified', '{{}}', 'hash' FROM generate_series(1, {MANY}) AS n;
ANALYZE;
"""  # noqa: S608 - numbers of this file

Steps = dict[str, list[str]]


@contextmanager
def planned() -> Iterator[Steps]:
    """Collect what the statements that are sent meanwhile read whole: tables and indexes by statement."""
    scanned: Steps = {}

    def explain(connection: Connection, _: Any, statement: str, parameters: Any, __: Any, executemany: bool) -> None:
        if statement.startswith(("SELECT", "UPDATE", "DELETE")) and statement not in scanned:
            asked = connection.connection.cursor()
            asked.execute(f"EXPLAIN (FORMAT JSON) {statement}", parameters[0] if executemany else parameters)
            plan: Any = asked.fetchone()
            scanned[statement] = [_named(node) for node in _nodes(plan[0][0]["Plan"]) if _whole(node)]

    event.listen(Engine, "before_cursor_execute", explain)
    try:
        yield scanned
    finally:
        event.remove(Engine, "before_cursor_execute", explain)


def _nodes(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield node
    for below in node.get("Plans", ()):
        yield from _nodes(below)


SMALL = {
    "principals",
    "tokens",
    "grants",
    "counters",
    "confirmations",
    "places",
    "register",
    "request_keys",
    "rest_counts",
}
"""What holds a few rows here, which a server reads whole rather than search."""


def _named(node: Mapping[str, Any]) -> str:
    return f"{node['Node Type']} {node.get('Relation Name', '')} {node.get('Index Name', '')}"


def _whole(node: Mapping[str, Any]) -> bool:
    if node.get("Relation Name") in SMALL:
        return False
    return node["Node Type"] == "Seq Scan" or ("Index Name" in node and "Index Cond" not in node)


def whole(scanned: Steps) -> Steps:
    return {statement: steps for statement, steps in scanned.items() if steps}


@pytest.fixture
def readers(owner: Caller, caller: MakeCaller, database: str) -> list[Caller]:
    """Who reads everything, few places, and many; two Decisions rest on D1."""
    for number in range(FEW_PLACES + 1):
        owner.call("create_domain", name=f"Domain {number}")
    first = owner.ratified("A premise", place="DOM1")
    for title in ("One", "Another"):
        owner.ratified(title, place="DOM1", grounded_in=[first])
    few = caller("Few", rights={"DOM1": ["read"]})
    many = caller("Many", rights={f"DOM{number}": ["read"] for number in range(1, FEW_PLACES + 2)})
    with psycopg.connect(database) as connection:
        connection.execute(FILLED)
    return [owner, few, many]


def test_counts_and_traces_search_an_index_for_every_reader(readers: list[Caller]) -> None:
    with planned() as plans:
        for reader in readers:
            reader.call("get_rest_counts", type="Decision", id="D1")
            for kind in (None, *KINDS):
                for direction in ("incoming", "outgoing", "both"):
                    wanted = {"direction": direction, "depth": 2, **({"kind": kind} if kind else {})}
                    reader.call("get_reachability", type_name="Decision", id="D1", **wanted)
    assert len(plans) > 50
    assert {} == whole(plans)


def test_moves_and_conditions_search_an_index(readers: list[Caller]) -> None:
    owner = readers[0]
    ends = {"source_type": "Decision", "source_id": "D2", "target_type": "Decision", "target_id": "D3"}
    with planned() as plans:
        owner.call("assert_relation", **ends, relation_kind="contradicts")
        owner.call("retire_decision", decision="D1", reason="Over.")
        owner.call("list_signals", about="D2")
        owner.call("confirm_premise", decision="D2", premise="D1", reason="Holds.")
        owner.call("move_item", type="Decision", id="D2", place="DOM2", reason="Belongs there.")
        owner.call("reinstate_decision", decision="D1", reason="Back.")
        owner.call("propose_amendment", amends="D1", title="More", body="More.")
    newest = {statement for statement in plans if "FROM history ORDER BY history.seq DESC" in statement}
    assert len(plans) > 20
    assert newest == whole(plans).keys()
