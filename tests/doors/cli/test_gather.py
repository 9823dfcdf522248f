"""What is typed becomes the arguments of the tool: by position or by name, from files, with types from addresses."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import Any

import pytest

from tests.doors.cli.conftest import Cli, Ended
from tests.doors.cli.stub import Stub, reply

ID = "01936f00-0000-7000-8000-000000000001"


def sent(stub: Stub, cli: Cli, tool: str, *words: str, stdin: bytes = b"") -> dict[str, Any]:
    """The arguments that the words send to the tool, without the key that the command makes."""
    stub.says(tool, reply({}))
    ended = cli(*words, "--json", stdin=stdin)
    assert 0 == ended.code, ended.err
    arguments: dict[str, Any] = stub.calls(tool)[-1]
    arguments.pop("request_key", None)
    return arguments


def wrong(ended: Ended) -> str:
    """What a command line that was written wrongly is told."""
    assert 2 == ended.code
    assert "" == ended.out
    assert ended.err.startswith("smeldr-cli: usage: ")
    assert ended.err.endswith("--help`\n")
    return ended.err


@pytest.mark.parametrize(
    "words",
    [
        ("T", "--body", "B"),
        ("--title", "T", "--body", "B"),
        ("--body=B", "T"),
    ],
)
def test_a_word_by_position_may_be_an_option_too(words: tuple[str, ...], stub: Stub, cli: Cli) -> None:
    assert {"title": "T", "body": "B"} == sent(stub, cli, "propose_decision", "decision", "propose", *words)


def test_words_fill_the_positions_that_no_option_has_filled(stub: Stub, cli: Cli) -> None:
    words = ("relation", "add", "--source-id", "d3", "contradicts", "D4")
    expected = {
        "source_type": "Decision",
        "source_id": "d3",
        "relation_kind": "contradicts",
        "target_type": "Decision",
        "target_id": "D4",
    }
    assert expected == sent(stub, cli, "assert_relation", *words)


@pytest.mark.parametrize("words", [("--grounded-in", "D1,D2", "--grounded-in", "D3"), ("--grounded-in", "D1, D2 ,D3")])
def test_several_are_given_with_commas_or_one_by_one(words: tuple[str, ...], stub: Stub, cli: Cli) -> None:
    arguments = sent(stub, cli, "propose_decision", "decision", "propose", "T", "--body", "B", *words)
    assert ["D1", "D2", "D3"] == arguments["grounded_in"]


@pytest.mark.parametrize("words,expected", [(("--by", "D6"), "D6"), (("--by", "D6,D7"), ["D6", "D7"])])
def test_one_successor_is_sent_as_one_and_more_as_a_list(
    words: tuple[str, ...], expected: Any, stub: Stub, cli: Cli
) -> None:
    options = ("--rev", "2", "--by-rev", "1")
    arguments = sent(stub, cli, "supersede_decision", "decision", "supersede", "D3", *words, *options)
    assert {"decision": "D3", "by": expected, "rev": 2, "by_rev": 1} == arguments


def test_a_dash_in_a_list_of_revs_stands_for_none(stub: Stub, cli: Cli) -> None:
    words = ("D3", "--by", "D6,D7", "--rev", "2", "--by-rev", "1", "--by-rev", "-")
    assert [1, None] == sent(stub, cli, "supersede_decision", "decision", "supersede", *words)["by_rev"]


@pytest.mark.parametrize(
    "words,expected",
    [
        (("count", "d1"), {"type": "Decision", "id": "d1"}),
        (("count", "A1"), {"type": "Amendment", "id": "A1"}),
        (("count", ID, "--type", "decision"), {"type": "Decision", "id": ID}),
        (
            ("decision", "move", ID, "ARE1", "--reason", "R"),
            {"type": "Decision", "id": ID, "place": "ARE1", "reason": "R"},
        ),
        (("trace", "SIG1", "--depth", "3"), {"type_name": "Signal", "id": "SIG1", "depth": 3}),
        (("relation", "list", "ARE1"), {"type_name": "Area", "id": "ARE1"}),
        (("relation", "list", "--include-ended"), {"include_ended": True}),
        (("relation", "list"), {}),
    ],
)
def test_an_address_says_its_type(words: tuple[str, ...], expected: dict[str, Any], stub: Stub, cli: Cli) -> None:
    tools = {"count": "get_rest_counts", "trace": "get_reachability", "decision": "move_item"}
    assert expected == sent(stub, cli, tools.get(words[0], "list_relations"), *words)


def test_an_id_does_not_say_its_type(cli: Cli) -> None:
    assert "Missing: --type. An address says its type, an id does not." in wrong(cli("count", ID))


def test_one_condition_is_sent_as_one_and_more_as_a_list(stub: Stub, cli: Cli) -> None:
    words = ("signal", "confirm", "--reason", "R")
    assert {"condition": "SIG1", "reason": "R", "rev": 4} == sent(
        stub, cli, "confirm_premise", *words, "SIG1", "--rev", "4"
    )
    assert {"conditions": ["SIG1", "SIG2"], "reason": "R"} == sent(stub, cli, "confirm_premise", *words, "SIG1", "SIG2")


@pytest.mark.parametrize(
    "words,message",
    [
        (("decision", "propose"), "Missing: TITLE (or --title), --body."),
        (("decision", "retire", "D4"), "Missing: --reason."),
        (("relation", "add", "D1"), "Missing: RELATION_KIND (or --relation-kind), TARGET (or --target-id)."),
        (("decision", "update", "D4", "--title", "T"), "Missing: --rev. It is the rev that you have seen"),
        (("decision", "show", "D1", "D2"), "One word too many: 'D2'."),
        (("decision", "show", "D1", "D2", "D3"), "Words too many: ['D2', 'D3']."),
        (("decision", "list", "--limit", "201"), "201 is not in the range 1<=x<=200"),
        (("decision", "list", "--state", "gone"), "'gone' is not one of 'proposed', 'ratified'"),
        (("decision", "list", "--nonesuch", "1"), "No such option"),
        (("decision", "ratify", "D1", "--rev", "one"), "'one' is not a valid integer"),
        (("decision", "nonesuch"), "No such command 'nonesuch'"),
        (("nonesuch",), "No such command 'nonesuch'"),
        (("whoami", "me"), "unexpected extra argument (me)"),
        (("call", "whoami", "{"), "that is no JSON"),
        (("call", "get_decision", '{"id": "D1", "id": "D2"}'), "the key 'id' is given twice"),
        (("call", "whoami", "[]"), "the arguments are one JSON object"),
    ],
)
def test_wrong_usage_ends_with_2_and_says_what_is_wrong(
    words: tuple[str, ...], message: str, stub: Stub, cli: Cli
) -> None:
    assert message in wrong(cli(*words))
    assert [] == stub.asked


@pytest.mark.parametrize("words", [(), ("decision",)])
def test_a_command_that_was_not_named_is_wrong_usage_with_the_help(words: tuple[str, ...], cli: Cli) -> None:
    ended = cli(*words)
    assert (2, "") == (ended.code, ended.out)
    assert ended.err.startswith("Usage: smeldr-cli")


@pytest.mark.parametrize(
    "data,text",
    [
        (b"Zeile eins\r\nZeile zwei\n", "Zeile eins\r\nZeile zwei\n"),
        (codecs.BOM_UTF8 + "請求書".encode(), "請求書"),
        ("\ufeff請求書\r\n".encode("utf-16-le"), "請求書\r\n"),
    ],
    ids=["kept as it is", "BOM", "UTF-16 of PowerShell"],
)
def test_a_body_comes_from_a_file_or_from_standard_input(
    data: bytes, text: str, stub: Stub, cli: Cli, folder: Path
) -> None:
    (folder / "body.md").write_bytes(data)
    words = ("decision", "propose", "T", "--body")
    assert text == sent(stub, cli, "propose_decision", *words, "@body.md")["body"]
    assert text == sent(stub, cli, "propose_decision", *words, "-", stdin=data)["body"]


def test_a_body_that_cannot_be_read_is_wrong_usage(cli: Cli, folder: Path) -> None:
    (folder / "bytes").write_bytes(b"\xff\xfe\xfd")
    (folder / "latin").write_bytes("é".encode("latin-1"))
    words = ("decision", "propose", "T", "--body")
    assert "cannot read 'nonesuch': No such file" in wrong(cli(*words, "@nonesuch"))
    assert "bytes is not UTF-8 text" in wrong(cli(*words, "@bytes"))
    assert "latin is not UTF-8 text" in wrong(cli(*words, "@latin"))
    assert "standard input is not UTF-8 text" in wrong(cli(*words, "-", stdin=b"\xe9"))


def test_call_sends_its_arguments_as_they_are(stub: Stub, cli: Cli, folder: Path) -> None:
    (folder / "arguments.json").write_text('{"id": "D1"}', encoding="utf-8")
    stub.says("get_decision", reply({"n": 1}))
    for words in (('{"id": "D1"}',), ("@arguments.json",)):
        assert '{"n": 1}\n' == cli("call", "get_decision", *words).out
    assert '{"n": 1}\n' == cli("call", "get_decision", "-", stdin=b'{"id": "D1"}').out
    assert [{"id": "D1"}] * 3 == stub.calls("get_decision")
    stub.says("run_sweep", reply({}))
    cli("call", "run_sweep")
    assert [{}] == stub.calls("run_sweep")


def test_a_key_of_your_own_needs_the_revs_that_make_the_call_the_same(stub: Stub, cli: Cli) -> None:
    key = ("--request-key", "k")
    assert "give --rev too" in wrong(cli("decision", "retire", "D1", "--reason", "R", *key))
    assert "give --rev and --by-rev too" in wrong(cli("decision", "supersede", "D1", "--by", "D2", *key))
    stub.says("retire_decision", reply({}))
    assert 0 == cli("decision", "retire", "D1", "--reason", "R", "--rev", "2", *key).code
    stub.says("confirm_premise", reply({}))
    assert 0 == cli("signal", "confirm", "SIG1", "SIG2", "--reason", "R", *key).code
    assert "k" == stub.calls("confirm_premise")[0]["request_key"]
