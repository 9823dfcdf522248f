"""The history recomputed from what docs/adr/0011 says of it, sharing no code with what wrote it."""

from __future__ import annotations

import hashlib
import json

from tests.operations.tables import Row, Tables


def broken(tables: Tables) -> list[int]:
    """The `seq` of every entry whose hash, number, instant or digests are not what they should be."""
    texts: dict[int, list[Row]] = {}
    for text in tables.rows("history_texts"):
        texts.setdefault(text["seq"], []).append(text)
    found, before, at = [], "", ""
    for expected, row in enumerate(tables.rows("history"), start=1):
        said = {name: value for name, value in row.items() if name != "hash"}
        whole = (
            row["seq"] == expected
            and row["at"] >= at
            and row["hash"] == _sha256(before + _canonical(said))
            and all(_digested(json.loads(row["changes"]), text) for text in texts.get(row["seq"], ()))
        )
        if not whole:
            found.append(row["seq"])
        before, at = row["hash"], row["at"]
    return found


def _digested(changes: Row, text: Row) -> bool:
    return bool(changes[text["field"]] == {"digest": _sha256(text["salt"] + text["text"])})


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _canonical(value: Row) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
