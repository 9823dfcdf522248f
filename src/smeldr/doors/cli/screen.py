"""Writes to standard output so that it arrives: on a terminal, in a pipe, under any locale.

At a terminal tables are drawn to its width and in colour, unless NO_COLOR is set; elsewhere they are plain columns of
full width. Characters that steer a terminal are shown instead of obeyed, since texts are written by others. What is in
a table is not decided here.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TextIO

if TYPE_CHECKING:
    from smeldr.doors.cli.wire import Reply

_STEERING: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_FRACTION: Final = re.compile(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{6}Z$")
"""An instant, of which people read no more than the second."""
_COLOURS: Final[Mapping[str, str]] = {"proposed": "yellow", "open": "yellow", "ratified": "green", "live": "green"}
_WHOLE: Final = frozenset({"title", "name", "message", "resolution", "counts", "sources", "targets"})
"""Columns that may be broken over lines; every other one is a word that has to stay whole to be copied."""


class Screen:
    """Standard output. `at_terminal`: a person reads it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.at_terminal = stream.isatty()
        self._any_character = (stream.encoding or "ascii").lower().replace("_", "-") in ("utf-8", "utf8")

    def line(self, text: str = "") -> None:
        """Write a text and end the line."""
        self._stream.write(shown(text) + "\n")

    def json(self, reply: Reply) -> None:
        """Write a reply for programs: as it came, unless a person reads it or the locale cannot hold it."""
        if self._any_character and not self.at_terminal:
            text = reply.text.strip()
        else:
            indent = 2 if self.at_terminal else None
            text = json.dumps(reply.value, ensure_ascii=not self._any_character, indent=indent)
        self._stream.write((shown(text) if self.at_terminal else text) + "\n")

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Write rows under the names of their columns; a column that is empty throughout is left out."""
        kept = [index for index in range(len(columns)) if any(row[index] for row in rows)]
        heads = [columns[index].replace("_", " ") for index in kept]
        cells = [[" ".join(shown(row[index]).split()) for index in kept] for row in rows]
        if self.at_terminal:
            self._drawn([columns[index] for index in kept], heads, cells)
        else:
            self._plain(heads, cells)

    def _plain(self, heads: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
        widths = [max(width(row[index]) for row in (heads, *cells)) for index in range(len(heads))]
        for row in (heads, *cells):
            padded = (cell + " " * (wide - width(cell)) for cell, wide in zip(row, widths, strict=True))
            self._stream.write("  ".join(padded).rstrip() + "\n")

    def _drawn(self, names: Sequence[str], heads: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
        from rich.console import Console
        from rich.measure import Measurement
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for name, head in zip(names, heads, strict=True):
            table.add_column(Text(head), no_wrap=name not in _WHOLE, overflow="fold")
        for row in cells:
            table.add_row(*(Text(cell, style=_COLOURS.get(cell, "")) for cell in row))
        console = Console(file=self._stream, highlight=False)
        least = Measurement.get(console, console.options.update(max_width=10_000), table).minimum
        console.width = max(least, console.width)
        console.print(table)


def shown(text: str) -> str:
    """A text with what steers a terminal made visible; line breaks of every kind end a line."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text.replace("\r\n", "\n"))


def width(text: str) -> int:
    """The columns that a text takes on a terminal."""
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) == "Cf":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cell(value: Any) -> str:
    """A value in one cell or after one label: an item by its address, several with commas, yes and no in words."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping) and "address" in value:
        return str(value["address"])
    if isinstance(value, Mapping) and value.keys() >= {"source", "kind", "target"}:
        return f"{cell(value['source'])} {value['kind']} {cell(value['target'])}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key.replace('_', ' ')} {cell(each)}" for key, each in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(cell, value))
    return _FRACTION.sub(r"\1Z", str(value))
