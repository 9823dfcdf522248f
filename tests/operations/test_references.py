"""What names an item is its address or its id in the usual form; nothing else is taken for either."""

from __future__ import annotations

import pytest

from tests.callers import Caller


@pytest.mark.parametrize(
    "text",
    [
        "urn:" + "1" * 32,
        "1" * 32 + "----",
        "{" + "1" * 32 + "}--",
        "0x" + "1" * 30 + "----",
        "1_" + "1" * 30 + "----",
        "\uff11" * 32 + "----",
        "11111111-1111-1111-1111-11111111111\uff11",
        "D01",
        "D\uff11",
        " D1",
        "D1 ",
        "D1\n",
        "D0",
        "D9999999999999",
    ],
)
def test_what_is_no_address_and_no_id_is_refused_as_such(owner: Caller, text: str) -> None:
    owner.call("propose_decision", title="Keep one queue", body="One.")
    owner.refused("validation_failed", "get_decision", id=text)
    owner.refused("validation_failed", "revoke_token", id=text)


def test_a_letter_that_becomes_an_s_in_upper_case_is_none(owner: Caller) -> None:
    owner.refused("validation_failed", "get_signal", id="\u017fIG1")
    owner.refused("not_found", "get_signal", id="sig1")


def test_an_id_goes_in_any_case(owner: Caller) -> None:
    decision = owner.call("propose_decision", title="Keep one queue", body="One.")
    assert decision == owner.call("get_decision", id=decision["id"].upper())
