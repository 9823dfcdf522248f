"""The import format, written: a head that announces how many records follow, then one record a line.

The format itself is described in docs/import-format.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

Record = Mapping[str, Any]


def write(records: Sequence[Record], out: TextIO) -> None:
    """Write the head and the records; members that are None are left out."""
    for record in ({"smeldr": 1, "records": len(records)}, *records):
        given = {name: value for name, value in record.items() if value is not None}
        out.write(json.dumps(given, ensure_ascii=False) + "\n")


def write_to(records: Sequence[Record], path: Path) -> None:
    """Write a file that is there whole or not at all."""
    unfinished = path.with_name(f"{path.name}.part")
    with unfinished.open("w", encoding="utf-8", newline="\n") as out:
        write(records, out)
    unfinished.replace(path)
