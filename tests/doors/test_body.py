"""A body is JSON text that says one thing."""

from __future__ import annotations

import pytest

from smeldr.doors.body import MAX_DEPTH, parse_arguments, parse_json
from smeldr.model.errors import Refusal

ODD = {
    "malformed": b'{"a": ',
    "two values": b"{} {}",
    "a list": b"[]",
    "a string": b'"whoami"',
    "null": b"null",
    "not UTF-8": b'{"a": "\xff"}',
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "a byte order mark": b'\xef\xbb\xbf{"a": 1}',
    "NaN": b'{"a": NaN}',
    "Infinity": b'{"a": -Infinity}',
    "a key twice": b'{"a": 1, "b": {"c": 1, "c": 1}}',
    "half a surrogate pair": b'{"a": "\\ud800"}',
    "half a surrogate pair as a key": b'{"\\uDFFF": 1}',
    "too many digits": b'{"a": ' + b"9" * 5_000 + b"}",
    "too deep": b'{"a":' * (MAX_DEPTH + 1) + b"1" + b"}" * (MAX_DEPTH + 1),
    "far too deep": b"[" * 200_000,
}
"""Bodies that are no arguments, by what is odd about them."""


@pytest.mark.parametrize("body", ODD.values(), ids=ODD.keys())
def test_a_body_that_is_not_one_json_object_is_refused_as_the_arguments(body: bytes) -> None:
    with pytest.raises(Refusal) as refused:
        parse_arguments(body)

    assert "validation_failed" == refused.value.code
    assert ["arguments"] == list(refused.value.fields or {})


@pytest.mark.parametrize("body", [b"", b"  \r\n"])
def test_no_body_is_no_arguments(body: bytes) -> None:
    assert {} == parse_arguments(body)


def test_what_is_within_the_bounds_is_read_as_it_stands() -> None:
    deep = b"[" * MAX_DEPTH + b"]" * MAX_DEPTH

    assert {"a": "\N{GRINNING FACE}", "b": [1, {"a": None}]} == parse_arguments(
        b'{"a": "\\ud83d\\ude00", "b": [1, {"a": null}]}'
    )
    assert isinstance(parse_json(deep), list)


def test_an_error_text_quotes_no_more_than_the_start_of_a_key() -> None:
    key = "k" * 500

    with pytest.raises(ValueError, match="given twice") as refused:
        parse_json(f'{{"{key}": 1, "{key}": 2}}'.encode())

    assert len(str(refused.value)) < 200
