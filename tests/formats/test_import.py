"""What docs/import-format.md says about importing, on a register of its own."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from smeldr.model.errors import Refusal
from smeldr.operations.importing import Report
from smeldr.settings import Settings
from smeldr.wiring import import_file
from tests.callers import Caller

DOMAIN = {"type": "Domain", "ref": "shop", "name": "Shop"}
AREA = {"type": "Area", "ref": "billing", "name": "Billing", "domain": "shop"}


def decision(ref: str, state: str = "ratified", **more: Any) -> dict[str, Any]:
    return {
        "type": "Decision",
        "ref": ref,
        "title": f"Title of {ref}",
        "body": f"Body of {ref}.",
        "state": state,
        **more,
    }


def amendment(ref: str, amends: str, state: str = "ratified") -> dict[str, Any]:
    return {"type": "Amendment", "ref": ref, "amends": amends, "title": "T", "body": "B", "state": state}


def relation(source: str, kind: str, target: str) -> dict[str, str]:
    return {"relation": kind, "source": source, "target": target}


class Importer:
    """Imports records into the database of the test."""

    def __init__(self, database: str, folder: Path) -> None:
        self.settings = Settings(database=database)
        self.file = folder / "file.jsonl"

    def load(self, *records: dict[str, Any]) -> Report:
        self.file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        return import_file(self.settings, self.file)

    def refused(self, *records: dict[str, Any]) -> str:
        with pytest.raises(Refusal) as refused:
            self.load(*records)
        assert "validation_failed" == refused.value.code
        return refused.value.message


@pytest.fixture
def importer(database: str, tmp_path: Path) -> Importer:
    return Importer(database, tmp_path)


def test_a_name_that_two_places_have_names_neither(importer: Importer, owner: Caller) -> None:
    for _ in range(2):
        owner.call("create_domain", name="Shop")
    assert "DOM1 and DOM2" in importer.refused(DOMAIN, decision("one", place="shop"))
    assert 0 == owner.call("list_decisions")["total"]


def everything(owner: Caller) -> list[Any]:
    """All that a reader of everything sees."""
    return [
        owner.call("list_places"),
        owner.call("list_decisions"),
        owner.call("list_amendments"),
        owner.call("list_relations", include_ended=True),
        owner.call("list_signals", state="all"),
    ]


def test_items_arrive_in_the_state_and_place_that_the_file_says(importer: Importer, owner: Caller) -> None:
    importer.load(
        DOMAIN,
        AREA,
        decision("R-1", "retired", place="billing", created_at="2020-02-02T02:02:02Z"),
        decision("R-2", "proposed", place="shop"),
        decision("R-3"),
        amendment("R-1a", "R-1", "archived"),
    )
    found = {decision["source"]: decision for decision in (owner.call("get_decision", id=f"D{n}") for n in (1, 2, 3))}
    assert {"R-1": ("retired", "ARE1"), "R-2": ("proposed", "DOM1"), "R-3": ("ratified", "ROOT")} == {
        ref: (each["state"], each["place"]) for ref, each in found.items()
    }
    assert "2020-02-02T02:02:02.000000Z" == found["R-1"]["created_at"]
    (amended,) = owner.call("list_amendments")["amendments"]
    assert ("archived", "ARE1", found["R-1"]["address"]) == (amended["state"], amended["place"], amended["amends"])


def test_records_may_come_in_any_order(importer: Importer, owner: Caller) -> None:
    importer.load(
        relation("R-2", "grounded_in", "R-1"),
        amendment("R-1a", "R-1"),
        decision("R-2", place="billing"),
        AREA,
        decision("R-1"),
        DOMAIN,
    )
    assert {"open": 0, "closed": 2} == owner.call("get_rest_counts", type="Decision", id="D2")["rests_on_this"]


def test_conditions_are_open_that_the_rules_ask_for(importer: Importer, owner: Caller) -> None:
    report = importer.load(
        decision("R-1", "superseded"),
        decision("R-2"),
        decision("R-3"),
        relation("R-2", "grounded_in", "R-1"),
        relation("R-2", "contradicts", "R-3"),
    )
    assert [
        "D2 contradicts a Decision",
        "D2 rests on a Decision that is not in force",
        "D3 contradicts a Decision",
    ] == sorted(owner.messages())
    assert 3 == report.opened


def test_running_it_again_adds_nothing(importer: Importer, owner: Caller) -> None:
    records = [
        DOMAIN,
        AREA,
        decision("R-1", "superseded", place="billing"),
        decision("R-2", place="shop"),
        amendment("R-2a", "R-2"),
        relation("R-2", "supersedes", "R-1"),
        relation("R-2", "contradicts", "R-1"),
    ]
    importer.load(*records)
    before = everything(owner)
    again = importer.load(*records)
    assert before == everything(owner)
    assert {"places": 0, "decisions": 0, "amendments": 0, "relations": 0, "present": 7, "opened": 0} == asdict(again)


def test_running_it_again_leaves_alone_what_has_moved_on(importer: Importer, owner: Caller) -> None:
    records = [
        decision("R-1", "superseded"),
        decision("R-2"),
        decision("R-3"),
        relation("R-2", "supersedes", "R-1"),
        relation("R-3", "contradicts", "R-2"),
    ]
    importer.load(*records)
    contradiction = owner.call("list_relations", kind="contradicts")["relations"][0]
    owner.call("withdraw_relation", id=contradiction["id"], rev=1, reason="They agree.")
    owner.call("reinstate_decision", decision="D1", reason="It was needed.")
    owner.call("retire_decision", decision="D3", reason="It was not.")
    before = everything(owner)
    importer.load(*records)
    assert before == everything(owner)


def test_a_second_file_builds_on_a_first(importer: Importer, owner: Caller) -> None:
    importer.load(DOMAIN, decision("R-1", place="shop"))
    report = importer.load(
        {**DOMAIN, "ref": "another-ref"},
        {**AREA, "domain": "another-ref"},
        decision("R-2", place="billing"),
        amendment("R-1a", "R-1"),
        relation("R-2", "grounded_in", "R-1"),
    )
    assert {"places": 1, "decisions": 1, "amendments": 1, "relations": 1, "present": 1, "opened": 0} == asdict(report)
    assert {"open": 0, "closed": 2} == owner.call("get_rest_counts", type="Decision", id="D1")["rests_on_this"]


def test_the_same_record_on_two_lines_is_read_once(importer: Importer) -> None:
    grounds = relation("R-2", "grounded_in", "R-1")
    report = importer.load(DOMAIN, DOMAIN, decision("R-1"), decision("R-1"), decision("R-2"), grounds, grounds)
    assert (1, 2, 1) == (report.places, report.decisions, report.relations)


@pytest.mark.parametrize(
    "records,why",
    [
        ([decision("R-1"), decision("R-1", "retired")], "line 2: "),
        ([DOMAIN, decision("shop")], "line 2: "),
        ([decision("R-1"), amendment("R-1", "R-1")], "line 2: "),
        ([decision("R-1"), relation("R-1", "grounded_in", "R-9")], "line 2: "),
        ([decision("R-1"), amendment("R-1a", "R-9")], "line 2: "),
        ([decision("R-1", place="billing")], "line 1: "),
        ([AREA], "line 1: "),
        ([DOMAIN, {**AREA, "ref": "more", "domain": "billing"}, AREA], "line 2: "),
        ([DOMAIN, AREA, {**AREA, "ref": "more", "domain": "billing"}], "line 3: "),
        ([decision("R-1"), decision("R-2", place="R-1")], "line 2: "),
        ([decision("R-1"), amendment("R-1a", "R-1"), relation("R-1", "addresses", "R-1a")], "line 3: "),
        ([DOMAIN, decision("R-1"), relation("R-1", "addresses", "shop")], "line 3: "),
        ([decision("R-1"), decision("R-2"), relation("R-2", "supersedes", "R-1")], "line 3: "),
        ([decision("R-1", "proposed"), decision("R-2"), relation("R-2", "supersedes", "R-1")], "line 3: "),
        ([{"smeldr": 1, "records": 3}, decision("R-1"), decision("R-2")], "line 3: "),
        ([decision("R-1"), {**decision("R-2"), "state": "done"}], "line 2: state: "),
    ],
)
def test_what_takes_two_lines_to_judge_is_refused_by_its_line_and_nothing_is_loaded(
    importer: Importer, owner: Caller, records: list[dict[str, Any]], why: str
) -> None:
    before = everything(owner)
    assert why in importer.refused(*records)
    assert before == everything(owner)


def test_a_fault_behind_many_good_lines_leaves_nothing_of_them(importer: Importer, owner: Caller) -> None:
    before = everything(owner)
    many = [decision(f"R-{number}") for number in range(2_500)]
    assert "line 2501: " in importer.refused(*many, relation("R-1", "grounded_in", "R-2500"))
    assert before == everything(owner)
    importer.load(decision("R-1"))
    assert "D1" == owner.call("list_decisions")["decisions"][0]["address"]


def test_an_empty_file_loads_nothing(importer: Importer) -> None:
    assert asdict(Report()) == asdict(importer.load())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_refused_since_it_cannot_be_read_twice(importer: Importer, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(Refusal, match="is not a plain file"):
        import_file(importer.settings, pipe)
