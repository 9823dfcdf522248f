"""Which parameters each tool takes and what each may be; a wrong one says nothing about items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from tests.model.refusal import ModelRefusal
from tests.model.state import PREFIXES, ROOT, split
from tests.model.walks import KINDS

Check = Callable[[Any], bool]
Parameters = dict[str, Check]

STATES = ("proposed", "ratified", "superseded", "retired", "archived")


def text(most: int, lines: bool = True) -> Check:
    """Text of 1 to `most` characters that is not blank."""

    def check(value: Any) -> bool:
        if not isinstance(value, str) or not value.strip() or len(value) > most or "\0" in value:
            return False
        return lines or all(ord(letter) >= 32 for letter in value)

    return check


def number(least: int, most: int = 10**9) -> Check:
    """An integer in a range; a truth value is none."""
    return lambda value: type(value) is int and least <= value <= most


def among(*valid: str) -> Check:
    """One of these words."""
    return lambda value: isinstance(value, str) and value in valid


def named(*type_names: str) -> Check:
    """An address of one of these types, in any case."""

    def check(value: Any) -> bool:
        found = split(value.upper()) if isinstance(value, str) else None
        return found is not None and found[0] in type_names

    return check


def listed(item: Check, least: int, most: int) -> Check:
    """A list of such values."""
    return lambda value: isinstance(value, list) and least <= len(value) <= most and all(item(v) for v in value)


def either(*checks: Check) -> Check:
    """Any of several shapes."""
    return lambda value: any(check(value) for check in checks)


def instant(value: Any) -> bool:
    """An RFC 3339 instant."""
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except (TypeError, ValueError):
        return False


def handle(value: Any) -> bool:
    """A handle of the model, which stands for an id."""
    return isinstance(value, str)


def truth(value: Any) -> bool:
    """True or false."""
    return isinstance(value, bool)


def counted_entry(value: Any) -> bool:
    """One `{type, id}` of list_rest_counts."""
    return isinstance(value, dict) and set(value) == {"type", "id"} and TYPE(value["type"]) and ANY(value["id"])


TITLE, BODY, REASON, NAME = text(300, lines=False), text(200_000), text(2_000), text(200, lines=False)
DECISION, AMENDMENT, SIGNAL = named("Decision"), named("Amendment"), named("Signal")
ANY, TYPE = named(*PREFIXES), among(*PREFIXES)
PLACE = either(named("Domain", "Area"), lambda value: isinstance(value, str) and value.upper() == ROOT)
REV, LIMIT, OFFSET = number(1), number(1, 200), number(0)
PAGE: Parameters = {"limit?": LIMIT, "offset?": OFFSET}
MOVE: Parameters = {"decision": DECISION, "reason": REASON, "rev?": REV}
RIGHT = among("read", "author", "ratify", "administer")
DIRECTION = among("incoming", "outgoing", "both")
ENDED_BY_HAND: Parameters = {"id": handle, "rev": REV, "reason": REASON}

WRITES: dict[str, Parameters] = {
    "propose_decision": {
        "title": TITLE,
        "body": BODY,
        "place?": PLACE,
        "grounded_in?": listed(DECISION, 0, 200),
        "addresses?": listed(DECISION, 0, 200),
        "source?": text(500),
    },
    "update_decision": {"decision": DECISION, "rev": REV, "title?": TITLE, "body?": BODY},
    "ratify_decision": {"decision": DECISION, "reason?": REASON, "rev?": REV},
    "retire_decision": MOVE,
    "reinstate_decision": MOVE,
    "archive_decision": MOVE,
    "supersede_decision": {
        "decision": DECISION,
        "by": either(DECISION, listed(DECISION, 1, 50)),
        "reason?": REASON,
        "rev?": REV,
        "by_rev?": either(REV, listed(either(REV, lambda value: value is None), 1, 50)),
    },
    "propose_amendment": {"amends": DECISION, "title": TITLE, "body": BODY},
    "update_amendment": {"amendment": AMENDMENT, "rev": REV, "title?": TITLE, "body?": BODY},
    "ratify_amendment": {"amendment": AMENDMENT, "reason?": REASON, "rev?": REV},
    "archive_amendment": {"amendment": AMENDMENT, "reason": REASON, "rev?": REV},
    "assert_relation": {
        "source_type": TYPE,
        "source_id": ANY,
        "relation_kind": among(*KINDS),
        "target_type": TYPE,
        "target_id": ANY,
    },
    "withdraw_relation": ENDED_BY_HAND,
    "replace_premise": {"decision": DECISION, "premise": DECISION, "by": DECISION, "reason": REASON},
    "confirm_premise": {
        "reason": REASON,
        "decision?": DECISION,
        "premise?": DECISION,
        "condition?": SIGNAL,
        "conditions?": listed(SIGNAL, 1, 200),
        "rev?": REV,
    },
    "run_sweep": {},
    "create_domain": {"name": NAME},
    "create_area": {"domain": named("Domain"), "name": NAME},
    "rename_place": {"place": named("Domain", "Area"), "name": NAME},
    "move_area": {"area": named("Area"), "domain": named("Domain")},
    "retire_place": {"place": named("Domain", "Area"), "reason": REASON},
    "move_item": {"type": among("Decision"), "id": DECISION, "place": PLACE, "reason": REASON},
    "create_principal": {"name": NAME, "class": among("person", "agent")},
    "deactivate_principal": {"principal": handle, "reason": REASON},
    "create_token": {"principal": handle, "expires_in_days?": number(1, 36_500)},
    "revoke_token": {"id": handle},
    "grant_right": {"principal": handle, "right": RIGHT, "place": PLACE, "expires_at?": instant, "reason?": REASON},
    "revoke_grant": {"id": handle, "reason": REASON},
}

READS: dict[str, Parameters] = {
    "get_decision": {"id": DECISION},
    "list_decisions": {"place?": PLACE, "state?": among(*STATES), "after?": DECISION, **PAGE},
    "get_amendment": {"id": AMENDMENT},
    "list_amendments": {"decision?": DECISION, "state?": among("proposed", "ratified", "archived"), **PAGE},
    "list_relations": {
        "kind?": among(*KINDS),
        "type_name?": TYPE,
        "id?": ANY,
        "direction?": DIRECTION,
        "include_ended?": truth,
        **PAGE,
    },
    "list_relation_kinds": {},
    "list_signals": {
        "receiver?": among("ratify"),
        "type?": among("premise-flagged", "conflict-detected"),
        "state?": among("open", "closed", "all"),
        "about?": DECISION,
        "place?": PLACE,
        "after?": SIGNAL,
        **PAGE,
    },
    "get_signal": {"id": SIGNAL},
    "get_rest_counts": {"type": TYPE, "id": ANY},
    "list_rest_counts": {"items": listed(counted_entry, 1, 200)},
    "get_reachability": {
        "type_name": TYPE,
        "id": ANY,
        "kind?": among(*KINDS),
        "direction?": DIRECTION,
        "depth?": number(1, 10),
        "max_items?": number(1, 2_000),
        "limit?": number(1, 500),
        "offset?": OFFSET,
    },
    "get_sweep_run": {},
    "list_places": PAGE,
    "list_principals": PAGE,
    "list_tokens": {"principal?": handle, **PAGE},
    "list_grants": {"principal?": handle, "place?": PLACE, **PAGE},
    "whoami": {},
}

PAIRS = {"type": "id", "type_name": "id", "source_type": "source_id", "target_type": "target_id"}


def check_parameters(tool: str, arguments: Mapping[str, Any]) -> None:
    """Refuse a missing, malformed or unknown parameter, and an address of another type than the one beside it."""
    known = {**READS, **WRITES}[tool] | ({"request_key?": text(64)} if tool in WRITES else {})
    for name in arguments:
        if name not in known and f"{name}?" not in known:
            raise ModelRefusal("validation_failed", f"unknown: {name}")
    for name, check in known.items():
        bare = name.removesuffix("?")
        if bare not in arguments:
            if bare == name:
                raise ModelRefusal("validation_failed", f"missing: {name}")
        elif not check(arguments[bare]):
            raise ModelRefusal("validation_failed", f"malformed: {bare}")
    for type_parameter, id_parameter in PAIRS.items():
        if tool == "list_signals" or type_parameter not in arguments or id_parameter not in arguments:
            continue
        if not named(arguments[type_parameter])(arguments[id_parameter]):
            raise ModelRefusal("validation_failed", f"{id_parameter} is of another type")
