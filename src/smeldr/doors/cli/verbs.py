"""What the commands are called, and nothing else of them: group and verb -> tool.

A verb says which parameters may be given by position, and which columns its table shows. The options, their help,
types and bounds come from the manifest, so a parameter that a tool gains is an option at once. A tool without a verb
is reached by `call`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Verb(NamedTuple):
    """One command.

    `positions`: parameters that may be given by position, in this order; the last takes what is left if it takes a
    list. `columns`: what a table of the reply's entries shows. `patience`: seconds to wait, unless --timeout says so.
    """

    tool: str
    positions: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    patience: int = 60


_DECISIONS: Final = ("address", "state", "place", "rev", "title")
_AMENDMENTS: Final = ("address", "state", "amends", "place", "rev", "title")
_RELATIONS: Final = ("id", "rev", "source", "kind", "target", "state", "cause")
_KINDS: Final = ("kind", "sources", "targets", "made_by", "both_ways", "raises_flag", "counted")
_SIGNALS: Final = ("address", "state", "type", "place", "opened_at", "message", "resolution")
_PLACES: Final = ("address", "state", "parent", "rev", "counts", "name")
_GRANTS: Final = ("id", "principal", "right", "place", "expires_at")
_TOKENS: Final = ("id", "principal", "created_at", "expires_at", "revoked_at")
_PRINCIPALS: Final = ("id", "class", "active", "name")

GROUPS: Final[Mapping[str, tuple[str, Mapping[str, Verb]]]] = {
    "decision": (
        "Decisions: propose, read, and move them.",
        {
            "propose": Verb("propose_decision", ("title",)),
            "update": Verb("update_decision", ("decision",)),
            "show": Verb("get_decision", ("id",)),
            "list": Verb("list_decisions", (), _DECISIONS),
            "ratify": Verb("ratify_decision", ("decision",)),
            "supersede": Verb("supersede_decision", ("decision",)),
            "retire": Verb("retire_decision", ("decision",)),
            "reinstate": Verb("reinstate_decision", ("decision",)),
            "archive": Verb("archive_decision", ("decision",)),
            "move": Verb("move_item", ("id", "place")),
        },
    ),
    "amendment": (
        "Amendments: changes to the text of one Decision.",
        {
            "propose": Verb("propose_amendment", ("amends", "title")),
            "update": Verb("update_amendment", ("amendment",)),
            "show": Verb("get_amendment", ("id",)),
            "list": Verb("list_amendments", ("decision",), _AMENDMENTS),
            "ratify": Verb("ratify_amendment", ("amendment",)),
            "archive": Verb("archive_amendment", ("amendment",)),
        },
    ),
    "relation": (
        "Relations: what rests on what, what addresses and contradicts what.",
        {
            "add": Verb("assert_relation", ("source_id", "relation_kind", "target_id")),
            "list": Verb("list_relations", ("id",), _RELATIONS),
            "withdraw": Verb("withdraw_relation", ("id",)),
            "kinds": Verb("list_relation_kinds", (), _KINDS),
            "replace-premise": Verb("replace_premise", ("decision", "premise", "by")),
        },
    ),
    "signal": (
        "Signals: the conditions that the rules open and close.",
        {
            "list": Verb("list_signals", (), _SIGNALS),
            "show": Verb("get_signal", ("id",)),
            "confirm": Verb("confirm_premise", ("conditions",)),
        },
    ),
    "place": (
        "Places: Domains, and Areas inside them.",
        {
            "list": Verb("list_places", (), _PLACES),
            "create-domain": Verb("create_domain", ("name",)),
            "create-area": Verb("create_area", ("domain", "name")),
            "rename": Verb("rename_place", ("place", "name")),
            "move": Verb("move_area", ("area", "domain")),
            "retire": Verb("retire_place", ("place",)),
        },
    ),
    "grant": (
        "Grants: a right, to a principal, over a place.",
        {
            "give": Verb("grant_right", ("principal", "right", "place")),
            "list": Verb("list_grants", (), _GRANTS),
            "revoke": Verb("revoke_grant", ("id",)),
        },
    ),
    "token": (
        "Tokens: what a principal is known by.",
        {
            "create": Verb("create_token", ("principal",)),
            "list": Verb("list_tokens", ("principal",), _TOKENS),
            "revoke": Verb("revoke_token", ("id",)),
        },
    ),
    "principal": (
        "Principals: the persons and agents who call.",
        {
            "create": Verb("create_principal", ("name",)),
            "list": Verb("list_principals", (), _PRINCIPALS),
            "deactivate": Verb("deactivate_principal", ("principal",)),
        },
    ),
    "sweep": (
        "The sweep: stores counts, and holds every condition against its rule.",
        {
            "run": Verb("run_sweep", patience=900),
            "show": Verb("get_sweep_run"),
        },
    ),
}
"""Group -> what it is about, and its verbs."""

ALONE: Final[Mapping[str, Verb]] = {
    "count": Verb("get_rest_counts", ("id",)),
    "trace": Verb("get_reachability", ("id",)),
    "whoami": Verb("whoami", (), ("right", "place", "counts", "expires_at", "id")),
}
"""Verbs that stand by themselves."""

ONLY_BY_CALL: Final[Mapping[str, str]] = {
    "list_rest_counts": "reads stored counts, up to 200 items at once: a call of programs",
}
"""Tools that deliberately have no verb, and why."""
