"""`smeldr doctor`: what it prints, how it ends, and what it refuses to repair."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from smeldr.model.findings import FINDINGS, MAX_LISTED, REPAIRABLE
from smeldr.store.engines import shown
from tests.callers import Caller
from tests.databases import ON_A_SERVER
from tests.doors.cli.conftest import Run, failure
from tests.graphs import key
from tests.operations.checkup.damages import Damaged


@pytest.fixture
def damaged(owner: Caller, database: str) -> Damaged:
    """A register with D1 in it, to be damaged."""
    owner.call("propose_decision", title="請", body="B")
    owner.call("run_sweep")
    return Damaged(owner, database)


def orphans(register: Damaged, number: int) -> None:
    """Leave that many stored counts of nothing."""
    (run,) = register.rows("sweep_runs")
    count = {"direction": "incoming", "place": 0, "open": 0, "closed": 0, "at_least": False}
    count["generation"] = run["generation"]
    register.add_all("rest_counts", [{"key": key(f"D{each}"), **count} for each in range(100, 100 + number)])


def test_a_register_in_order_is_one_line_and_0(smeldr: Run, damaged: Damaged) -> None:
    done = smeldr("doctor", "--database", damaged.database)
    assert (0, "") == (done.code, done.err)
    assert "Nothing found in 1 item, 0 relations and 7 entries of the history.\n" == done.out


def test_what_is_found_is_told_by_code_and_the_exit_code_is_1(smeldr: Run, damaged: Damaged) -> None:
    damaged.change("counters", {"value": 0}, name="Decision")
    damaged.change("items", {"state": "pondered"}, key=key("D1"))
    done = smeldr("doctor", SMELDR_DATABASE=damaged.database)
    assert (1, "") == (done.code, done.err)
    assert [
        "item-state-unknown (1): an item is in a state that its type does not have",
        "  D1: its state is pondered, which its type does not have",
        "counter-behind (1): an address was given out that its counter has not come to",
        "  Decision: the highest address is D1, and the counter stands at 0",
        "history-disagrees (1): the history tells something else than the register",
        "  D1: it is pondered, and the last entry about it says proposed",
        "3 findings in 1 item, 0 relations and 7 entries of the history; --repair counter-behind mends 1.",
    ] == done.out.splitlines()


def test_for_programs_there_is_one_object(smeldr: Run, damaged: Damaged) -> None:
    damaged.change("counters", {"value": 0}, name="Decision")
    done = smeldr("doctor", "--database", damaged.database, "--json")
    said = json.loads(done.out)
    assert (1, "", 1) == (done.code, done.err, done.out.count("\n"))
    assert ["database", "checked_at", "items", "relations", "entries", "findings", "totals", "repaired"] == list(said)
    assert [("counter-behind", "Decision", True)] == [
        (each["code"], each["what"], each["repairable"]) for each in said["findings"]
    ]
    assert (shown(damaged.database), {"counter-behind": 1}, []) == (said["database"], said["totals"], said["repaired"])


def test_what_it_is_told_to_repair_is_mended_and_the_exit_code_is_0(smeldr: Run, damaged: Damaged) -> None:
    damaged.change("counters", {"value": 0}, name="Decision")
    orphans(damaged, 1)
    both = ("--repair", "counter-behind, count-orphaned")
    done = smeldr("doctor", "--database", damaged.database, *both)
    assert (0, "") == (done.code, done.err)
    assert [
        "repaired counter-behind (1): raises the counter",
        "repaired count-orphaned (1): removes it",
        "Nothing found in 1 item, 0 relations and 7 entries of the history.",
    ] == done.out.splitlines()
    assert "Nothing found" in smeldr("doctor", "--database", damaged.database).out
    assert "D2" == damaged.owner.call("propose_decision", title="T", body="B")["address"]


def test_what_is_left_after_a_repair_is_told_and_the_exit_code_is_1(smeldr: Run, damaged: Damaged) -> None:
    damaged.change("counters", {"value": 0}, name="Decision")
    orphans(damaged, 3)
    one = ("--repair", "count-orphaned", "--repair", "count-orphaned", "--json")
    done = smeldr("doctor", "--database", damaged.database, *one)
    said = json.loads(done.out)
    assert (1, {"counter-behind": 1}) == (done.code, said["totals"])
    assert [{"code": "count-orphaned", "number": 3}] == said["repaired"]


def test_of_many_findings_people_are_shown_the_first_20(smeldr: Run, damaged: Damaged) -> None:
    orphans(damaged, MAX_LISTED + 25)
    lines = smeldr("doctor", "--database", damaged.database).out.splitlines()
    assert ("count-orphaned (1,025): " + FINDINGS["count-orphaned"].means) == lines[0]
    assert ["  and 1,005 more"] == lines[21:22]
    assert 23 == len(lines)
    assert MAX_LISTED == len(json.loads(smeldr("doctor", "--database", damaged.database, "--json").out)["findings"])


@pytest.mark.parametrize("codes", ["nonesuch", "counter-behind,", "", "history-gap", "counter-behind,check-failed"])
def test_a_code_that_cannot_be_repaired_is_wrong_usage_and_nothing_is_mended(
    codes: str, smeldr: Run, damaged: Damaged
) -> None:
    damaged.change("counters", {"value": 0}, name="Decision")
    told = failure(smeldr("doctor", "--database", damaged.database, "--repair", codes), code=2)
    assert told.startswith("smeldr: usage: ")
    assert ", ".join(REPAIRABLE) in told
    assert 1 == smeldr("doctor", "--database", damaged.database).code


def test_what_is_no_register_is_one_line(smeldr: Run, folder: Path) -> None:
    assert "smeldr init" in failure(smeldr("doctor"))
    (folder / "other.db").write_text("This is no database, whatever its name says. " * 50, encoding="utf-8")
    for url in ("sqlite:///other.db", "nonesuch", "sqlite:////nonesuch/folder/x.db"):
        assert failure(smeldr("doctor", "--database", url)).startswith("smeldr: store_unusable: ")


@ON_A_SERVER
def test_the_password_of_the_database_is_not_shown(smeldr: Run, damaged: Damaged) -> None:
    url = damaged.database.replace("postgres@", "postgres:secret@")
    done = smeldr("doctor", "--database", url, "--json")
    assert 0 == done.code, done.err
    assert "secret" not in done.out
    assert json.loads(done.out)["database"].startswith("postgresql://postgres:***@")


def test_a_reader_that_leaves_early_is_no_fault(damaged: Damaged) -> None:
    orphans(damaged, 100)
    process = subprocess.Popen(
        [sys.executable, "-m", "smeldr", "doctor"],
        env={**os.environ, "SMELDR_DATABASE": damaged.database},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        process.stdout.close()
        assert (b"", 1) == (process.stderr.read(), process.wait(60))
