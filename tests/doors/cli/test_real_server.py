"""The documented commands, against a real server over a real register. They are clients and know of no database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from smeldr.doors.cli.manifest import tools
from tests.callers import Caller
from tests.conftest import MakeCaller
from tests.databases import ON_FILES
from tests.doors.cli.conftest import Cli
from tests.doors.cli.test_manifest import VERBS

pytestmark = ON_FILES


def asked(cli: Cli, *words: str) -> Any:
    """What the command answers in JSON."""
    ended = cli(*words, "--json")
    assert 0 == ended.code, ended.err
    return json.loads(ended.out)


@pytest.fixture
def five(owner: Caller) -> Caller:
    """D2 and D5 rest on D1, D3 on D2, and D4 addresses D1; all are ratified."""
    owner.ratified("Invoices are issued from one ledger")
    owner.ratified("The ledger is append-only", grounded_in=["D1"])
    owner.ratified("Corrections are entries of their own", grounded_in=["D2"])
    owner.ratified("No second ledger for tests", addresses=["D1"])
    owner.ratified("Invoice numbers run without gaps", grounded_in=["D1"])
    return owner


def test_a_contradiction_is_found_and_withdrawn_as_documented(five: Caller, owner_cli: Cli) -> None:
    assert 0 == owner_cli("relation", "add", "D3", "contradicts", "D4").code
    listed = owner_cli("relation", "list", "--kind", "contradicts", "--json")
    relation = json.loads(listed.out)["relations"][0]
    words = ("relation", "withdraw", relation["id"], "--rev")
    stale = owner_cli(*words, str(relation["rev"] + 1), "--reason", "R")
    assert 1 == stale.code
    assert stale.err.startswith("smeldr-cli: rev_conflict: ")
    ended = owner_cli(*words, str(relation["rev"]), "--reason", "D4 was reworded and no longer conflicts")
    assert 0 == ended.code
    assert "D3 contradicts D4" in ended.out
    assert [] == five.messages()


def test_a_decision_is_replaced_and_one_retired_as_documented(five: Caller, owner_cli: Cli) -> None:
    five.call("propose_decision", title="Per country", body="B")
    assert "D3 is superseded now (rev 3)\n" == owner_cli("decision", "supersede", "D3", "--by", "D6").out
    assert "D4 is retired now (rev 3)\n" == owner_cli("decision", "retire", "D4", "--reason", "Not needed.").out
    assert "ratified" == five.call("get_decision", id="D6")["state"]
    again = owner_cli("decision", "retire", "D4", "--reason", "Not needed.")
    assert 1 == again.code
    assert again.err.startswith("smeldr-cli: conflict: D4 is retired")
    assert "\n  state: retired\n  allowed: reinstate_decision, archive_decision\n" in again.err


def test_the_trace_and_the_count_of_the_page(five: Caller, owner_cli: Cli) -> None:
    words = ("trace", "D1", "--kind", "grounded_in", "--direction", "incoming", "--depth", "3")
    assert [
        "D1: 3 items within 3 hops, by grounded_in, incoming",
        "ring 1: 2 items",
        "  D2  by grounded_in from D1",
        "  D5  by grounded_in from D1",
        "ring 2: 1 item",
        "  D3  by grounded_in from D2",
        "ring 3: 0 items",
    ] == owner_cli(*words).out.splitlines()
    assert owner_cli("count", "D1").out.startswith("rests on this: 4 (0 open, 4 closed)\n")
    assert five.call("get_rest_counts", type="Decision", id="D1") == asked(owner_cli, "count", "d1")


def test_a_flag_is_confirmed_by_its_condition(five: Caller, owner_cli: Cli) -> None:
    five.call("retire_decision", decision="D1", reason="R")
    assert "D2 rests on a Decision that is not in force" in owner_cli("signal", "list").out
    assert "  closed  SIG1\n" == owner_cli("signal", "confirm", "SIG1", "--reason", "Still holds.").out
    assert "confirmed: Still holds.\n" in owner_cli("signal", "show", "SIG1").out
    ended = owner_cli("signal", "confirm", "--decision", "D5", "--premise", "D1", "--reason", "Holds too.")
    assert (0, "") == (ended.code, ended.err)


def test_who_may_ratify_but_not_read_moves_all_the_same(
    five: Caller, caller: MakeCaller, owner_cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    five.call("propose_decision", title="Sixth", body="B")
    monkeypatch.setenv("SMELDR_TOKEN", caller("Blind", rights={"ROOT": ["ratify"]}).token)
    assert owner_cli("decision", "show", "D6").err.startswith("smeldr-cli: forbidden: ")
    assert "D6 is ratified now (rev 2)\n" == owner_cli("decision", "ratify", "D6").out
    assert "D1 is superseded now (rev 3)\n" == owner_cli("decision", "supersede", "D1", "--by", "D6").out


def test_an_agent_gets_a_token_of_its_own(owner: Caller, owner_cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = asked(owner_cli, "principal", "create", "Bot", "--class", "agent")["id"]
    assert 0 == owner_cli("grant", "give", agent, "author", "ROOT").code
    token = asked(owner_cli, "token", "create", agent, "--expires-in-days", "90")["token"]
    assert f"{agent}  agent" in owner_cli("principal", "list").out
    assert agent in owner_cli("grant", "list").out
    monkeypatch.setenv("SMELDR_TOKEN", token)
    who = owner_cli("whoami").out
    assert "    class  agent\n" in who
    assert "author  ROOT" in who
    assert 0 == owner_cli("decision", "propose", "T", "--body", "B").code
    assert owner_cli("decision", "ratify", "D1").err.startswith("smeldr-cli: forbidden: ")
    assert "T" == owner.call("get_decision", id="D1")["title"]


def test_a_body_arrives_as_it_was(owner: Caller, owner_cli: Cli, folder: Path) -> None:
    text = "# 請求書\r\n\r\nOne \N{GRINNING FACE} ledger.\n"
    (folder / "body.md").write_bytes(text.encode())
    made = asked(owner_cli, "decision", "propose", "T", "--body", "@body.md")
    assert text == made["body"] == owner.call("get_decision", id="D1")["body"]
    assert 0 == owner_cli("decision", "update", "D1", "--rev", "1", "--body", "-", stdin=b"\xef\xbb\xbfNew.").code
    assert "New." == owner.call("get_decision", id="D1")["body"]
    assert owner_cli("decision", "update", "D1", "--rev", "1", "--title", "U").err.startswith(
        "smeldr-cli: rev_conflict: "
    )


def test_a_change_asked_for_again_happens_once(owner: Caller, owner_cli: Cli) -> None:
    words = ("decision", "propose", "T", "--body", "B", "--request-key", "k")
    assert asked(owner_cli, *words) == asked(owner_cli, *words)
    assert 1 == owner.call("list_decisions")["total"]


def test_a_parameter_that_the_tool_refuses_is_named(owner_cli: Cli) -> None:
    ended = owner_cli("call", "get_decision", '{"idd": "D1"}')
    assert 1 == ended.code
    assert "\n  idd: unknown parameter (valid: id)\n" in ended.err
    title = owner_cli("decision", "propose", "x" * 301, "--body", "B")
    assert title.err.startswith("smeldr-cli: validation_failed: title: ")
    assert owner_cli("call", "nonesuch").err.startswith("smeldr-cli: not_found: ")
    assert owner_cli("decision", "show", "D99").err.startswith("smeldr-cli: not_found: ")


def test_a_body_that_is_too_large_is_refused_in_one_line(owner_cli: Cli) -> None:
    ended = owner_cli("decision", "propose", "T", "--body", "-", stdin=b"x" * 5_000_000)
    assert 1 == ended.code
    assert ended.err.startswith("smeldr-cli: too_large: ")


def test_an_unknown_token_is_unauthorized(owner_cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMELDR_TOKEN", "smeldr_nonesuch")
    assert owner_cli("whoami").err.startswith("smeldr-cli: unauthorized: ")


@pytest.mark.parametrize("name", [name for name, verb in VERBS.items() if not tools()[verb.tool].changes])
def test_every_list_and_every_item_can_be_shown(name: str, five: Caller, owner_cli: Cli) -> None:
    five.call("propose_amendment", amends="D1", title="A", body="B")
    five.call("run_sweep")
    ends = {"source_type": "Decision", "source_id": "D3", "target_type": "Decision", "target_id": "D4"}
    five.call("assert_relation", relation_kind="contradicts", **ends)
    named = {"amendment show": "A1", "signal show": "SIG1", "decision show": "D1", "count": "D1", "trace": "D1"}
    ended = owner_cli(*name.split(), *([named[name]] if name in named else []))
    assert (0, "") == (ended.code, ended.err)
    assert ended.out.strip()
    assert "None" not in ended.out


def test_a_sweep_is_run_and_shown(five: Caller, owner_cli: Cli) -> None:
    assert owner_cli("sweep", "show").err.startswith("smeldr-cli: not_found: ")
    assert "  items        5\n" in owner_cli("sweep", "run").out
    assert "  items        5\n" in owner_cli("sweep", "show").out
    assert 5 == five.call("get_sweep_run")["items"]
