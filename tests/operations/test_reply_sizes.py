"""A reply under default limits stays under 100 KB, since an agent has to read it: the longest texts, in any script."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from smeldr.model.texts import MAX_NAME, MAX_REASON, MAX_SOURCE, MAX_TITLE
from smeldr.operations.replies import MAX_LISTED_TEXT, MAX_WHOLE_TEXTS
from tests.callers import Caller, load

LARGEST: Final = 100_000
"""Bytes of a reply, as JSON in UTF-8."""

PAGE: Final = 50

WIDE: Final = {"kanji": "決", "beyond the basic plane": "𠮷"}


def size(reply: dict[str, Any]) -> int:
    return len(json.dumps(reply, ensure_ascii=False).encode())


def many(character: str) -> Iterator[dict[str, Any]]:
    """More than a page of places, Decisions in force, grounds in a retired one and Amendments, all with long names."""

    def long(kind: str, number: int, longest: int = MAX_TITLE) -> str:
        return f"{kind}{number:03}".ljust(longest, character)

    source = long("P", 0, MAX_SOURCE)
    yield {"type": "Decision", "ref": source, "title": long("P", 0), "body": character, "state": "retired"}
    for number in range(PAGE + 1):
        yield {"type": "Domain", "ref": long("M", number, MAX_SOURCE), "name": long("M", number, MAX_NAME)}
        ref = long("D", number, MAX_SOURCE)
        yield {"type": "Decision", "ref": ref, "title": long("D", number), "body": character, "state": "ratified"}
        yield {"relation": "grounded_in", "source": ref, "target": source}
        amendment = {"type": "Amendment", "ref": long("A", number, MAX_SOURCE), "amends": ref}
        yield {**amendment, "title": long("A", number), "body": character, "state": "ratified"}


@pytest.mark.parametrize("character", WIDE.values(), ids=WIDE)
def test_every_list_of_the_longest_texts_is_small_enough(
    owner: Caller, database: str, tmp_path: Path, character: str
) -> None:
    load(database, tmp_path / "many.jsonl", *many(character))
    for _ in range(PAGE):
        owner.call("create_principal", name=character * MAX_NAME, **{"class": "person"})
    conditions = owner.call("list_signals", limit=200)["signals"]
    reason = character * MAX_REASON
    owner.call("confirm_premise", conditions=[each["address"] for each in conditions], reason=reason)
    for relation in owner.call("list_relations", kind="grounded_in", limit=200)["relations"]:
        owner.call("withdraw_relation", id=relation["id"], rev=1, reason=reason)
    lists: list[tuple[str, dict[str, Any]]] = [
        ("list_decisions", {}),
        ("list_amendments", {}),
        ("list_places", {}),
        ("list_principals", {}),
        ("list_relations", {"kind": "grounded_in", "include_ended": True}),
        ("list_signals", {"state": "closed"}),
    ]
    for tool, arguments in lists:
        reply = owner.call(tool, **arguments)
        assert PAGE == reply["count"], tool
        assert size(reply) < LARGEST, tool


def test_a_trace_under_default_limits_is_small_enough(owner: Caller, database: str, tmp_path: Path) -> None:
    load(database, tmp_path / "many.jsonl", *many("決"))
    premise = owner.call("list_decisions", state="retired")["decisions"][0]
    reply = owner.call("get_reachability", type_name="Decision", id=premise["address"], depth=10)
    assert 100 == reply["count"]
    assert size(reply) < LARGEST


def test_a_long_page_shows_the_start_of_a_long_reason_and_a_short_page_all_of_it(owner: Caller) -> None:
    owner.ratified("First")
    owner.ratified("Second", grounded_in=["D1"])
    owner.call("retire_decision", decision="D1", reason="R")
    reason = "決" * MAX_REASON
    owner.call("confirm_premise", condition="SIG1", reason=reason)
    relation = owner.call("list_relations")["relations"][0]
    owner.call("withdraw_relation", id=relation["id"], rev=1, reason=reason)

    def shown(limit: int) -> tuple[str, str]:
        ended = owner.call("list_relations", include_ended=True, limit=limit)["relations"][0]
        closed = owner.call("list_signals", state="closed", limit=limit)["signals"][0]
        return ended["reason"], closed["resolution"]

    resolution = f"confirmed: {reason}"
    cut = f"{reason[:MAX_LISTED_TEXT]}…", f"{resolution[:MAX_LISTED_TEXT]}…"
    assert (reason, resolution) == shown(MAX_WHOLE_TEXTS)
    assert cut == shown(MAX_WHOLE_TEXTS + 1)
    assert resolution == owner.call("get_signal", id="SIG1")["resolution"]


def test_a_reason_that_fits_is_shown_whole_in_every_page(owner: Caller) -> None:
    owner.ratified("First")
    owner.ratified("Second", grounded_in=["D1"])
    relation = owner.call("list_relations")["relations"][0]
    reason = "決" * MAX_LISTED_TEXT
    owner.call("withdraw_relation", id=relation["id"], rev=1, reason=reason)
    assert reason == owner.call("list_relations", include_ended=True, limit=200)["relations"][0]["reason"]
