"""The import format: JSON Lines, one place, Decision, Amendment or relation a line.

Every line is judged by itself and strictly, and what is wrong is refused with the number of the line. Nothing is kept
from one line to the next, so a file of any length takes the memory of its longest line. What takes two lines to judge
(a ref given twice, one that nothing answers to, a pair that a kind does not join) is left to the import.
Source: docs/import-format.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

from smeldr.formats.records import Fault, known_keys, record, short
from smeldr.model.errors import Refusal
from smeldr.model.imported import Imported

VERSION: Final = 1
"""The version of the format that this reader knows; the head of a file names it."""

MAX_LINE: Final = 4 * 1024 * 1024
"""Bytes in a line. The longest texts fit, whatever way they are escaped."""

_BOM: Final = b"\xef\xbb\xbf"
_TOLD_EVERY: Final = 64 * 1024


def read_file(path: Path, progress: Callable[[int], object] | None = None) -> Iterator[Imported]:
    """Read a file, record by record; `progress` is told now and then how many bytes were read since it was told last.

    Raises:
        Refusal: `validation_failed`, as `read` does, or because a pipe cannot be read twice.
        OSError: the file cannot be opened or read.
    """
    if path.exists() and not path.is_file():
        raise Refusal("validation_failed", f"{path} is not a plain file, and it has to be read more than once")
    with path.open("rb") as file:
        lines = iter(lambda: file.readline(MAX_LINE + 1), b"")
        yield from read(_told(lines, progress) if progress else lines)


def read(lines: Iterable[bytes]) -> Iterator[Imported]:
    """Read lines of bytes, each with its line break, in their order.

    A line ends in LF or CRLF, the first may start with a BOM, blank ones are skipped. The first record may be the head,
    `{"smeldr": 1, "records": N}`: then N records must follow it, which is how a file that was cut short shows.

    Raises:
        Refusal: `validation_failed`; the message starts with `line N:` and `fields` names the key, if one is at fault.
    """
    announced: int | None = None
    number = found = 0
    at_start = True
    for number, line in enumerate(lines, start=1):
        text = line.removeprefix(_BOM) if number == 1 else line
        if not text.strip(b" \t\r\n"):
            continue
        try:
            members = _members(text)
            if at_start and "smeldr" in members:
                announced = _head(members)
            else:
                found += 1
                yield record(number, members)
        except Fault as fault:
            raise _refusal(number, fault) from None
        at_start = False
    if announced is not None and found != announced:
        raise _refusal(number, Fault(f"the head announces {announced:,} records and the file holds {found:,}"))


def _told(lines: Iterator[bytes], progress: Callable[[int], object]) -> Iterator[bytes]:
    untold = 0
    for line in lines:
        untold += len(line)
        if untold >= _TOLD_EVERY:
            progress(untold)
            untold = 0
        yield line
    progress(untold)


def _members(line: bytes) -> dict[str, Any]:
    """Read the JSON object that the line is."""
    if len(line) > MAX_LINE:
        raise Fault(f"longer than {MAX_LINE:,} bytes")
    hint = "" if line.endswith(b"\n") else "; the file ends here: was it cut short?"
    try:
        value = _DECODER.decode(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise Fault(f"not UTF-8 (byte {error.start + 1:,} of the line){hint}") from None
    except json.JSONDecodeError as error:
        raise Fault(f"not JSON (column {error.colno:,}: {error.msg}){hint}") from None
    except (RecursionError, ValueError):
        raise Fault("not JSON that a record could be: nested too deep, or a number too long") from None
    if not isinstance(value, dict):
        raise Fault("a record is a JSON object, in braces")
    return value


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        raise Fault("given twice", short(next(name for name in names if names.count(name) > 1)))
    return members


def _no_constant(name: str) -> NoReturn:
    raise Fault(f"not JSON: {name} is no value there")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_each_once, parse_constant=_no_constant)


def _head(members: Mapping[str, Any]) -> int | None:
    """How many records the head says will follow, if it does."""
    known_keys(members, ("smeldr",), ("records",))
    version, records = members["smeldr"], members.get("records", 0)
    if type(version) is not int or version != VERSION:
        raise Fault(f"this is not version {VERSION} of the format, the only one known here", "smeldr")
    if type(records) is not int or records < 0:
        raise Fault("must be a whole number", "records")
    return records if "records" in members else None


def _refusal(number: int, fault: Fault) -> Refusal:
    entry: dict[str, Any] = {"why": fault.why, **({"valid": list(fault.valid)} if fault.valid else {})}
    where = f"{fault.field}: " if fault.field else ""
    valid = f" (there are: {', '.join(fault.valid)})" if fault.valid else ""
    return Refusal(
        "validation_failed",
        f"line {number}: {where}{fault.why}{valid}",
        fields={fault.field: entry} if fault.field else None,
    )
