"""Bad input gets a clear answer and changes nothing: names, pairs, lists, instants and revs that cannot be right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.callers import Caller
from tests.databases import Databases
from tests.operations.calls import CALLS, LONE, Arguments, related
from tests.operations.clock import Clock
from tests.operations.tables import Tables


@pytest.fixture
def database(furnished: str, databases: Databases) -> Iterator[str]:
    """A copy of the furnished register, of this test's own."""
    copy = databases.copy(furnished)
    yield copy
    databases.drop(copy)


@pytest.mark.parametrize("name,longest", [("title", 300), ("body", 200_000), ("source", 500)])
def test_a_text_of_the_longest_length_is_kept_in_any_script(owner: Caller, name: str, longest: int) -> None:
    for character in ("x", "決", "\U0001f600", "é"):
        text = character * longest
        made = owner.call("propose_decision", **{"title": "T", "body": "B", name: text})
        assert text == owner.call("get_decision", id=made["address"])[name]


@pytest.mark.parametrize(
    "title",
    [
        "キューは一つ",
        "Одна очередь",
        "صف واحد",
        "תור אחד",
        "ಒಂದೇ ಸರತಿ",
        "کتاب‌خانه",
        "e\u0301",
        "👩‍👩‍👧",
        "-- '; DROP TABLE items",
    ],
)
def test_a_title_in_any_script_is_kept_as_it_was_given(owner: Caller, title: str) -> None:
    assert title == owner.call("propose_decision", title=title, body="B")["title"]


@pytest.mark.parametrize("break_", ["\n", "\r", "\t", "\x1b", "\x7f", "\x85", "\u2028"])
def test_a_title_is_one_line(owner: Caller, tables: Tables, break_: str) -> None:
    with tables.unchanged():
        owner.refused("validation_failed", "propose_decision", title=f"a{break_}b", body="B")


def test_a_body_keeps_its_line_breaks(owner: Caller) -> None:
    assert " a\r\nb\r\n" == owner.call("propose_decision", title="T", body=" a\r\nb\r\n")["body"]


@pytest.mark.parametrize(
    "named",
    [
        "D0",
        "D01",
        "D",
        "1",
        "D1 ",
        " D1",
        "D-1",
        "D1.0",
        "D٣",
        "E1",
        "A1",
        "SIG1",
        "DOM1",
        "ROOT",
        "D1\0",
        f"D{LONE}",
        "D9999999999999",
        "{01900000000070008000000000000000}--",
        "0190000000007000800000000000000_-----",
        "01900000000070008000000000000000----",
        "0x900000-0000-7000-8000-000000000000",
        "01900000-0000-7000-8000-00000000000٣",
        "",
    ],
)
def test_what_is_neither_an_address_nor_an_id_is_refused(owner: Caller, tables: Tables, named: str) -> None:
    with tables.unchanged():
        owner.refused("validation_failed", "ratify_decision", decision=named)


def test_an_address_in_letters_that_only_look_alike_is_refused(owner: Caller) -> None:
    owner.refused("validation_failed", "get_signal", id="sıg1")
    owner.refused("validation_failed", "get_signal", id="ſig1")
    assert "SIG1" == owner.call("get_signal", id="sIg1")["address"]


@pytest.mark.parametrize("kind", ["grounded", "supersedes", "amends", "placed_in", "about", "GROUNDED_IN", ""])
def test_a_kind_that_is_unknown_or_not_made_by_hand_is_refused(owner: Caller, tables: Tables, kind: str) -> None:
    with tables.unchanged():
        refusal = owner.refused("validation_failed", "assert_relation", **related("D1", "D2", kind))
    assert ["relation_kind"] == list(refusal.fields or ())


@pytest.mark.parametrize(
    "source,target",
    [
        (("Amendment", "A1"), ("Decision", "D1")),
        (("Decision", "D1"), ("Amendment", "A1")),
        (("Signal", "SIG1"), ("Decision", "D1")),
        (("Decision", "D1"), ("Area", "ARE1")),
        (("Domain", "DOM1"), ("Domain", "DOM2")),
    ],
)
@pytest.mark.parametrize("kind", ["grounded_in", "addresses", "contradicts"])
def test_a_pair_that_a_kind_does_not_join_is_refused(
    owner: Caller, tables: Tables, source: tuple[str, str], target: tuple[str, str], kind: str
) -> None:
    named = {"source_type": source[0], "source_id": source[1], "target_type": target[0], "target_id": target[1]}
    with tables.unchanged():
        owner.refused("validation_failed", "assert_relation", relation_kind=kind, **named)


@pytest.mark.parametrize("kind", ["grounded_in", "addresses", "contradicts"])
def test_a_self_relation_is_refused_however_the_item_is_named(owner: Caller, tables: Tables, kind: str) -> None:
    identity = owner.call("get_decision", id="D1")["id"]
    with tables.unchanged():
        for source, target in (("D1", "D1"), ("d1", "D1"), ("D1", identity), (identity.upper(), "d1")):
            owner.refused("validation_failed", "assert_relation", **related(source, target, kind))


def test_an_item_named_twice_in_a_list_is_refused_however_it_is_named(owner: Caller, tables: Tables) -> None:
    identity = owner.call("get_decision", id="D2")["id"]
    condition = owner.call("get_signal", id="SIG1")["id"]
    with tables.unchanged():
        for name in ("grounded_in", "addresses"):
            owner.refused("validation_failed", "propose_decision", title="T", body="B", **{name: ["D2", identity]})
        owner.refused("validation_failed", "supersede_decision", decision="D2", by=["D1", "d1"])
        owner.refused("validation_failed", "confirm_premise", reason="R", conditions=["SIG1", condition])


def test_a_decision_does_not_take_its_own_place(owner: Caller, tables: Tables) -> None:
    identity = owner.call("get_decision", id="D2")["id"]
    with tables.unchanged():
        for by in ("D2", identity, ["D1", "D2"]):
            owner.refused("validation_failed", "supersede_decision", decision="D2", by=by)


@pytest.mark.parametrize("by", [[], [f"D{number}" for number in range(1, 52)]], ids=["none", "51"])
def test_a_list_of_no_or_too_many_successors_is_refused(owner: Caller, tables: Tables, by: list[str]) -> None:
    with tables.unchanged():
        owner.refused("validation_failed", "supersede_decision", decision="D2", by=by)


@pytest.mark.parametrize("by_rev", [[1], [1, 1, 1], 1, []], ids=["fewer", "more", "one for two", "none"])
def test_revs_of_successors_that_do_not_match_them_are_refused(owner: Caller, tables: Tables, by_rev: Any) -> None:
    with tables.unchanged():
        owner.refused("validation_failed", "supersede_decision", decision="D3", by=["D1", "D2"], by_rev=by_rev)


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"decision": "D2"},
        {"premise": "D3"},
        {"decision": "D2", "premise": "D3", "condition": "SIG1"},
        {"condition": "SIG1", "conditions": ["SIG1"]},
        {"conditions": []},
        {"conditions": ["SIG1"], "rev": 1},
        {"conditions": [f"SIG{number}" for number in range(1, 202)]},
    ],
)
def test_a_confirmation_names_what_it_confirms_in_one_way(owner: Caller, tables: Tables, form: Arguments) -> None:
    with tables.unchanged():
        owner.refused("validation_failed", "confirm_premise", reason="R", **form)


@pytest.mark.parametrize("tool", ["update_decision", "update_amendment"])
def test_an_update_of_nothing_is_refused(owner: Caller, tables: Tables, tool: str) -> None:
    with tables.unchanged():
        arguments = {name: value for name, value in CALLS[tool].items() if name != "title"}
        owner.refused("validation_failed", tool, **arguments)


@pytest.mark.parametrize("named", [{"type_name": "Decision"}, {"id": "D1"}])
def test_an_item_in_a_filter_is_named_by_type_and_id_together(owner: Caller, named: Arguments) -> None:
    owner.refused("validation_failed", "list_relations", **named)


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"type": "Decision"},
        {"id": "D1"},
        {"type": "Tree", "id": "D1"},
        {"type": "Decision", "id": "D1", "x": 1},
        "D1",
    ],
)
def test_an_entry_of_a_list_is_judged_as_strictly(owner: Caller, entry: Any) -> None:
    refusal = owner.refused("validation_failed", "list_rest_counts", items=[{"type": "Decision", "id": "D1"}, entry])
    assert (refusal.fields or {})["items"]["why"].startswith("[1]")


def test_counts_of_none_or_of_more_than_200_items_are_refused(owner: Caller) -> None:
    for count in (0, 201):
        owner.refused("validation_failed", "list_rest_counts", items=[{"type": "Decision", "id": "D1"}] * count)


@pytest.mark.parametrize(
    "instant",
    [
        "tomorrow",
        "2999-01-01",
        "2999-01-01T00:00:00",
        "2999-13-01T00:00:00Z",
        "0001-01-01T00:00:00+23:59",
        "",
        "9" * 50,
    ],
)
def test_an_instant_that_is_none_is_refused(owner: Caller, tables: Tables, instant: str) -> None:
    with tables.unchanged():
        owner.refused(
            "validation_failed", "grant_right", principal=owner.id, right="read", place="DOM1", expires_at=instant
        )


def test_an_expiry_that_is_not_ahead_is_refused(timed: Caller, clock: Clock, tables: Tables) -> None:
    asked = {"principal": timed.id, "right": "read", "place": "DOM1"}
    with tables.unchanged():
        for seconds in (-1, 0):
            timed.refused("validation_failed", "grant_right", **asked, expires_at=clock.ahead(seconds=seconds))


@pytest.mark.parametrize(
    "tool,arguments",
    [
        ("update_decision", {"decision": "D1", "rev": 2, "title": "N"}),
        ("ratify_decision", {"decision": "D1", "rev": 2}),
        ("retire_decision", {"decision": "D2", "rev": 1, "reason": "R"}),
        ("reinstate_decision", {"decision": "D3", "rev": 1, "reason": "R"}),
        ("archive_decision", {"decision": "D1", "rev": 2, "reason": "R"}),
        ("supersede_decision", {"decision": "D2", "by": "D1", "rev": 1}),
        ("supersede_decision", {"decision": "D2", "by": "D1", "by_rev": 2}),
        ("supersede_decision", {"decision": "D2", "by": ["D1"], "rev": 2, "by_rev": [2]}),
        ("update_amendment", {"amendment": "A1", "rev": 2, "title": "N"}),
        ("ratify_amendment", {"amendment": "A1", "rev": 2}),
        ("archive_amendment", {"amendment": "A1", "rev": 2, "reason": "R"}),
        ("confirm_premise", {"decision": "D2", "premise": "D3", "rev": 1, "reason": "R"}),
        ("confirm_premise", {"condition": "SIG1", "rev": 1, "reason": "R"}),
    ],
)
def test_a_stale_rev_is_refused_with_the_current_one(
    owner: Caller, tables: Tables, tool: str, arguments: Arguments
) -> None:
    with tables.unchanged():
        refusal = owner.refused("rev_conflict", tool, **arguments)
    revs = {row["rev"] for row in tables.rows("items")}
    assert refusal.rev in revs


def test_a_stale_rev_of_a_relation_is_refused_with_the_current_one(owner: Caller, tables: Tables) -> None:
    relation = owner.call("list_relations", kind="grounded_in")["relations"][0]
    with tables.unchanged():
        assert 1 == owner.refused("rev_conflict", "withdraw_relation", id=relation["id"], rev=2, reason="R").rev


def test_nothing_is_done_when_one_of_several_conditions_cannot_be_confirmed(owner: Caller, tables: Tables) -> None:
    owner.call("assert_relation", **related("D1", "D2", "contradicts"))
    with tables.unchanged():
        owner.refused("conflict", "confirm_premise", reason="R", conditions=["SIG1", "SIG2"])
        owner.refused("not_found", "confirm_premise", reason="R", conditions=["SIG1", "SIG9"])


def test_nothing_is_done_when_one_of_several_successors_does_not_fit(owner: Caller, tables: Tables) -> None:
    with tables.unchanged():
        refusal = owner.refused("conflict", "supersede_decision", decision="D2", by=["D1", "D3"])
    assert ("retired", ["reinstate_decision", "archive_decision"]) == (refusal.state, refusal.allowed)
