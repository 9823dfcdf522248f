"""A visit of the doctor: what it tells, what it leaves alone, and what becomes of a check or a repair that fails."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from smeldr.model.findings import FINDINGS, MAX_LISTED, REPAIRABLE, Finding
from smeldr.model.items import ROOT, ItemKey
from smeldr.operations.call import Call, Policy
from smeldr.operations.checkup import doctor
from smeldr.operations.checkup.doctor import visit
from smeldr.operations.checkup.repairs import REPAIRS
from smeldr.operations.register import Register
from smeldr.store.contract import Interrupted
from smeldr.store.store import Store
from tests.callers import Caller, load, resting
from tests.databases import ON_A_SERVER, ON_FILES, Databases, file_of
from tests.graphs import key
from tests.operations.calls import related
from tests.operations.checkup.damages import Damaged
from tests.operations.checkup.damages.conditions import a_premise_came_back_into_force_and_nobody_was_told as left_open
from tests.operations.checkup.damages.conditions import a_premise_left_force_and_nobody_was_told as missing
from tests.operations.checkup.damages.people import a_grant_is_over_a_place_that_is_not_there as orphaned_grant
from tests.operations.tables import Tables
from tests.starts import STARTS


@pytest.mark.parametrize("start", STARTS)
def test_nothing_is_found_in_what_the_documentation_starts_from(start: str, owner: Caller) -> None:
    STARTS[start](owner.call)
    assert {} == visit(owner.register).totals


def test_nothing_is_found_in_a_register_in_order_and_its_size_is_told(damaged: Damaged) -> None:
    tables = Tables(damaged.database)
    with tables.unchanged():
        report = visit(damaged.owner.register)
    sizes = tuple(len(tables.rows(name)) for name in ("items", "relations", "history"))
    assert ({}, {}) == (report.totals, report.repaired)
    assert sizes == (report.items, report.relations, report.entries)


def test_nothing_is_found_in_what_was_imported(owner: Caller, database: str, tmp_path: Path) -> None:
    places = [
        {"type": "Domain", "ref": "shop", "name": "店"},
        {"type": "Area", "ref": "till", "name": "Till", "domain": "shop"},
    ]
    states = ("proposed", "ratified", "superseded", "retired", "archived")
    decisions = [
        {"type": "Decision", "ref": each, "title": "題", "body": "B\r\n", "state": each, "place": "till"}
        for each in states
    ]
    more = [
        {"type": "Amendment", "ref": "A", "amends": "ratified", "title": "T", "body": "B", "state": "archived"},
        {"relation": "contradicts", "source": "proposed", "target": "ratified"},
        {"relation": "supersedes", "source": "proposed", "target": "retired"},
        *resting(5, "archived", "ratified"),
    ]
    load(database, tmp_path / "some.jsonl", *places, *decisions, *more)
    assert {} == visit(owner.register).totals


def test_nothing_is_found_after_every_kind_of_change(damaged: Damaged) -> None:
    owner = damaged.owner
    owner.call("move_item", type="Decision", id="D2", place="ARE1", reason="R")
    owner.call("create_area", domain="DOM2", name="Other")
    owner.call("move_area", area="ARE1", domain="DOM2")
    owner.call("rename_place", place="ARE1", name="N")
    owner.call("retire_place", place="DOM1", reason="R")
    owner.call("confirm_premise", decision="D2", premise="D3", reason="R")
    owner.call("archive_decision", decision="D3", reason="R")
    owner.call("reinstate_decision", decision="D4", reason="R")
    owner.call("replace_premise", decision="D7", premise="D8", by="D2", reason="R")
    owner.call("assert_relation", **related("D7", "D8"))
    owner.call("archive_amendment", amendment="A1", reason="R")
    owner.call("run_sweep")
    assert {} == visit(owner.register).totals


def test_what_is_found_is_told_with_its_address_in_the_order_of_the_codes(damaged: Damaged) -> None:
    damaged.change("counters", {"value": 1}, name="Decision")
    missing(damaged)
    reply = visit(damaged.owner.register).reply()
    told = {"code": "condition-missing", "what": "D7", "message": "premise-flagged, because of D8, is missing"}
    behind = "the highest address is D8, and the counter stands at 1"
    assert [
        {**told, "repairable": True},
        {"code": "counter-behind", "what": "Decision", "message": behind, "repairable": True},
    ] == reply["findings"]
    assert {"condition-missing": 1, "counter-behind": 1} == reply["totals"]
    assert reply == {**visit(damaged.owner.register).reply(), "checked_at": reply["checked_at"]}


def test_of_many_findings_of_one_code_the_first_are_told_and_all_are_counted(damaged: Damaged) -> None:
    (row, *_) = damaged.rows("rest_counts")
    many = [{**row, "key": key(f"D{number}")} for number in range(100, 100 + MAX_LISTED + 7)]
    damaged.add_all("rest_counts", many)
    report = visit(damaged.owner.register)
    assert {"count-orphaned": MAX_LISTED + 7} == report.totals
    assert ["D100", f"D{99 + MAX_LISTED}"] == [report.found["count-orphaned"][at].what for at in (0, -1)]
    assert MAX_LISTED == len(report.reply()["findings"])
    assert {"count-orphaned": MAX_LISTED + 7} == visit(damaged.owner.register, ["count-orphaned"]).repaired


def test_keys_that_no_item_can_have_are_told_as_they_are(damaged: Damaged) -> None:
    damaged.place("D1", ItemKey(12))
    report = visit(damaged.owner.register)
    assert ["it lies in the key 12, and that is no place that there is"] == [
        each.message for each in report.found["item-place-missing"]
    ]


def test_a_repair_mends_its_own_code_and_no_other(damaged: Damaged) -> None:
    missing(damaged)
    left_open(damaged)
    orphaned_grant(damaged)
    report = visit(damaged.owner.register, ["condition-left-open"])
    assert {"condition-left-open": 1} == report.repaired
    assert {"condition-missing": 1, "grant-orphaned": 1} == report.totals
    assert {"condition-missing": 1, "grant-orphaned": 1} == visit(damaged.owner.register, REPAIRABLE).repaired


def test_a_repair_leaves_alone_what_was_put_right_since_it_was_found(damaged: Damaged) -> None:
    missing(damaged)
    left_open(damaged)
    damaged.change("items", {"place": key("ARE1")}, key=key("SIG1"))
    repairs = [REPAIRS[code] for code in ("condition-missing", "condition-left-open", "condition-misplaced")]
    with damaged.owner.register.looking() as call:
        found = [repair.find(call) for repair in repairs]
    damaged.change("items", {"place": ROOT}, key=key("SIG1"))
    damaged.owner.call("run_sweep")
    tables = Tables(damaged.database)
    with tables.unchanged():
        for repair, each in zip(repairs, found, strict=True):
            assert each
            with damaged.owner.register.locally("doctor") as call:
                repair.mend(call, each)


def test_a_repair_with_nothing_to_mend_changes_nothing(damaged: Damaged) -> None:
    with Tables(damaged.database).unchanged():
        assert {} == visit(damaged.owner.register, REPAIRABLE).repaired


def test_what_a_repair_changes_is_in_the_history_as_the_operators_and_a_condition_as_the_rules(
    damaged: Damaged,
) -> None:
    missing(damaged)
    orphaned_grant(damaged)
    tables = Tables(damaged.database)
    before = len(tables.entries())
    visit(damaged.owner.register, REPAIRABLE)
    opened, revoked = tables.entries(after=before)
    assert ("Signal", "open", "system", None) == tuple(
        opened[name] for name in ("subject_type", "to_state", "actor", "tool")
    )
    assert ("Grant", "revoked", "operator", "doctor") == tuple(
        revoked[name] for name in ("subject_type", "to_state", "actor", "tool")
    )
    assert "reason" in revoked["texts"]


def test_a_premise_that_many_rest_on_is_mended_in_one_act(owner: Caller, database: str, tmp_path: Path) -> None:
    premise = {"type": "Decision", "ref": "P", "title": "T", "body": "B", "state": "ratified"}
    load(database, tmp_path / "some.jsonl", premise, *resting(300, "P", "ratified"))
    Damaged(owner, database).state("D1", "retired")
    report = visit(owner.register, ["condition-missing"])
    assert ({"condition-missing": 300}, {}) == (report.repaired, report.totals)
    assert 300 == owner.call("list_signals")["total"]


def test_it_looks_while_a_write_is_under_way(damaged: Damaged, databases: Databases) -> None:
    with databases.held(damaged.database):
        assert {} == visit(damaged.owner.register).totals


def test_a_repair_whose_turn_does_not_come_is_told_and_the_look_goes_on(damaged: Damaged, databases: Databases) -> None:
    missing(damaged)
    impatient = Register(Store(damaged.database, busy_seconds=0.05), Policy())
    with databases.held(damaged.database):
        report = visit(impatient, ["condition-missing"])
    assert {"condition-missing": 1, "repair-failed": 1} == report.totals
    told = "the store did not answer in time; nothing was written"
    assert [Finding("repair-failed", "condition-missing", told)] == report.found["repair-failed"]


def test_all_of_a_look_is_one_snapshot(damaged: Damaged, monkeypatch: pytest.MonkeyPatch) -> None:
    def meanwhile(call: Call) -> Iterator[Finding]:
        assert call.unit.is_register()
        missing(damaged)
        damaged.owner.ratified("Ninth")
        yield from ()

    before = visit(damaged.owner.register)
    monkeypatch.setattr(doctor, "CHECKS", {"meanwhile": meanwhile, **doctor.CHECKS})
    during = visit(damaged.owner.register)
    assert ({}, before.items, before.entries) == (during.totals, during.items, during.entries)
    monkeypatch.undo()
    assert {"condition-missing": 1} == visit(damaged.owner.register).totals


def test_a_check_and_a_repair_that_fail_are_findings_and_the_others_go_on(damaged: Damaged) -> None:
    missing(damaged)
    damaged.run("DROP TABLE rest_counts")
    report = visit(damaged.owner.register, ["count-orphaned", "condition-missing"])
    assert {"check-failed": 1, "repair-failed": 1} == report.totals
    assert {"condition-missing": 1} == report.repaired
    (failed,) = report.found["check-failed"]
    assert "count-orphaned" == failed.what
    assert "rest_counts" in failed.message
    assert 1 == len(failed.message.splitlines())


def test_a_register_without_most_of_its_tables_is_looked_at_to_the_end(damaged: Damaged) -> None:
    for table in ("history_texts", "signals", "relations", "grants"):
        damaged.run(f"DROP TABLE {table}")
    report = visit(damaged.owner.register, REPAIRABLE)
    assert {"check-failed", "repair-failed", "history-disagrees"} >= set(report.totals)
    assert "sizes" in {each.what for each in report.found["check-failed"]}


def test_a_relation_without_its_end_keeps_the_conditions_from_nothing(damaged: Damaged) -> None:
    damaged.relate("D99", "grounded_in", "D3")
    missing(damaged)
    report = visit(damaged.owner.register, ["condition-missing"])
    assert ({"condition-missing": 1}, {"relation-end-missing": 1}) == (report.repaired, report.totals)


def test_what_hangs_on_no_relation_stays_open_since_nobody_knows_why_it_would_close(damaged: Damaged) -> None:
    left_open(damaged)
    damaged.change("signals", {"relation": "none"}, key=key("SIG1"))
    report = visit(damaged.owner.register, REPAIRABLE)
    assert {"condition-left-open": 1, "condition-without-relation": 1} == report.totals


@ON_FILES
def test_a_file_with_a_page_that_cannot_be_read_is_looked_at_as_far_as_it_can(damaged: Damaged) -> None:
    damaged.owner.register.store.close()
    file = file_of(damaged.database)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'signals'").fetchone()
    with file.open("r+b") as opened:
        opened.seek((page - 1) * size)
        opened.write(b"\xff" * size)
    report = visit(damaged.owner.register)
    assert {"check-failed"} == set(report.totals)
    assert {"conditions", "condition-misplaced"} <= {each.what for each in report.found["check-failed"]}
    assert "relation-end-missing" not in {each.what for each in report.found["check-failed"]}


@ON_A_SERVER
def test_a_database_that_breaks_off_ends_the_visit(damaged: Damaged, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaking(_: Call) -> Iterator[Finding]:
        damaged.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND datname = current_database()"
        )
        yield from ()

    monkeypatch.setattr(doctor, "CHECKS", {"breaking": breaking, **doctor.CHECKS})
    with pytest.raises(Interrupted):
        visit(damaged.owner.register)


def test_nobody_reaches_it_through_a_door(owner: Caller) -> None:
    owner.refused("not_found", "doctor")
    owner.refused("not_found", "smeldr_doctor")


def test_every_code_says_what_it_means_in_a_line() -> None:
    for name, code in FINDINGS.items():
        assert name == code.name
        assert 1 == len(code.means.splitlines())


def test_an_agent_administers_where_agents_may(damaged: Damaged) -> None:
    agents = Register(damaged.owner.register.store, Policy(allow_agent_ratify=True))
    damaged.change("principals", {"class": "agent"}, id=damaged.owner.id)
    assert ["administrator-missing"] == list(visit(damaged.owner.register).totals)
    assert {} == visit(agents).totals
