"""Where the server is and who calls: the environment, then the file, then the address that the server has by itself."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from smeldr.doors.cli.config import DEFAULT_URL, FILE, Config, parse, read
from smeldr.doors.cli.failure import Failure

BOTH = {"SMELDR_URL": "http://here:81", "SMELDR_TOKEN": "secret"}


def failing(environment: dict[str, str], directory: Path) -> str:
    with pytest.raises(Failure) as raised:
        read(environment, directory)
    assert "bad_settings" == raised.value.code
    return raised.value.message


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("SMELDR_URL=http://there\nSMELDR_TOKEN=other\n", encoding="utf-8")
    assert "http://here:81" == read(BOTH, tmp_path).url
    assert "secret" == read(BOTH, tmp_path).token
    mixed = read({"SMELDR_TOKEN": "secret"}, tmp_path)
    assert ("http://there", "secret") == (mixed.url, mixed.token)


def test_an_empty_variable_is_none(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("SMELDR_TOKEN=filed\n", encoding="utf-8")
    assert "filed" == read({"SMELDR_TOKEN": " "}, tmp_path).token


def test_a_file_that_is_not_needed_is_not_read(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    assert "secret" == read(BOTH, tmp_path).token


def test_without_an_address_it_is_the_one_the_server_has_by_itself(tmp_path: Path) -> None:
    found = read({"SMELDR_TOKEN": "secret"}, tmp_path)
    assert Config(DEFAULT_URL, False, "127.0.0.1", 8080, "", "secret") == found


@pytest.mark.parametrize(
    "data",
    [
        b"SMELDR_URL=http://here:81\nSMELDR_TOKEN=secret\n",
        b"SMELDR_URL=http://here:81\r\nSMELDR_TOKEN=secret\r\n",
        codecs.BOM_UTF8 + b"SMELDR_URL=http://here:81\r\nSMELDR_TOKEN=secret",
        "\ufeffSMELDR_URL=http://here:81\r\nSMELDR_TOKEN=secret\r\n".encode("utf-16-le"),
        b"# who\n\nexport SMELDR_URL = 'http://here:81'\n SMELDR_TOKEN=\"secret\"\nOTHER\n",
    ],
    ids=["plain", "CRLF", "BOM", "UTF-16", "quotes and comments"],
)
def test_a_file_is_read_as_editors_and_shells_write_it(data: bytes, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(data)
    found = read({}, tmp_path)
    assert ("here", 81, "secret") == (found.host, found.port, found.token)


def test_one_pair_of_quotes_is_taken_off() -> None:
    text = "A='x'\nB='\nC=\"x'\nD=\"'x'\"\nE=a=b\n#F=1\n"
    assert {"A": "x", "B": "'", "C": "\"x'", "D": "'x'", "E": "a=b"} == parse(text)


def test_a_missing_token_says_where_it_is_looked_for(tmp_path: Path) -> None:
    message = failing({}, tmp_path)
    assert "SMELDR_TOKEN" in message
    assert FILE in message


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"\xff\x00\xff")
    assert f"{FILE} is not UTF-8 text" == failing({}, tmp_path)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    assert f"cannot read {FILE}" in failing({}, tmp_path)


@pytest.mark.parametrize(
    "url",
    ["here", "ftp://here", "http://", "http://here:port", "http://[::1", "http://he re", "http://here\nthere", "://x"],
)
def test_an_address_that_is_none_is_refused(url: str, tmp_path: Path) -> None:
    assert "SMELDR_URL" in failing({**BOTH, "SMELDR_URL": url}, tmp_path)


@pytest.mark.parametrize("url", ["http://me:pass@here", "http://here?x=1", "http://here/#x"])
def test_an_address_with_more_than_an_address_is_refused_and_not_repeated(url: str, tmp_path: Path) -> None:
    message = failing({**BOTH, "SMELDR_URL": url}, tmp_path)
    assert "SMELDR_URL" in message
    assert "pass" not in message


@pytest.mark.parametrize("token", ["two words", "a\nb", "schlüssel", "a\x1b[31m"])
def test_a_token_that_can_be_none_is_refused_and_not_repeated(token: str, tmp_path: Path) -> None:
    message = failing({**BOTH, "SMELDR_TOKEN": token}, tmp_path)
    assert "SMELDR_TOKEN" in message
    assert token not in message


@pytest.mark.parametrize(
    "url,expected",
    [
        ("https://here", (True, "here", 443, "")),
        ("http://here", (False, "here", 80, "")),
        ("http://[::1]:8080/", (False, "::1", 8080, "")),
        ("https://here/smeldr/", (True, "here", 443, "/smeldr")),
    ],
)
def test_an_address_is_taken_apart(url: str, expected: tuple[bool, str, int, str], tmp_path: Path) -> None:
    found = read({**BOTH, "SMELDR_URL": url}, tmp_path)
    assert expected == (found.secure, found.host, found.port, found.prefix)
