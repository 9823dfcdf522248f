"""A history that is not as it was written, or tells something else than the tables."""

from __future__ import annotations

from typing import Any

from sqlalchemy import null

from smeldr.model.entries import Act
from smeldr.model.instants import Instant
from smeldr.operations import entries
from tests.graphs import key
from tests.operations.calls import related
from tests.operations.checkup.damages.register import LONG_AGO, Damaged, leads_to


def entry(register: Damaged, address: str, to_state: str) -> dict[str, Any]:
    """The first entry that has the item in the state."""
    return register.rows("history", subject_key=key(address), to_state=to_state)[0]


@leads_to("history-gap")
def an_entry_is_missing(register: Damaged) -> None:
    seq = entry(register, "D3", "ratified")["seq"]
    register.remove("history", seq=seq)


@leads_to("history-gap")
def the_first_entry_is_missing(register: Damaged) -> None:
    with register.badly() as call:
        owner = call.unit.access.principal(register.owner.id)
        assert owner is not None
        call.record(entries.principal(owner, before="active"))
    register.remove("history_texts", seq=1)
    register.remove("history", seq=1)


@leads_to("history-broken")
def an_entry_tells_of_another_tool(register: Damaged) -> None:
    register.change("history", {"tool": "another"}, seq=entry(register, "D3", "ratified")["seq"])


@leads_to("history-broken")
def the_last_entry_has_another_hash(register: Damaged) -> None:
    register.change("history", {"hash": "0" * 64}, seq=len(register.rows("history")))


@leads_to("history-backwards")
def an_entry_is_earlier_than_the_one_before(register: Damaged) -> None:
    with register.badly() as call:
        item = register.item(call, "D1")
        call.unit.items.raise_rev(item.key)
        act = Act(call.unit.new_id(), Instant(LONG_AGO), register.owner.id, "person", "update_decision")
        call.unit.history.append(act, [entries.rewritten(item, title="T", body="B")])


@leads_to("history-text-altered")
def a_text_is_another(register: Damaged) -> None:
    seq = entry(register, "D1", "proposed")["seq"]
    register.change("history_texts", {"text": "Another"}, seq=seq, field="title")


@leads_to("history-text-altered")
def a_text_is_one_that_its_entry_knows_nothing_of(register: Damaged) -> None:
    register.add("history_texts", seq=1, field="title", salt="00", text="T")


@leads_to("history-disagrees")
def a_state_was_changed(register: Damaged) -> None:
    register.change("items", {"state": "archived"}, key=key("D1"))


@leads_to("history-disagrees")
def a_rev_was_changed(register: Damaged) -> None:
    register.change("items", {"rev": 10}, key=key("D1"))


@leads_to("history-disagrees")
def a_place_was_changed(register: Damaged) -> None:
    register.change("items", {"place": key("DOM2")}, key=key("D1"))


@leads_to("history-disagrees")
def the_rev_of_a_relation_was_changed(register: Damaged) -> None:
    register.change("relations", {"rev": 21}, kind="grounded_in", source=key("D2"))


@leads_to("history-disagrees")
def a_revoked_token_counts_again(register: Damaged) -> None:
    token = register.owner.call("create_token", principal=register.owner.id)["id"]
    register.owner.call("revoke_token", id=token)
    register.change("tokens", {"revoked_at": null()}, id=token)


@leads_to("history-disagrees")
def a_right_was_given_past_the_register(register: Damaged) -> None:
    given = {"principal": register.owner.id, "right": "read", "place": key("DOM1")}
    register.add("grants", id="a grant", **given, granted_by=register.owner.id, granted_at=LONG_AGO)


@leads_to("history-disagrees")
def somebody_came_back(register: Damaged) -> None:
    gone = register.owner.call("create_principal", name="N", **{"class": "agent"})["id"]
    register.owner.call("deactivate_principal", principal=gone, reason="R")
    register.change("principals", {"active": True}, id=gone)


@leads_to("history-disagrees")
def a_relation_was_removed(register: Damaged) -> None:
    found = register.owner.call("assert_relation", **related("D2", "D5"))["relation"]
    register.remove("relations", id=found["id"])


@leads_to("history-disagrees")
def an_item_was_removed(register: Damaged) -> None:
    register.owner.call("create_domain", name="N")
    register.remove("places", key=key("DOM3"))
    register.remove("items", key=key("DOM3"))
