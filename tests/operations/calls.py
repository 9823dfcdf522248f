"""One call of every tool, in order in itself, and the small register that these calls are about."""

from __future__ import annotations

from typing import Any, Final

from tests.callers import Caller

Arguments = dict[str, Any]

ABSENT_ID: Final = "01900000-0000-7000-8000-000000000000"

LONE: Final = "\ud800"
"""Half of a surrogate pair: a string of Python that is no text."""

CALLS: Final[dict[str, Arguments]] = {
    "propose_decision": {"title": "T", "body": "B"},
    "update_decision": {"decision": "D1", "rev": 1, "title": "T"},
    "ratify_decision": {"decision": "D1"},
    "retire_decision": {"decision": "D2", "reason": "R"},
    "reinstate_decision": {"decision": "D3", "reason": "R"},
    "archive_decision": {"decision": "D1", "reason": "R"},
    "supersede_decision": {"decision": "D2", "by": "D1"},
    "propose_amendment": {"amends": "D1", "title": "T", "body": "B"},
    "update_amendment": {"amendment": "A1", "rev": 1, "title": "T"},
    "ratify_amendment": {"amendment": "A1"},
    "archive_amendment": {"amendment": "A1", "reason": "R"},
    "assert_relation": {
        "source_type": "Decision",
        "source_id": "D1",
        "relation_kind": "addresses",
        "target_type": "Decision",
        "target_id": "D3",
    },
    "withdraw_relation": {"id": ABSENT_ID, "rev": 1, "reason": "R"},
    "replace_premise": {"decision": "D2", "premise": "D3", "by": "D1", "reason": "R"},
    "confirm_premise": {"reason": "R", "decision": "D2", "premise": "D3"},
    "move_item": {"type": "Decision", "id": "D1", "place": "DOM1", "reason": "R"},
    "create_domain": {"name": "N"},
    "create_area": {"domain": "DOM1", "name": "N"},
    "rename_place": {"place": "DOM1", "name": "N"},
    "move_area": {"area": "ARE1", "domain": "DOM2"},
    "retire_place": {"place": "DOM2", "reason": "R"},
    "create_principal": {"name": "N", "class": "person"},
    "deactivate_principal": {"principal": ABSENT_ID, "reason": "R"},
    "create_token": {"principal": ABSENT_ID},
    "revoke_token": {"id": ABSENT_ID},
    "grant_right": {"principal": ABSENT_ID, "right": "read", "place": "DOM1"},
    "revoke_grant": {"id": ABSENT_ID, "reason": "R"},
    "run_sweep": {},
    "get_decision": {"id": "D1"},
    "list_decisions": {},
    "get_amendment": {"id": "A1"},
    "list_amendments": {},
    "list_relations": {},
    "list_relation_kinds": {},
    "list_signals": {},
    "get_signal": {"id": "SIG1"},
    "get_rest_counts": {"type": "Decision", "id": "D1"},
    "list_rest_counts": {"items": [{"type": "Decision", "id": "D1"}]},
    "get_reachability": {"type_name": "Decision", "id": "D1"},
    "get_sweep_run": {},
    "list_places": {},
    "list_principals": {},
    "list_tokens": {},
    "list_grants": {},
    "whoami": {},
}
"""One call of every tool whose parameters are in order."""


def furnish(owner: Caller) -> None:
    """D1 proposed, D2 ratified and flagged (SIG1) for resting on D3, which is retired; A1 amends D2."""
    for name in ("One", "Two"):
        owner.call("create_domain", name=name)
    owner.call("create_area", domain="DOM1", name="Inside")
    owner.call("propose_decision", title="First", body="B", place="ARE1")
    owner.ratified("Second")
    owner.ratified("Third")
    owner.call("propose_amendment", amends="D2", title="T", body="B")
    owner.call("assert_relation", **related("D2", "D3", "grounded_in"))
    owner.call("retire_decision", decision="D3", reason="R")


def related(source: str, target: str, kind: str = "addresses") -> Arguments:
    """The arguments that record a relation between two Decisions."""
    return {
        "source_type": "Decision",
        "source_id": source,
        "relation_kind": kind,
        "target_type": "Decision",
        "target_id": target,
    }
