"""What people see: tables that hold addresses whole, items in a few lines, rings, both directions of a count."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.doors.cli.conftest import Cli
from tests.doors.cli.stub import Answer, Stub, reply

D1 = {
    "type": "Decision",
    "id": "01936f00-0000-7000-8000-000000000001",
    "address": "D1",
    "title": "Ledger",
    "state": "ratified",
    "in_force": True,
    "place": "ARE1",
    "rev": 2,
    "created_at": "2026-01-31T09:30:00.123456Z",
}
PAGE = {"total": 1, "count": 1, "limit": 50, "offset": 0}


def trace(**more: Any) -> dict[str, Any]:
    via = {"kind": "grounded_in", "from": "D1"}
    items = [
        {"depth": 1, "type": "Decision", "id": "x", "address": "D2", "via": via},
        {"depth": 1, "type": "Decision", "id": "x", "address": "D15", "via": via},
        {"depth": 2, "type": "Decision", "id": "x", "address": "D3", "via": {"kind": "grounded_in", "from": "D2"}},
    ]
    value = {
        "type_name": "Decision",
        "id": "x",
        "address": "D1",
        "kind": "grounded_in",
        "direction": "incoming",
        "depth": 3,
        "items": items,
        "ring_sizes": [2, 1, 0],
        "total": 3,
        "count": 3,
        "limit": 100,
        "offset": 0,
    }
    return {**value, **more}


def test_a_list_is_a_table_with_its_addresses_whole(stub: Stub, cli: Cli) -> None:
    other = {**D1, "address": "D123456789012", "state": "proposed", "rev": 1, "title": "請求書は一つの台帳から"}
    stub.says("list_decisions", reply({"decisions": [D1, other], **PAGE, "total": 2, "count": 2}))
    ended = cli("decision", "list")
    assert [
        "address        state     place  rev  title",
        "D1             ratified  ARE1   2    Ledger",
        "D123456789012  proposed  ARE1   1    請求書は一つの台帳から",
    ] == ended.out.splitlines()
    assert "" == ended.err


def test_wide_characters_take_two_columns(stub: Stub, cli: Cli) -> None:
    places = [{"address": "DOM1", "parent": "経理", "name": "A"}, {"address": "DOM2", "parent": "e\u0301", "name": "B"}]
    stub.says("list_places", reply({"places": places}))
    expected = ["address  parent  name", "DOM1     経理    A", "DOM2     e\u0301       B"]
    assert expected == cli("place", "list").out.splitlines()


def test_an_empty_list_says_so(stub: Stub, cli: Cli) -> None:
    stub.says("list_signals", reply({"signals": [], **PAGE, "total": 0, "count": 0}))
    assert "none\n" == cli("signal", "list").out


def test_a_list_that_goes_on_says_how_to_see_more(stub: Stub, cli: Cli) -> None:
    stub.says("list_decisions", reply({"decisions": [D1], **PAGE, "total": 1_200, "offset": 50}))
    assert "smeldr-cli: 1 of 1,200 shown; --offset 51 shows the next\n" == cli("decision", "list").err


def test_a_line_break_inside_a_cell_does_not_break_the_table(stub: Stub, cli: Cli) -> None:
    signal = {"address": "SIG1", "state": "closed", "message": "M", "resolution": "confirmed: one\r\ntwo\tthree"}
    stub.says("list_signals", reply({"signals": [signal], **PAGE}))
    assert cli("signal", "list").out.endswith("SIG1     closed  M        confirmed: one two three\n")


def test_an_item_is_its_name_its_fields_and_its_body(stub: Stub, cli: Cli) -> None:
    stub.says("get_decision", reply({**D1, "moves": ["retire_decision"], "body": "One.\r\nTwo.\n"}))
    assert [
        "D1  Ledger",
        "  id          01936f00-0000-7000-8000-000000000001",
        "  state       ratified",
        "  in force    yes",
        "  place       ARE1",
        "  rev         2",
        "  created at  2026-01-31T09:30:00Z",
        "  moves       retire_decision",
        "",
        "One.",
        "Two.",
    ] == cli("decision", "show", "D1").out.splitlines()


def test_a_change_does_not_repeat_the_body(stub: Stub, cli: Cli) -> None:
    stub.says("propose_decision", reply({**D1, "body": "A long text."}))
    out = cli("decision", "propose", "Ledger", "--body", "A long text.").out
    assert "D1  Ledger" in out
    assert "A long text." not in out


def test_a_move_is_one_sentence(stub: Stub, cli: Cli) -> None:
    moved = {"type": "Decision", "id": D1["id"], "address": "D4", "state": "retired", "rev": 3}
    stub.says("retire_decision", reply(moved))
    assert "D4 is retired now (rev 3)\n" == cli("decision", "retire", "D4", "--rev", "2", "--reason", "R").out


def test_a_relation_reads_as_a_sentence_and_says_whether_it_is_new(stub: Stub, cli: Cli) -> None:
    relation = {"id": "r1", "rev": 1, "kind": "contradicts", "source": "D3", "target": "D4", "state": "live"}
    words = ("relation", "add", "D3", "contradicts", "D4")
    stub.says("assert_relation", reply({"relation": relation, "created": True}))
    assert "  relation  D3 contradicts D4  (rev 1, id r1)\n" == cli(*words).out
    stub.says("assert_relation", reply({"relation": relation, "created": False}))
    assert cli(*words).out.startswith("It was on record already; nothing changed.\n")
    stub.says("withdraw_relation", reply({**relation, "state": "ended", "cause": "withdrawn"}))
    out = cli("relation", "withdraw", "r1", "--rev", "1", "--reason", "R").out
    assert [
        "D3 contradicts D4",
        "  id     r1",
        "  rev    1",
        "  state  ended",
        "  cause  withdrawn",
    ] == out.splitlines()


def test_a_count_has_both_directions_and_says_at_least(stub: Stub, cli: Cli) -> None:
    sides = {"rests_on_this": {"open": 2, "closed": 998, "at_least": True}, "this_rests_on": {"open": 0, "closed": 4}}
    stub.says("get_rest_counts", reply(sides))
    assert [
        "rests on this: at least 1,000 (2 open, 998 closed)",
        "this rests on: 4 (0 open, 4 closed)",
    ] == cli("count", "D1").out.splitlines()


def test_a_trace_is_told_ring_by_ring(stub: Stub, cli: Cli) -> None:
    stub.says("get_reachability", reply(trace()))
    words = ("trace", "D1", "--kind", "grounded_in", "--direction", "incoming", "--depth", "3")
    assert [
        "D1: 3 items within 3 hops, by grounded_in, incoming",
        "ring 1: 2 items",
        "  D2   by grounded_in from D1",
        "  D15  by grounded_in from D1",
        "ring 2: 1 item",
        "  D3  by grounded_in from D2",
        "ring 3: 0 items",
    ] == cli(*words).out.splitlines()
    expected = {"type_name": "Decision", "id": "D1", "kind": "grounded_in", "direction": "incoming", "depth": 3}
    assert [expected] == stub.calls("get_reachability")


def test_a_trace_says_exactly_where_it_was_cut(stub: Stub, cli: Cli) -> None:
    cut = trace(ring_sizes=[2], items=trace()["items"][:2], total=2, count=2, cut={"depth": 1, "dropped": 1_002})
    stub.says("get_reachability", reply(cut))
    assert [
        "D1: 2 items within 3 hops, by grounded_in, incoming",
        "ring 1: 2 items kept",
        "  D2   by grounded_in from D1",
        "  D15  by grounded_in from D1",
        "cut in ring 1: 1,002 items left out (see --max-items); no deeper ring was walked",
    ] == cli("trace", "D1").out.splitlines()
    last = trace(cut={"depth": 3, "dropped": 1})
    del last["kind"]
    stub.says("get_reachability", reply(last))
    lines = cli("trace", "D1").out.splitlines()
    assert "D1: 3 items within 3 hops, by every kind of relation, incoming" == lines[0]
    assert ["ring 3: 0 items kept", "cut in ring 3: 1 item left out (see --max-items)"] == lines[-2:]


def test_a_page_of_a_trace_says_what_is_on_other_pages(stub: Stub, cli: Cli) -> None:
    stub.says("get_reachability", reply(trace(items=trace()["items"][:1], count=1, limit=1)))
    ended = cli("trace", "D1", "--limit", "1")
    assert "  (1 more on other pages)" in ended.out
    assert "smeldr-cli: 1 of 3 shown; --offset 1 shows the next\n" == ended.err


def test_whoami_tells_the_principal_and_its_grants(stub: Stub, cli: Cli) -> None:
    grants = [{"id": "g1", "right": "author", "place": "ROOT", "counts": True}]
    stub.says("whoami", reply({"principal": {"id": "p1", "name": "Bot", "class": "agent"}, "grants": grants}))
    assert [
        "  principal",
        "    id     p1",
        "    name   Bot",
        "    class  agent",
        "right   place  counts  id",
        "author  ROOT   yes     g1",
    ] == cli("whoami").out.splitlines()


def test_json_is_the_reply_as_it_came(stub: Stub, cli: Cli) -> None:
    text = '{"title":"請求書","n": 1.0, "escaped":"\\u001b"}'
    stub.says("get_decision", Answer(text.encode()))
    assert text + "\n" == cli("decision", "show", "D1", "--json").out
    assert {"title": "請求書", "n": 1.0, "escaped": "\x1b"} == json.loads(cli("decision", "show", "D1", "--json").out)


@pytest.mark.parametrize("text", ["\x1b[2Jgone", "\x9b31m", "back\x08", "\u202eright", "\r over"])
def test_what_would_steer_a_terminal_is_shown_instead(text: str, stub: Stub, cli: Cli) -> None:
    stub.says("get_decision", reply({**D1, "body": text}))
    out = cli("decision", "show", "D1").out
    assert text not in out
    assert "\\u00" in out or "\\u202e" in out
