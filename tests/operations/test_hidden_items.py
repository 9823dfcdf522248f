"""What is hidden from a caller does not exist for them: the same code and the same text as for what is absent.

The cases are generated from the operations: every parameter of every tool that names something in the register.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, Final

import pytest

from smeldr.model.errors import Refusal
from smeldr.operations.registry import OPERATIONS
from smeldr.settings import Settings
from smeldr.wiring import initialise, open_register
from tests.callers import Caller, principal
from tests.databases import Databases

Arguments = dict[str, Any]

ABSENT_ID: Final = "01900000-0000-7000-8000-000000000000"

CALLS: Final[dict[str, list[Arguments]]] = {
    "propose_decision": [
        {"title": "T", "body": "B", "place": "DOM2", "grounded_in": ["D1"], "addresses": ["D1"]},
    ],
    "update_decision": [{"decision": "D2", "rev": 1, "title": "T"}],
    "ratify_decision": [{"decision": "D2"}],
    "retire_decision": [{"decision": "D1", "reason": "R"}],
    "reinstate_decision": [{"decision": "D1", "reason": "R"}],
    "archive_decision": [{"decision": "D2", "reason": "R"}],
    "supersede_decision": [{"decision": "D1", "by": "D2"}, {"decision": "D1", "by": ["D2"]}],
    "get_decision": [{"id": "D1"}],
    "list_decisions": [{"place": "DOM2", "after": "D1"}],
    "propose_amendment": [{"amends": "D1", "title": "T", "body": "B"}],
    "update_amendment": [{"amendment": "A1", "rev": 1, "title": "T"}],
    "ratify_amendment": [{"amendment": "A1"}],
    "archive_amendment": [{"amendment": "A1", "reason": "R"}],
    "get_amendment": [{"id": "A1"}],
    "list_amendments": [{"decision": "D1", "place": "DOM2", "after": "A1"}],
    "assert_relation": [
        {
            "source_type": "Decision",
            "source_id": "D1",
            "relation_kind": "addresses",
            "target_type": "Decision",
            "target_id": "D2",
        }
    ],
    "replace_premise": [{"decision": "D1", "premise": "D2", "by": "D3", "reason": "R"}],
    "list_relations": [{"type_name": "Decision", "id": "D1"}],
    "list_signals": [{"about": "D1", "place": "DOM2", "after": "SIG1"}],
    "get_signal": [{"id": "SIG1"}],
    "confirm_premise": [
        {"reason": "R", "decision": "D1", "premise": "D2"},
        {"reason": "R", "condition": "SIG1"},
        {"reason": "R", "conditions": ["SIG1"]},
    ],
    "get_rest_counts": [{"type": "Decision", "id": "D1"}, {"type": "Area", "id": "ARE1"}],
    "get_reachability": [{"type_name": "Decision", "id": "D1"}, {"type_name": "Domain", "id": "DOM1"}],
    "create_area": [{"domain": "DOM1", "name": "N"}],
    "rename_place": [{"place": "DOM1", "name": "N"}],
    "move_area": [{"area": "ARE1", "domain": "DOM1"}],
    "retire_place": [{"place": "DOM1", "reason": "R"}],
    "move_item": [{"type": "Decision", "id": "D1", "place": "DOM1", "reason": "R"}],
    "list_grants": [{"place": "DOM1"}],
    "grant_right": [{"principal": ABSENT_ID, "right": "read", "place": "DOM1"}],
}
"""One call or more of every tool, naming things that there are for somebody."""

ELSEWHERE: Final = {
    "list_rest_counts": "answers with an error for each item",
    "withdraw_relation": "names a relation",
    "revoke_grant": "names a grant",
    "create_token": "names a principal",
    "revoke_token": "names a token",
    "list_tokens": "names a principal",
    "deactivate_principal": "takes administer over ROOT, before it looks for the principal",
}
"""Tools that name something in the register in another way: they have tests of their own below."""

PAIRS: Final = {"Decision": "D6", "Amendment": "A2", "Signal": "SIG2", "Domain": "DOM3", "Area": "ARE2"}
"""What is hidden from the reader, by type; the open things lie in a place that the reader may do everything in."""

PREFIXES: Final = {"D": "Decision", "A": "Amendment", "SIG": "Signal", "DOM": "Domain", "ARE": "Area"}


def naming(arguments: Arguments) -> list[str]:
    """The parameters of a call that name an item."""
    return [
        name
        for name, value in arguments.items()
        if str(value[0] if isinstance(value, list) else value).rstrip("0123456789") in PREFIXES
        and str(value[0] if isinstance(value, list) else value)[-1].isdigit()
    ]


CASES: Final = [
    pytest.param(tool, arguments, parameter, id=f"{tool}-{parameter}-{number}")
    for tool, calls in CALLS.items()
    for number, arguments in enumerate(calls)
    for parameter in naming(arguments)
]


def with_other(arguments: Arguments, parameter: str, other: str) -> Arguments:
    changed = copy.deepcopy(arguments)
    changed[parameter] = [other] if isinstance(changed[parameter], list) else other
    return changed


def item_type(value: Any) -> str:
    return PREFIXES[str(value[0] if isinstance(value, list) else value).rstrip("0123456789")]


@pytest.fixture(scope="module")
def world(databases: Databases) -> Iterator[tuple[Caller, Caller]]:
    """A register with an open and a hidden half, its owner, and somebody who holds all rights over the open half."""
    settings = Settings(database=databases.new())
    made = initialise(settings, "Owner")
    owner = Caller(open_register(settings), made["token"], made["principal"])
    for name in ("Open", "Open too", "Hidden"):
        owner.call("create_domain", name=name)
    owner.call("create_area", domain="DOM1", name="Open")
    owner.call("create_area", domain="DOM3", name="Hidden")
    for number, place in enumerate(("DOM1", "DOM3")):
        ratified, _, premise = (
            owner.call("propose_decision", title="T", body="B", place=place)["address"] for _ in range(3)
        )
        for decision in (ratified, premise):
            owner.call("ratify_decision", decision=decision)
        owner.call("propose_amendment", amends=ratified, title="T", body="B")
        owner.call(
            "assert_relation",
            source_type="Decision",
            source_id=ratified,
            relation_kind="grounded_in",
            target_type="Decision",
            target_id=premise,
        )
        owner.call("retire_decision", decision=premise, reason="R")
        assert f"SIG{number + 1}" == owner.call("list_signals")["signals"][number]["address"]
    reader = principal(
        owner, "Reader", rights={place: ["author", "ratify", "administer"] for place in ("DOM1", "DOM2")}
    )
    yield owner, reader
    owner.register.store.close()


def refusal(caller: Caller, tool: str, arguments: Arguments) -> Refusal | None:
    try:
        caller.call(tool, **arguments)
    except Refusal as refused:
        return refused
    return None


def test_every_tool_that_names_an_item_is_held_to_it_here() -> None:
    named = {
        name
        for name, each in OPERATIONS.items()
        for field in each.parameters.model_fields.values()
        if any(word in str(field.annotation) + str(field.metadata) for word in ("Reference", "_uuid", "Named"))
    }
    assert named == CALLS.keys() | ELSEWHERE.keys()


@pytest.mark.parametrize("tool", CALLS)
def test_every_parameter_that_names_an_item_is_held_to_it_here(tool: str) -> None:
    named = {
        name
        for name, field in OPERATIONS[tool].parameters.model_fields.items()
        if "Reference" in str(field.annotation) + str(field.metadata)
    }
    assert named == {parameter for arguments in CALLS[tool] for parameter in naming(arguments)}


@pytest.mark.parametrize("by", ["address", "id"])
@pytest.mark.parametrize("tool,arguments,parameter", CASES)
def test_a_hidden_item_is_answered_like_an_absent_one(
    world: tuple[Caller, Caller], tool: str, arguments: Arguments, parameter: str, by: str
) -> None:
    owner, reader = world
    kind = item_type(arguments[parameter])
    hidden, absent = PAIRS[kind], f"{PAIRS[kind].rstrip('0123456789')}999999"
    if by == "id":
        hidden, absent = id_of(owner, hidden), ABSENT_ID
    answers = [refusal(reader, tool, with_other(arguments, parameter, each)) for each in (absent, hidden)]
    if parameter == "after" and by == "address":
        assert [None, None] == answers
        return
    texts = [answer.reply() if answer else None for answer in answers]
    for_absent, for_hidden = texts
    assert for_absent is not None
    assert for_hidden is not None
    assert "not_found" == for_absent["error"]["code"]
    assert for_absent == renamed(for_hidden, hidden, absent)


def renamed(reply: Any, former: str, new: str) -> Any:
    """The reply with another name in it."""
    if isinstance(reply, dict):
        return {key: renamed(value, former, new) for key, value in reply.items()}
    return reply.replace(former, new) if isinstance(reply, str) else reply


def id_of(owner: Caller, address: str) -> str:
    kind = PREFIXES[address.rstrip("0123456789")]
    if kind in ("Domain", "Area"):
        places = owner.call("list_places", limit=200)["places"]
        return next(str(place["id"]) for place in places if address == place["address"])
    return str(owner.call(f"get_{kind.lower()}", id=address)["id"])


@pytest.mark.parametrize(
    "tool,parameter,hidden",
    [("list_amendments", "decision", "D6"), ("list_decisions", "place", "DOM3"), ("list_signals", "about", "D6")],
)
def test_a_list_about_a_hidden_item_is_refused_not_empty(
    world: tuple[Caller, Caller], tool: str, parameter: str, hidden: str
) -> None:
    _, reader = world
    reader.refused("not_found", tool, **{parameter: hidden})


def test_an_id_of_another_type_is_answered_like_an_absent_one(world: tuple[Caller, Caller]) -> None:
    owner, reader = world
    amendment = id_of(owner, "A1")
    of_another_type = reader.refused("not_found", "get_decision", id=amendment)
    assert renamed(reader.refused("not_found", "get_decision", id=ABSENT_ID).reply(), ABSENT_ID, amendment) == (
        of_another_type.reply()
    )


@pytest.mark.parametrize("type_name,hidden", PAIRS.items())
def test_stored_counts_tell_the_same_of_hidden_and_absent(
    world: tuple[Caller, Caller], type_name: str, hidden: str
) -> None:
    _, reader = world
    absent = f"{hidden.rstrip('0123456789')}999999"
    asked = [{"type": type_name, "id": each} for each in (hidden, absent)]
    entries = reader.call("list_rest_counts", items=asked)["counts"]
    assert [{**each, "error": "not_found"} for each in asked] == entries


def test_a_relation_with_a_hidden_end_is_answered_like_an_absent_one(world: tuple[Caller, Caller]) -> None:
    owner, reader = world
    relations = owner.call("list_relations", type_name="Decision", id="D6", include_ended=True)["relations"]
    relations.append(owner.call("assert_relation", **related("D1", "D6"))["relation"])
    for relation in relations:
        hidden = reader.refused("not_found", "withdraw_relation", id=relation["id"], rev=1, reason="R")
        absent = reader.refused("not_found", "withdraw_relation", id=ABSENT_ID, rev=1, reason="R")
        assert absent.reply() == renamed(hidden.reply(), relation["id"], ABSENT_ID)


def related(source: str, target: str) -> Arguments:
    return {
        "source_type": "Decision",
        "source_id": source,
        "relation_kind": "addresses",
        "target_type": "Decision",
        "target_id": target,
    }


def test_a_grant_over_a_hidden_place_is_answered_like_an_absent_one(world: tuple[Caller, Caller]) -> None:
    owner, reader = world
    grant = owner.call("grant_right", principal=owner.id, right="read", place="ARE2")["id"]
    hidden = reader.refused("not_found", "revoke_grant", id=grant, reason="R")
    absent = reader.refused("not_found", "revoke_grant", id=ABSENT_ID, reason="R")
    assert absent.reply() == renamed(hidden.reply(), grant, ABSENT_ID)


@pytest.mark.parametrize("tool", ["create_token", "list_tokens"])
def test_somebody_else_is_answered_like_nobody(world: tuple[Caller, Caller], tool: str) -> None:
    owner, reader = world
    somebody = reader.refused("not_found", tool, principal=owner.id)
    nobody = reader.refused("not_found", tool, principal=ABSENT_ID)
    assert nobody.reply() == renamed(somebody.reply(), owner.id, ABSENT_ID)


def test_a_token_of_somebody_else_is_answered_like_none(world: tuple[Caller, Caller]) -> None:
    owner, reader = world
    token = owner.call("list_tokens")["tokens"][0]["id"]
    theirs = reader.refused("not_found", "revoke_token", id=token)
    assert reader.refused("not_found", "revoke_token", id=ABSENT_ID).reply() == renamed(
        theirs.reply(), token, ABSENT_ID
    )


@pytest.mark.parametrize("principal", ["somebody", "nobody"])
def test_who_does_not_administer_root_learns_nothing_of_principals(
    world: tuple[Caller, Caller], principal: str
) -> None:
    owner, reader = world
    named = owner.id if principal == "somebody" else ABSENT_ID
    refused = reader.refused("forbidden", "deactivate_principal", principal=named, reason="R")
    assert named not in refused.message


def test_a_caller_with_no_right_at_all_finds_nothing(world: tuple[Caller, Caller]) -> None:
    owner, _ = world
    made = owner.call("create_principal", name="Nobody", **{"class": "person"})["id"]
    nobody = Caller(owner.register, owner.call("create_token", principal=made)["token"], made)
    for tool, kind in (("get_decision", "D1"), ("get_amendment", "A1"), ("get_signal", "SIG1")):
        nobody.refused("not_found", tool, id=kind)
    for tool in ("list_decisions", "list_amendments", "list_relations", "list_signals"):
        assert 0 == nobody.call(tool)["total"]
    assert ["ROOT"] == [place["address"] for place in nobody.call("list_places")["places"]]
