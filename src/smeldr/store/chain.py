"""The history recomputed: whether each entry is what was written after the one before it.

It reads entries and texts in the order of `seq`, side by side, and keeps none. A text that was removed is no fault.
Where a number is missing, the hash behind the gap cannot be judged; from there the chain is followed on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from sqlalchemy import Row, select

from smeldr.store.history import START, chained, digest
from smeldr.store.schema import history, history_texts

ENTRIES: Final = select(history).order_by(history.c.seq)
TEXTS: Final = select(history_texts).order_by(history_texts.c.seq, history_texts.c.field)

_COLUMNS: Final = tuple(history.c.keys())

AnyRow = Row[*tuple[Any, ...]]


def faults(entries: Iterable[AnyRow], texts: Iterable[AnyRow]) -> Iterator[tuple[str, int, str]]:
    """(code, seq, what is wrong), by seq. Takes the rows of `ENTRIES` and of `TEXTS`."""
    texts_by_entry = _Texts(texts)
    expected, before, latest = 1, START, ""
    for entry in entries:
        row = dict(zip(_COLUMNS, entry, strict=True))
        its_hash = row.pop("hash")
        seq, at = row["seq"], row["at"]
        if seq != expected:
            missing = f"entry {expected} is" if seq == expected + 1 else f"entries {expected} to {seq - 1} are"
            yield "history-gap", seq, f"before it, {missing} missing"
        elif its_hash != chained(before, row):
            yield "history-broken", seq, "its hash does not follow from itself and the entry before"
        if at < latest:
            yield "history-backwards", seq, f"it is of {at}, and the entry before of {latest}"
        for text in texts_by_entry.of(seq):
            if not _fits(row["changes"], text):
                yield "history-text-altered", seq, f"its {text.field} does not fit the digest in the entry"
        expected, before, latest = seq + 1, its_hash, at


def _fits(changes: str, text: AnyRow) -> bool:
    try:
        said = json.loads(changes)[text.field]["digest"]
    except (ValueError, TypeError, KeyError):
        return False
    return bool(said == digest(text.salt, text.text))


class _Texts:
    """Texts, handed out with the entries that they belong to."""

    def __init__(self, texts: Iterable[AnyRow]) -> None:
        self._texts = iter(texts)
        self._next = next(self._texts, None)

    def of(self, seq: int) -> Iterator[AnyRow]:
        """The texts of the entry; asked for in the order of entries. Those of no entry are passed over."""
        while self._next is not None and self._next.seq <= seq:
            if self._next.seq == seq:
                yield self._next
            self._next = next(self._texts, None)
