"""The import format: what is read, and that everything else is refused with the number of its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smeldr.formats.jsonl import MAX_LINE, read, read_file
from smeldr.formats.records import _ITEMS, _RELATION
from smeldr.model.errors import Refusal
from smeldr.model.imported import (
    MAX_REF,
    Imported,
    ImportedAmendment,
    ImportedDecision,
    ImportedPlace,
    ImportedRelation,
    content,
)
from smeldr.model.texts import MAX_BODY, MAX_NAME, MAX_REASON, MAX_TITLE

DECISION = {"type": "Decision", "ref": "R-1", "title": "Keep records", "body": "One a file.", "state": "ratified"}
AMENDMENT = {"type": "Amendment", "ref": "R-1a", "amends": "R-1", "title": "T", "body": "B", "state": "proposed"}
DOMAIN = {"type": "Domain", "ref": "shop", "name": "Shop"}
AREA = {"type": "Area", "ref": "billing", "name": "Billing", "domain": "shop"}
RELATION = {"relation": "grounded_in", "source": "R-2", "target": "R-1"}


def lines(*records: dict[str, Any]) -> list[bytes]:
    return [json.dumps(record).encode() + b"\n" for record in records]


def without(record: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != key}


def refusal(*given: bytes) -> Refusal:
    with pytest.raises(Refusal) as refused:
        list(read(given))
    assert "validation_failed" == refused.value.code
    return refused.value


# --- what is read


def test_every_sort_of_record_is_read_in_its_order() -> None:
    assert [
        ImportedPlace(1, "Domain", "shop", "Shop"),
        ImportedPlace(2, "Area", "billing", "Billing", domain="shop"),
        ImportedDecision(3, "R-1", "Keep records", "One a file.", "ratified"),
        ImportedAmendment(4, "R-1a", "R-1", "T", "B", "proposed"),
        ImportedRelation(5, "grounded_in", "R-2", "R-1"),
    ] == list(read(lines(DOMAIN, AREA, DECISION, AMENDMENT, RELATION)))


def test_a_decision_may_say_its_place_when_it_was_made_and_why() -> None:
    record = {**DECISION, "place": "billing", "created_at": "2015-11-19T02:00:00+02:00", "reason": "agreed"}
    (read_back,) = read(lines(record))
    assert isinstance(read_back, ImportedDecision)
    assert ("billing", "2015-11-19T00:00:00.000000Z", "agreed") == (
        read_back.place,
        read_back.created_at,
        read_back.reason,
    )


def test_a_bom_crlf_and_blank_lines_are_no_trouble_and_lines_keep_their_numbers() -> None:
    given = b"\xef\xbb\xbf\r\n" + json.dumps(DECISION).encode() + b"\r\n\r\n  \t\n" + json.dumps(RELATION).encode()
    assert [2, 5] == [record.line for record in read(given.splitlines(keepends=True))]


def test_texts_in_any_script_are_kept_as_they_are() -> None:
    record = {**DECISION, "title": "Ένα βιβλίο 📖 é e\u0301", "body": " first\r\nsecond \n"}
    (read_back,) = read([json.dumps(record, ensure_ascii=False).encode() + b"\n"])
    assert isinstance(read_back, ImportedDecision)
    assert (record["title"], record["body"]) == (read_back.title, read_back.body)


def test_the_longest_texts_fit_in_a_line_however_they_are_escaped() -> None:
    record = {**DECISION, "ref": "😀" * 500, "title": "😀" * 300, "body": "😀" * 200_000, "reason": "😀" * 2_000}
    assert 1 == len(list(read(lines(record))))


def test_a_file_without_a_last_line_break_is_whole() -> None:
    assert 1 == len(list(read([json.dumps(DECISION).encode()])))


def test_an_empty_file_holds_nothing() -> None:
    assert [] == list(read([]))


def test_a_head_announces_the_records_and_is_none_itself() -> None:
    assert 2 == len(list(read(lines({"smeldr": 1, "records": 2}, DECISION, RELATION))))
    assert 2 == len(list(read(lines({"smeldr": 1}, DECISION, RELATION))))


def test_reading_yields_before_the_end_so_that_memory_stays_flat() -> None:
    def endless() -> Any:
        while True:
            yield from lines(DECISION)

    records = read(endless())
    assert [1, 2, 3] == [next(records).line for _ in range(3)]


def test_a_file_is_read_again_from_the_start_and_tells_its_progress(tmp_path: Path) -> None:
    path = tmp_path / "register.jsonl"
    path.write_bytes(b"".join(lines(DOMAIN, DECISION)))
    sizes: list[int] = []
    assert list(read_file(path, sizes.append)) == list(read_file(path))
    assert path.stat().st_size == sum(sizes)


def test_the_same_record_on_two_lines_has_the_same_content_and_another_has_not() -> None:
    one, again, other = read(lines(DECISION, DECISION, {**DECISION, "state": "retired"}))
    assert content(one) == content(again) != content(other)


# --- what is refused


@pytest.mark.parametrize(
    "given,why",
    {
        "a line that is cut off": (b'{"type": "Decision", "ref": "R-', "was it cut short?"),
        "a line that is cut off between two keys": (b'{"type": "Decision",', "was it cut short?"),
        "a letter that is cut in two": (b'{"type": "\xc3', "was it cut short?"),
        "bytes that are not UTF-8": (b'{"type": "\xff"}\n', "not UTF-8 (byte 11 of the line)"),
        "UTF-16": ('{"type": "Domain"}\n'.encode("utf-16"), "not UTF-8"),
        "something that is not JSON": (b"type: Decision\n", "not JSON (column 1: Expecting value)"),
        "two records on one line": (json.dumps(DOMAIN).encode() * 2 + b"\n", "not JSON"),
        "a list": (b'["Decision"]\n', "a record is a JSON object, in braces"),
        "a number": (b"17\n", "a record is a JSON object, in braces"),
        "a number of ten thousand digits": (b"1" * 10_000 + b"\n", "a number too long"),
        "a hundred thousand brackets": (b"[" * 100_000 + b"\n", "nested too deep"),
        "a value that JSON does not have": (b'{"type": NaN}\n', "not JSON: NaN is no value there"),
        "a key given twice": (b'{"type": "Domain", "type": "Area"}\n', "type: given twice"),
        "a line longer than 4 MiB": (b" " * MAX_LINE + b"{}\n", "longer than 4,194,304 bytes"),
        "an object that says nothing": (b"{}\n", 'a record has a "type"'),
        "an item that is a relation too": (b'{"type": "Area", "relation": "addresses"}\n', "not both"),
    }.values(),
)
def test_a_line_that_is_no_record_is_refused(given: bytes, why: str) -> None:
    refused = refusal(*lines(DOMAIN), given)
    assert refused.message.startswith("line 2: ")
    assert why in refused.message


@pytest.mark.parametrize(
    "record,field,why",
    [
        ({**DECISION, "titel": "T"}, "titel", "unknown key (there are: type, ref, title, body, state, place,"),
        ({**DECISION, "domain": "shop"}, "domain", "unknown key"),
        ({**RELATION, "reason": "R"}, "reason", "unknown key"),
        ({**AMENDMENT, "place": "billing"}, "place", "unknown key"),
        ({**DECISION, "type": "Signal"}, "type", '"Signal" is not one of those there are (there are: Domain, Area,'),
        ({**DECISION, "type": "decision"}, "type", '"decision" is not one of those'),
        ({**DECISION, "type": 7}, "type", "must be text"),
        ({**DECISION, "type": ["Decision"]}, "type", "must be text"),
        ({**DECISION, "state": "accepted"}, "state", "(there are: proposed, ratified, superseded, retired, archived)"),
        ({**AMENDMENT, "state": "superseded"}, "state", "(there are: proposed, ratified, archived)"),
        ({**DECISION, "title": None}, "title", "must be text"),
        ({**DECISION, "title": 20}, "title", "must be text"),
        ({**DECISION, "title": ""}, "title", "it is empty"),
        ({**DECISION, "title": " \u00a0"}, "title", "it is empty"),
        ({**DECISION, "title": "T" * 301}, "title", "301 characters, and 300 are allowed"),
        ({**DECISION, "title": "two\nlines"}, "title", "the control character U+000A"),
        ({**DECISION, "body": "B" * 200_001}, "body", "200,001 characters, and 200,000 are allowed"),
        ({**DECISION, "body": "a\0b"}, "body", "a NUL character"),
        ({**DECISION, "body": "a\ud800b"}, "body", "half of a surrogate pair"),
        ({**DECISION, "ref": "R" * 501}, "ref", "501 characters, and 500 are allowed"),
        ({**DECISION, "ref": ""}, "ref", "it is empty"),
        ({**DECISION, "place": None}, "place", "must be text"),
        ({**DECISION, "reason": "R" * 2_001}, "reason", "2,001 characters, and 2,000 are allowed"),
        ({**DECISION, "created_at": "2015-11-19"}, "created_at", "is not an instant such as"),
        ({**DECISION, "created_at": "yesterday"}, "created_at", "is not an instant such as"),
        ({**DECISION, "created_at": "0001-01-01T00:00:00+23:59"}, "created_at", "is not an instant such as"),
        ({**DECISION, "created_at": 1447891200}, "created_at", "must be text"),
        ({**DOMAIN, "name": "N" * 201}, "name", "201 characters, and 200 are allowed"),
        ({**RELATION, "relation": "rests_on"}, "relation", "(there are: addresses, contradicts, grounded_in,"),
        ({**RELATION, "relation": "amends"}, "relation", "is not one of those there are"),
        ({**RELATION, "relation": "placed_in"}, "relation", "is not one of those there are"),
        ({**RELATION, "target": "R-2"}, "target", "a Decision has no relation to itself"),
        (without(DECISION, "ref"), "ref", "missing"),
        (without(DECISION, "state"), "state", "missing"),
        (without(AMENDMENT, "amends"), "amends", "missing"),
        (without(AREA, "domain"), "domain", "missing"),
        (without(RELATION, "target"), "target", "missing"),
        ({"smeldr": 1}, "smeldr", ""),
    ],
)
def test_a_record_that_is_not_quite_one_is_refused_by_the_key_at_fault(
    record: dict[str, Any], field: str, why: str
) -> None:
    refused = refusal(*lines(DOMAIN, record))
    assert refused.message.startswith("line 2: ")
    assert why in refused.message
    if field != "smeldr":
        assert [field] == list(refused.fields or {})


@pytest.mark.parametrize(
    "head,why",
    [
        ({"smeldr": 2}, "line 1: smeldr: this is not version 1 of the format"),
        ({"smeldr": True}, "line 1: smeldr: this is not version 1 of the format"),
        ({"smeldr": "1"}, "line 1: smeldr: this is not version 1 of the format"),
        ({"smeldr": 1, "records": -1}, "line 1: records: must be a whole number"),
        ({"smeldr": 1, "records": 1.0}, "line 1: records: must be a whole number"),
        ({"smeldr": 1, "record": 1}, "line 1: record: unknown key (there are: smeldr, records)"),
    ],
)
def test_a_head_of_another_version_or_that_makes_no_sense_is_refused(head: dict[str, Any], why: str) -> None:
    assert why in refusal(*lines(head, DOMAIN)).message


def test_a_file_that_was_cut_off_between_two_lines_is_refused_when_it_has_a_head() -> None:
    refused = refusal(*lines({"smeldr": 1, "records": 3}, DOMAIN, DECISION))
    assert "line 3: the head announces 3 records and the file holds 2" == refused.message


def test_a_file_with_more_than_its_head_announces_is_refused() -> None:
    assert "announces 1 records" in refusal(*lines({"smeldr": 1, "records": 1}, DOMAIN, DECISION)).message


def test_a_message_repeats_no_more_than_a_little_of_what_was_given() -> None:
    refused = refusal(*lines({**DECISION, "state": "\x1b[2J" + "x" * 100_000}))
    assert len(refused.message) < 300
    assert "\x1b" not in refused.message


# --- any bytes at all


def _verdict(given: list[bytes]) -> list[Imported] | Refusal:
    try:
        return list(read(given))
    except Refusal as refused:
        return refused


@given(st.lists(st.binary(max_size=200), max_size=8))
def test_any_bytes_are_read_or_refused(given: list[bytes]) -> None:
    _verdict([line + b"\n" for line in given])


_keys = st.sampled_from([*DECISION, "amends", "domain", "name", "relation", "source", "target", "place", "created_at"])
_words = st.sampled_from([*DECISION.values(), "Area", "Domain", "Amendment", "grounded_in", "supersedes", "shop"])
_values: st.SearchStrategy[Any] = st.one_of(
    _words, st.text("aé \0\n", max_size=9), st.none(), st.integers(), st.just([])
)


@given(st.lists(st.dictionaries(_keys, _values, max_size=8), max_size=5))
def test_any_objects_are_read_or_refused(given: list[dict[str, Any]]) -> None:
    verdict = _verdict(lines(*given))
    if isinstance(verdict, list):
        assert len(given) == len(verdict)


@given(st.data())
def test_a_record_with_one_byte_changed_is_read_or_refused(data: st.DataObject) -> None:
    line = bytearray(lines(data.draw(st.sampled_from([DECISION, AMENDMENT, DOMAIN, AREA, RELATION])))[0])
    line[data.draw(st.integers(0, len(line) - 1))] = data.draw(st.integers(0, 255))
    _verdict([bytes(line)])


@given(st.integers(0, 400))
def test_a_file_with_a_head_is_never_read_in_part(cut: int) -> None:
    whole = b"".join(lines({"smeldr": 1, "records": 3}, DECISION, AMENDMENT, RELATION))
    verdict = _verdict(whole[:cut].splitlines(keepends=True))
    if isinstance(verdict, list) and verdict:
        assert 3 == len(verdict)
        assert cut >= len(whole.rstrip())


# --- the page that documents it

PAGE = Path(__file__).resolve().parents[2] / "docs" / "import-format.md"


def test_the_file_on_the_page_is_one() -> None:
    example = PAGE.read_text(encoding="utf-8").partition("```json\n")[2].partition("```")[0]
    assert 8 == len(list(read(line.encode() for line in example.splitlines(keepends=True))))


def test_the_page_names_every_key_and_every_bound() -> None:
    page = PAGE.read_text(encoding="utf-8")
    keys = {key for shape in (*_ITEMS.values(), _RELATION) for key in (*shape.required, *shape.optional)}
    assert [] == [key for key in sorted(keys) if f"`{key}`" not in page]
    bounds = [f"{bound:,}" for bound in (MAX_REF, MAX_NAME, MAX_TITLE, MAX_BODY, MAX_REASON)]
    assert [] == [bound for bound in bounds if f"1 to {bound} characters" not in page]
