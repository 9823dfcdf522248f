"""The calls that a writer makes, and how it chooses among them. Every change carries its mark in a text of its own."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, Final

from tests.torture.known import Known

Call = tuple[str, dict[str, Any]]
Choose = Callable[[random.Random, Known, str], Call | None]
"""Chooses a call by chance among what is known; the last is the mark. None when nothing fits."""


def propose(chance: random.Random, known: Known, mark: str) -> Call:
    """A Decision on up to two grounds, in any place."""
    grounds = [each["address"] for each in known.items("D", "ratified", "proposed", "retired")]
    said = {"title": f"Keep one ledger {mark}", "body": "One ledger. " * chance.randint(1, 80)}
    more = {"place": chance.choice(known.places()), "grounded_in": chance.sample(grounds, min(len(grounds), 2))}
    return "propose_decision", {**said, **more}


def _move(tool: str, *states: str) -> Choose:
    def choose(chance: random.Random, known: Known, mark: str) -> Call | None:
        kind = "A" if tool.endswith("amendment") else "D"
        if not (items := known.items(kind, *states)):
            return None
        item = chance.choice(items)
        rev = {"rev": item["rev"]} if chance.random() < 0.3 else {}
        return tool, {"amendment" if kind == "A" else "decision": item["address"], "reason": f"Because {mark}", **rev}

    return choose


def _supersede(chance: random.Random, known: Known, mark: str) -> Call | None:
    if not (ratified := known.items("D", "ratified")):
        return None
    decision = chance.choice(ratified)["address"]
    by = [each["address"] for each in known.items("D", "ratified", "proposed") if each["address"] != decision]
    if len(by) < 2:
        return None
    names = {"decision": decision, "by": chance.sample(by, chance.randint(1, 2))}
    return "supersede_decision", {**names, "reason": f"Replaced {mark}"}


def _update(chance: random.Random, known: Known, mark: str) -> Call | None:
    if not (proposed := known.items("D", "proposed")):
        return None
    item = chance.choice(proposed)
    return "update_decision", {"decision": item["address"], "rev": item["rev"], "title": f"Keep it so {mark}"}


def _amend(chance: random.Random, known: Known, mark: str) -> Call | None:
    if not (items := known.items("D", "ratified")):
        return None
    return "propose_amendment", {"amends": chance.choice(items)["address"], "title": f"Add {mark}", "body": "More."}


def _move_item(chance: random.Random, known: Known, mark: str) -> Call | None:
    if not (items := known.items("D")):
        return None
    where = {"id": chance.choice(items)["address"], "place": chance.choice(known.places())}
    return "move_item", {"type": "Decision", **where, "reason": f"Moved {mark}"}


def _relate(chance: random.Random, known: Known, _mark: str) -> Call | None:
    if len(items := known.items("D")) < 2:
        return None
    source, target = chance.sample(items, 2)
    kind = chance.choice(("grounded_in", "addresses", "contradicts"))
    ends = {"source_id": source["address"], "target_id": target["address"]}
    return "assert_relation", {"source_type": "Decision", "target_type": "Decision", "relation_kind": kind, **ends}


def _withdraw(chance: random.Random, known: Known, mark: str) -> Call | None:
    if not (relations := known.relations("grounded_in", "addresses", "contradicts")):
        return None
    relation = chance.choice(relations)
    return "withdraw_relation", {"id": relation["id"], "rev": relation["rev"], "reason": f"Ended {mark}"}


def _replace_premise(chance: random.Random, known: Known, mark: str) -> Call | None:
    if not (grounds := known.relations("grounded_in")):
        return None
    ground = chance.choice(grounds)
    ends = (ground["source"], ground["target"])
    if not (by := [each["address"] for each in known.items("D", "ratified") if each["address"] not in ends]):
        return None
    names = {"decision": ends[0], "premise": ends[1], "by": chance.choice(by)}
    return "replace_premise", {**names, "reason": f"Replaced {mark}"}


def _confirm(chance: random.Random, known: Known, mark: str) -> Call | None:
    if not (grounds := known.relations("grounded_in")):
        return None
    ground = chance.choice(grounds)
    names = {"decision": ground["source"], "premise": ground["target"]}
    return "confirm_premise", {**names, "reason": f"It holds {mark}"}


def _revoke(chance: random.Random, known: Known, mark: str) -> Call | None:
    if not (grants := known.grants()):
        return None
    return "revoke_grant", {"id": chance.choice(grants)["id"], "reason": f"Over {mark}"}


def _create_area(_chance: random.Random, _known: Known, mark: str) -> Call:
    return "create_area", {"domain": "DOM1", "name": f"Ledgers {mark}"}


def granting(principal: str) -> Choose:
    """Chooses a right for this principal, over any place."""

    def choose(chance: random.Random, known: Known, mark: str) -> Call:
        right = {"right": chance.choice(("read", "author", "ratify")), "place": chance.choice(known.places())}
        return "grant_right", {"principal": principal, **right, "reason": f"Given {mark}"}

    return choose


def read(chance: random.Random, known: Known) -> Call:
    """A call that changes nothing that anybody is told of: mostly a read, now and then a sweep."""
    if chance.random() < 0.03:
        return "run_sweep", {}
    items = known.items("D")
    if not items or chance.random() < 0.3:
        return chance.choice([("list_decisions", {"limit": 20}), ("list_signals", {"limit": 20}), ("whoami", {})])
    address = chance.choice(items)["address"]
    return chance.choice([("get_decision", {"id": address}), ("get_rest_counts", {"type": "Decision", "id": address})])


Changes = Sequence[tuple[int, Choose]]
"""How often each is chosen, out of their sum."""

CHANGES: Final[Changes] = (
    (6, propose),
    (6, _move("ratify_decision", "proposed")),
    (3, _move("retire_decision", "ratified")),
    (2, _move("reinstate_decision", "retired", "superseded")),
    (1, _move("archive_decision", "proposed", "superseded")),
    (3, _supersede),
    (2, _update),
    (1, _amend),
    (1, _move("ratify_amendment", "proposed")),
    (3, _move_item),
    (4, _relate),
    (2, _withdraw),
    (2, _replace_premise),
    (3, _confirm),
    (1, _revoke),
    (1, _create_area),
)
PROPOSALS: Final[Changes] = ((1, propose),)
"""Changes that nobody else's change can make be refused."""
