"""What is kept beside the register and belongs to nothing; rows that name what is not there."""

from __future__ import annotations

from smeldr.model.items import ROOT
from tests.graphs import key
from tests.operations.checkup.damages.register import LONG_AGO, Damaged, leads_to


@leads_to("count-orphaned")
def a_count_is_of_an_item_that_is_not_there(register: Damaged) -> None:
    (row, *_) = register.rows("rest_counts")
    register.add("rest_counts", **{**row, "key": key("D99"), "place": ROOT})


@leads_to("count-orphaned")
def a_count_is_for_a_place_that_is_not_there(register: Damaged) -> None:
    (row, *_) = register.rows("rest_counts")
    register.add("rest_counts", **{**row, "place": key("ARE99")})


@leads_to("confirmation-orphaned")
def a_confirmation_is_of_a_pair_that_never_was(register: Damaged) -> None:
    register.add("confirmations", decision=key("D5"), premise=key("D6"), state_changes=1)


@leads_to("confirmation-orphaned")
def a_confirmation_is_of_a_relation_that_is_no_ground(register: Damaged) -> None:
    register.add("confirmations", decision=key("D3"), premise=key("D4"), state_changes=1)


@leads_to("request-key-old")
def a_request_key_was_never_forgotten(register: Damaged) -> None:
    register.change("request_keys", {"at": LONG_AGO})


@leads_to("foreign-key-broken")
def a_name_is_of_a_place_that_is_not_there(register: Damaged) -> None:
    register.add("places", key=key("DOM99"), name="N")


@leads_to("foreign-key-broken")
def a_text_is_of_an_entry_that_is_not_there(register: Damaged) -> None:
    register.add("history_texts", seq=9_999, field="title", salt="00", text="T")
