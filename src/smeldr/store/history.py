"""The history: appending entries, chained by hash, texts kept apart. Nothing here reads it back to anybody.

The hash of an entry covers everything in it and the hash before; what people wrote is in it as a salted digest, so
that a text can be removed later and the chain stays whole.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, select

from smeldr.model.entries import Act, Entry
from smeldr.model.instants import Instant
from smeldr.store import contract
from smeldr.store.rows import add_rows
from smeldr.store.schema import history, history_texts

START: Final = ""
_SALT_BYTES: Final = 16
_LATEST: Final = select(history.c.at).order_by(history.c.seq.desc()).limit(1)
_LAST: Final = select(history.c.seq, history.c.hash).order_by(history.c.seq.desc()).limit(1)
_AS_JSON: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


class History(contract.History):
    """The entries of one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def latest(self) -> Instant | None:
        return self._connection.execute(_LATEST).scalar()

    def append(self, act: Act, entries: Sequence[Entry]) -> None:
        last = self._connection.execute(_LAST).first()
        latest, before = (last.seq, last.hash) if last else (0, START)
        rows: list[dict[str, Any]] = []
        kept: list[dict[str, Any]] = []
        for seq, entry in enumerate(entries, start=latest + 1):
            changes: dict[str, Any] = dict(entry.changes)
            for field, value in entry.texts.items():
                salt = secrets.token_hex(_SALT_BYTES)
                changes[field] = {"digest": digest(salt, value)}
                kept.append({"seq": seq, "field": field, "salt": salt, "text": value})
            row = {
                "seq": seq,
                "act": act.id,
                "at": act.at,
                "actor": entry.actor or act.actor,
                "actor_class": entry.actor_class or act.actor_class,
                "tool": None if entry.actor else act.tool,
                "subject_type": entry.subject_type,
                "subject_id": entry.subject_id,
                "subject_key": entry.subject_key,
                "from_state": entry.from_state,
                "to_state": entry.to_state,
                "changes": canonical(changes),
            }
            before = chained(before, row)
            rows.append({**row, "hash": before})
        add_rows(self._connection, history, rows)
        add_rows(self._connection, history_texts, kept)


def canonical(value: Any) -> str:
    """JSON in one spelling: sorted keys, no spaces, every character as itself."""
    return _AS_JSON(value)


def digest(salt: str, text: str) -> str:
    """What stands in the chain for a text: SHA-256 of its salt and itself, in hex."""
    return hashlib.sha256(f"{salt}{text}".encode()).hexdigest()


def chained(before: str, row: dict[str, Any]) -> str:
    """The hash of an entry after the hash before it: SHA-256 in hex over both, the entry in canonical JSON."""
    return hashlib.sha256(f"{before}{canonical(row)}".encode()).hexdigest()
