"""The model itself, held against the examples of the two documentation pages, so that it can be trusted."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.model import Model, ModelRefusal

OWNER = "P1"

Arguments = dict[str, Any]

PREMISE_CHAIN_OF_D1: Arguments = {
    "type_name": "Decision",
    "id": "D1",
    "kind": "grounded_in",
    "direction": "incoming",
    "depth": 3,
}


def ask(model: Model, tool: str, principal: str = OWNER, /, **arguments: Any) -> dict[str, Any]:
    return model.call(principal, tool, arguments)


def refused(model: Model, tool: str, principal: str = OWNER, /, **arguments: Any) -> str:
    """The code of the refusal; the model must be left as it was."""
    before = repr(model.state)
    with pytest.raises(ModelRefusal) as caught:
        model.call(principal, tool, arguments)
    assert before == repr(model.state)
    return caught.value.code


def ratified(model: Model, title: str = "A Decision", **more: Any) -> str:
    """Propose and ratify a Decision; its address."""
    address = str(ask(model, "propose_decision", title=title, body="Text", **more)["address"])
    ask(model, "ratify_decision", decision=address)
    return address


def someone(model: Model, *grants: tuple[str, str], kind: str = "person") -> str:
    """A new principal with these (right, place) grants."""
    handle = str(ask(model, "create_principal", name="someone", **{"class": kind})["id"])
    for right, place in grants:
        ask(model, "grant_right", principal=handle, right=right, place=place)
    return handle


def resolutions(model: Model, about: str) -> list[str]:
    found = ask(model, "list_signals", state="closed", about=about)["signals"]
    return [signal["resolution"] for signal in found]


def messages(model: Model, principal: str = OWNER) -> list[str]:
    return [signal["message"] for signal in ask(model, "list_signals", principal)["signals"]]


@pytest.fixture
def premises() -> Model:
    """D3 and D5 and so on as the page draws them, each ratified; D6 will supersede D1."""
    model = Model()
    ratified(model)
    ratified(model, grounded_in=["D1"])
    ratified(model, grounded_in=["D2"])
    ratified(model, addresses=["D1"])
    ratified(model, grounded_in=["D1"])
    ratified(model)
    return model


@pytest.fixture
def billing() -> Model:
    """DOM1 with ARE1, in which D3 and D4 are ratified (D1 and D2 are elsewhere)."""
    model = Model()
    ask(model, "create_domain", name="Finance")
    ask(model, "create_area", domain="DOM1", name="Billing")
    ratified(model)
    ratified(model)
    ratified(model, "Invoices are immutable", place="ARE1")
    ratified(model, "A wrong invoice is corrected in place", place="ARE1")
    return model


def contradict(model: Model, principal: str = OWNER, source: str = "D3", target: str = "D4") -> dict[str, Any]:
    return ask(model, "assert_relation", principal, **contradiction(source, target))


def contradiction(source: str = "D3", target: str = "D4") -> dict[str, Any]:
    ends = {"source_type": "Decision", "source_id": source, "target_type": "Decision", "target_id": target}
    return {"relation_kind": "contradicts", **ends}


class TestWhenAPremiseLeavesForce:
    def test_the_decisions_that_rest_on_it_directly_are_flagged_and_no_others(self, premises: Model) -> None:
        assert [] == messages(premises)
        ask(premises, "supersede_decision", decision="D1", by="D6")
        expected = [f"{d} rests on a Decision that is not in force" for d in ("D2", "D5")]
        assert expected == messages(premises)

    def test_the_next_step_is_flagged_when_the_flagged_one_leaves_force(self, premises: Model) -> None:
        ask(premises, "supersede_decision", decision="D1", by="D6")
        ask(premises, "retire_decision", decision="D2", reason="Gone")
        assert ["D5", "D3"] == [message.split()[0] for message in messages(premises)]
        assert ["D2 is no longer ratified (retired)"] == resolutions(premises, "D2")

    def test_a_flag_closes_when_the_premise_is_in_force_again(self, premises: Model) -> None:
        ask(premises, "supersede_decision", decision="D1", by="D6")
        ask(premises, "reinstate_decision", decision="D1", reason="It was right")
        assert [] == messages(premises)
        assert ["the premise is in force again"] == resolutions(premises, "D5")
        ended = ask(premises, "list_relations", kind="supersedes", include_ended=True)["relations"]
        assert [("D6", "D1", "ended", "reinstated")] == [
            (r["source"], r["target"], r["state"], r["cause"]) for r in ended
        ]

    def test_a_flag_closes_when_the_relation_is_withdrawn(self, premises: Model) -> None:
        ask(premises, "supersede_decision", decision="D1", by="D6")
        relations = ask(premises, "list_relations", id="D5", kind="grounded_in")["relations"]
        ask(premises, "withdraw_relation", id=relations[0]["id"], rev=1, reason="Not so")
        assert ["the grounded_in relation ended (withdrawn)"] == resolutions(premises, "D5")
        assert ["D2 rests on a Decision that is not in force"] == messages(premises)

    def test_a_confirmation_holds_until_the_premise_changes_again(self, premises: Model) -> None:
        ask(premises, "supersede_decision", decision="D1", by="D6")
        reason = "Still holds: checked against D6."
        closed = ask(premises, "confirm_premise", decision="D2", premise="D1", reason=reason)["closed"]
        assert ["SIG1"] == closed
        assert [f"confirmed: {reason}"] == resolutions(premises, "D2")
        assert "conflict" == refused(premises, "confirm_premise", decision="D2", premise="D1", reason=reason)
        ask(premises, "archive_decision", decision="D1", reason="Old")
        assert ["D5", "D2"] == [message.split()[0] for message in messages(premises)]

    def test_a_condition_can_be_confirmed_without_reading_the_premise(self, premises: Model) -> None:
        ask(premises, "create_domain", name="Apart")
        decision = ratified(premises, place="DOM1", grounded_in=["D1"])
        ask(premises, "retire_decision", decision="D1", reason="Gone")
        ratifier = someone(premises, ("ratify", "DOM1"), ("read", "DOM1"))
        (signal,) = ask(premises, "list_signals", ratifier)["signals"]
        assert "premise" not in ask(premises, "get_signal", ratifier, id=signal["address"])
        assert "D1" == ask(premises, "get_signal", id=signal["address"])["premise"]
        pair = {"decision": decision, "premise": "D1", "reason": "Fine"}
        assert "not_found" == refused(premises, "confirm_premise", ratifier, **pair)
        ask(premises, "confirm_premise", ratifier, condition=signal["address"], reason="Fine")
        assert [] == messages(premises, ratifier)

    def test_the_count_follows_everything_that_rests_on_it(self, premises: Model) -> None:
        counts = ask(premises, "get_rest_counts", type="Decision", id="D1")
        expected = {"rests_on_this": {"open": 0, "closed": 4}, "this_rests_on": {"open": 0, "closed": 0}}
        assert expected == counts

    def test_a_count_that_stops_says_at_least(self) -> None:
        model = Model(count_cap=2)
        ratified(model)
        for _ in range(2):
            ask(model, "propose_decision", title="Open", body="Text", grounded_in=["D1"])
        full = {"open": 2, "closed": 0}
        assert full == ask(model, "get_rest_counts", type="Decision", id="D1")["rests_on_this"]
        ratified(model, grounded_in=["D2"])
        assert full | {"at_least": True} == ask(model, "get_rest_counts", type="Decision", id="D1")["rests_on_this"]

    def test_what_a_caller_may_not_read_is_neither_counted_nor_walked_through(self, premises: Model) -> None:
        ask(premises, "create_domain", name="Open")
        for decision in ("D1", "D3", "D4"):
            ask(premises, "move_item", type="Decision", id=decision, place="DOM1", reason="Tidy")
        reader = someone(premises, ("read", "DOM1"))
        counts = ask(premises, "get_rest_counts", reader, type="Decision", id="D1")
        assert {"open": 0, "closed": 1} == counts["rests_on_this"]

    def test_a_stored_count_is_summed_over_places_and_never_higher_than_the_live_one(self, premises: Model) -> None:
        asked: Arguments = {"items": [{"type": "Decision", "id": "D1"}, {"type": "Decision", "id": "D9"}]}
        zeros = {"rests_on_this": {"open": 0, "closed": 0}, "this_rests_on": {"open": 0, "closed": 0}}
        unknown = {"type": "Decision", "id": "D9", "error": "not_found"}
        assert [{"type": "Decision", "address": "D1", **zeros}, unknown] == ask(premises, "list_rest_counts", **asked)[
            "counts"
        ]
        ask(premises, "create_domain", name="Apart")
        ask(premises, "move_item", type="Decision", id="D2", place="DOM1", reason="Tidy")
        run = ask(premises, "run_sweep")
        assert {"items": 6, "relations": 4, "counted": 6, "opened": 0, "closed": 0} == run
        stored = ask(premises, "list_rest_counts", **asked)["counts"][0]
        assert {"open": 0, "closed": 3} == stored["rests_on_this"]
        assert 4 == premises.live_counts_at_sweep(OWNER, "D1")["rests_on_this"]["closed"]

    def test_the_trace_goes_ring_by_ring(self, premises: Model) -> None:
        result = ask(premises, "get_reachability", **PREMISE_CHAIN_OF_D1)
        assert [(1, "D2"), (1, "D5"), (2, "D3")] == [(i["depth"], i["address"]) for i in result["items"]]
        assert {"kind": "grounded_in", "from": "D2"} == result["items"][2]["via"]
        assert [2, 1, 0] == result["ring_sizes"]
        assert "cut" not in result

    @pytest.mark.parametrize(
        "max_items, ring_sizes, cut",
        [
            (1, [1], {"depth": 1, "dropped": 1}),
            (2, [2, 0], {"depth": 2, "dropped": 1}),
            (3, [2, 1, 0], None),
        ],
    )
    def test_a_trace_says_where_it_was_cut(
        self, premises: Model, max_items: int, ring_sizes: list[int], cut: dict[str, int] | None
    ) -> None:
        result = ask(premises, "get_reachability", **PREMISE_CHAIN_OF_D1, max_items=max_items)
        assert (ring_sizes, cut) == (result["ring_sizes"], result.get("cut"))
        assert sum(ring_sizes) == result["total"]

    def test_without_a_kind_the_walk_reaches_places_and_open_signals(self, billing: Model) -> None:
        contradict(billing)
        result = ask(billing, "get_reachability", type_name="Decision", id="D3", depth=2)
        found = [(i["address"], i["via"]["kind"], i["via"]["from"]) for i in result["items"]]
        expected = [
            ("ARE1", "placed_in", "D3"),
            ("D4", "contradicts", "D3"),
            ("SIG1", "about", "D3"),
            ("DOM1", "placed_in", "ARE1"),
            ("SIG2", "placed_in", "ARE1"),
        ]
        assert expected == found

    @pytest.mark.parametrize("name, value", [("depth", 0), ("depth", 11), ("max_items", 2001), ("limit", 501)])
    def test_out_of_range_is_refused_and_never_clamped(self, premises: Model, name: str, value: int) -> None:
        walk: Arguments = {"type_name": "Decision", "id": "D1", name: value}
        assert "validation_failed" == refused(premises, "get_reachability", **walk)


class TestWhenTwoDecisionsContradict:
    def test_recording_it_opens_a_condition_about_each(self, billing: Model) -> None:
        assert contradict(billing)["created"]
        signals = ask(billing, "list_signals", receiver="ratify")["signals"]
        assert [("D3 contradicts a Decision", "ARE1"), ("D4 contradicts a Decision", "ARE1")] == [
            (s["message"], s["place"]) for s in signals
        ]

    def test_recording_it_again_in_either_order_adds_nothing(self, billing: Model) -> None:
        first = contradict(billing)
        again = contradict(billing, source="D4", target="D3")
        assert {"relation": first["relation"], "created": False} == again
        assert 2 == len(messages(billing))

    def test_it_runs_from_a_decision_to_another(self, billing: Model) -> None:
        assert "validation_failed" == refused(billing, "assert_relation", **contradiction("D3", "D3"))
        to_a_place = {**contradiction(), "target_type": "Area", "target_id": "ARE1"}
        assert "validation_failed" == refused(billing, "assert_relation", **to_a_place)

    def test_it_can_be_recorded_with_a_proposal(self, billing: Model) -> None:
        ask(billing, "propose_decision", title="New", body="Text")
        contradict(billing, target="D5")
        assert 2 == len(messages(billing))
        ask(billing, "archive_decision", decision="D5", reason="No")
        assert ["D5 is no longer proposed (archived)"] == resolutions(billing, "D5")
        assert ["the contradicting Decision is no longer proposed"] == resolutions(billing, "D3")

    @pytest.mark.parametrize("grants", [["ratify", "read"], ["read"]])
    def test_who_may_not_write_may_not_record_it(self, billing: Model, grants: list[str]) -> None:
        caller = someone(billing, *((right, "ARE1") for right in grants))
        assert "forbidden" == refused(billing, "assert_relation", caller, **contradiction())

    def test_author_over_either_side_is_enough(self, billing: Model) -> None:
        ask(billing, "create_domain", name="Apart")
        ask(billing, "move_item", type="Decision", id="D3", place="DOM2", reason="Tidy")
        caller = someone(billing, ("author", "ARE1"), ("read", "DOM2"), kind="agent")
        assert contradict(billing, caller)["created"]

    def test_readers_see_the_conditions_and_who_may_only_ratify_is_refused(self, billing: Model) -> None:
        contradict(billing)
        reader = someone(billing, ("read", "ARE1"), kind="agent")
        assert 2 == len(messages(billing, reader))
        ratifier = someone(billing, ("ratify", "ARE1"))
        assert "forbidden" == refused(billing, "list_signals", ratifier, receiver="ratify")
        assert [] == messages(billing, someone(billing))

    def test_withdrawing_it_closes_both_and_needs_author_only(self, billing: Model) -> None:
        relation = contradict(billing)["relation"]
        author = someone(billing, ("author", "ARE1"))
        withdrawal: Arguments = {"id": relation["id"], "reason": "D4 was reworded and no longer conflicts"}
        assert "rev_conflict" == refused(billing, "withdraw_relation", author, **withdrawal, rev=7)
        ended = ask(billing, "withdraw_relation", author, **withdrawal, rev=1)
        assert ("ended", withdrawal["reason"]) == (ended["state"], ended["reason"])
        for side in ("D3", "D4"):
            assert ["the contradicts relation ended (withdrawn)"] == resolutions(billing, side)
        assert "conflict" == refused(billing, "withdraw_relation", author, **withdrawal, rev=1)

    def test_replacing_one_side_closes_both(self, billing: Model) -> None:
        contradict(billing)
        ask(billing, "propose_decision", title="New", body="Text", place="ARE1")
        ask(billing, "supersede_decision", decision="D3", by="D5")
        assert ["D3 is no longer ratified (superseded)"] == resolutions(billing, "D3")
        assert ["the contradicting Decision is no longer ratified"] == resolutions(billing, "D4")
        assert "ratified" == ask(billing, "get_decision", id="D5")["state"]

    def test_retiring_one_side_closes_both_and_reinstating_opens_them_anew(self, billing: Model) -> None:
        contradict(billing)
        ask(billing, "retire_decision", decision="D4", reason="Gone")
        assert ["D4 is no longer ratified (retired)"] == resolutions(billing, "D4")
        assert ["the contradicting Decision is no longer ratified"] == resolutions(billing, "D3")
        ask(billing, "reinstate_decision", decision="D4", reason="Back")
        assert ["SIG3", "SIG4"] == [s["address"] for s in ask(billing, "list_signals")["signals"]]

    def test_each_domain_sees_the_condition_about_its_own_decision(self, billing: Model) -> None:
        ask(billing, "create_domain", name="Apart")
        ask(billing, "move_item", type="Decision", id="D3", place="DOM2", reason="Tidy")
        contradict(billing)
        assert ["D3 contradicts a Decision"] == messages(billing, someone(billing, ("read", "DOM2")))
        assert ["D4 contradicts a Decision"] == messages(billing, someone(billing, ("read", "DOM1")))


class TestRights:
    def test_a_hidden_item_is_absent_and_a_seen_one_is_forbidden(self, billing: Model) -> None:
        assert "not_found" == refused(billing, "get_decision", someone(billing), id="D3")
        assert "forbidden" == refused(billing, "get_decision", someone(billing, ("ratify", "DOM1")), id="D3")
        assert "forbidden" == refused(
            billing, "retire_decision", someone(billing, ("author", "ROOT")), decision="D3", reason="No"
        )

    def test_an_agent_may_neither_ratify_nor_administer_unless_the_setting_allows(self, billing: Model) -> None:
        agent = someone(billing, kind="agent")
        grant = {"principal": agent, "right": "ratify", "place": "ARE1"}
        assert "conflict" == refused(billing, "grant_right", **grant)
        allowed = Model(allow_agent_ratify=True)
        agent = someone(allowed, ("ratify", "ROOT"), kind="agent")
        ask(allowed, "propose_decision", title="New", body="Text")
        assert "ratified" == ask(allowed, "ratify_decision", agent, decision="D1")["state"]

    def test_a_grant_lasts_until_its_expiry(self, billing: Model) -> None:
        caller = someone(billing)
        expires_at = (billing.now + timedelta(days=1)).isoformat()
        ask(billing, "grant_right", principal=caller, right="read", place="ARE1", expires_at=expires_at)
        assert 2 == ask(billing, "list_decisions", caller)["total"]
        billing.now += timedelta(days=1)
        assert 0 == ask(billing, "list_decisions", caller)["total"]

    def test_somebody_must_remain_who_administers_everything(self, billing: Model) -> None:
        assert "conflict" == refused(billing, "revoke_token", id="T1")
        assert "conflict" == refused(billing, "deactivate_principal", principal=OWNER, reason="Bye")

    def test_a_revoked_token_no_longer_works(self, billing: Model) -> None:
        token = ask(billing, "create_token", principal=OWNER)["id"]
        ask(billing, "revoke_token", id=token)
        with pytest.raises(ModelRefusal, match="unauthorized"):
            billing.call_with(token, "whoami", {})

    def test_the_grounds_of_a_decision_in_force_are_withdrawn_by_who_may_ratify(self, premises: Model) -> None:
        (relation, *_) = ask(premises, "list_relations", kind="grounded_in")["relations"]
        withdrawal: Arguments = {"id": relation["id"], "rev": 1, "reason": "Not so"}
        author = someone(premises, ("author", "ROOT"))
        assert "forbidden" == refused(premises, "withdraw_relation", author, **withdrawal)
        ratifier = someone(premises, ("ratify", "ROOT"), ("read", "ROOT"))
        assert "ended" == ask(premises, "withdraw_relation", ratifier, **withdrawal)["state"]


class TestRepeatedCalls:
    def test_the_same_key_and_call_answers_again_and_happens_once(self) -> None:
        model = Model()
        proposal = {"title": "Once", "body": "Text", "request_key": "k1"}
        assert ask(model, "propose_decision", **proposal) == ask(model, "propose_decision", **proposal)
        assert 1 == ask(model, "list_decisions")["total"]

    def test_a_used_key_with_anything_else_is_a_conflict(self) -> None:
        model = Model()
        ask(model, "propose_decision", title="Once", body="Text", request_key="k1")
        assert "conflict" == refused(model, "propose_decision", title="Twice", body="Text", request_key="k1")
        model.now += timedelta(hours=24)
        assert "D2" == ask(model, "propose_decision", title="Twice", body="Text", request_key="k1")["address"]

    def test_a_repeated_move_answers_again_though_the_state_has_changed(self) -> None:
        model = Model()
        ask(model, "propose_decision", title="Once", body="Text")
        move: Arguments = {"decision": "D1", "request_key": "k1", "rev": 1}
        assert ask(model, "ratify_decision", **move) == ask(model, "ratify_decision", **move)
        assert "conflict" == refused(model, "ratify_decision", decision="D1")
