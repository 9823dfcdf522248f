"""The register built again from its history alone: an independent fold over the entries, compared table by table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tests.operations.tables import Row, Tables

REBUILT: Final = (
    "items",
    "places",
    "texts",
    "relations",
    "signals",
    "confirmations",
    "principals",
    "tokens",
    "grants",
    "counters",
)
"""What the history tells in full. The rest is derived (stored counts), passing (request keys) or the history itself."""

_ITEMS: Final = {"Amendment": 1, "Area": 2, "Decision": 3, "Domain": 4, "Signal": 5}


class Replayed:
    """The tables as the entries tell them, rows by primary key."""

    def __init__(self, entries: list[Row]) -> None:
        self.tables: dict[str, dict[Any, Row]] = {name: {} for name in REBUILT}
        self.tables["counters"] = {name: {"name": name, "value": 0} for name in _ITEMS}
        for entry in entries:
            kind = entry["subject_type"]
            tell: dict[str, Callable[[Row, Row], None]] = {
                "Relation": self._relation,
                "Signal": self._signal,
                "Principal": self._principal,
                "Token": self._token,
                "Grant": self._grant,
            }
            tell.get(kind, self._item)(entry, {**entry["changes"], **entry["texts"]})
        self._place_the_ends()

    def rows(self, name: str) -> list[Row]:
        """The rows of a table, in the order of its primary key."""
        return [self.tables[name][key] for key in sorted(self.tables[name])]

    def _new_item(self, entry: Row, said: Row) -> None:
        key = said["key"]
        at = said.get("created_at", entry["at"])
        self.tables["items"][key] = {
            "key": key,
            "id": entry["subject_id"],
            "place": said["place"],
            "state": entry["to_state"],
            "rev": said.get("rev", 1),
            "state_changes": 0,
            "created_at": at,
            "state_changed_at": at,
        }
        counter = self.tables["counters"][entry["subject_type"]]
        counter["value"] = max(counter["value"], key % 10**12)

    def _item(self, entry: Row, said: Row) -> None:
        if entry["from_state"] is None:
            self._new_item(entry, said)
            key = said["key"]
            if "title" in said:
                texts = ("title", "body", "source", "proposed_by", "ratified_by", "amends")
                self.tables["texts"][key] = {"key": key, **{name: said.get(name) for name in texts}}
            else:
                self.tables["places"][key] = {"key": key, "name": said["name"]}
            return
        item = self.tables["items"][entry["subject_key"]]
        assert item["state"] == entry["from_state"]
        if entry["to_state"] != entry["from_state"]:
            item["state_changed_at"] = entry["at"]
        item.update(state=entry["to_state"], **_among(said, "rev", "place", "state_changes"))
        self.tables["texts"].get(item["key"], {}).update(_among(said, "title", "body", "ratified_by"))
        self.tables["places"].get(item["key"], {}).update(_among(said, "name"))
        if "place" in said and entry["subject_type"] == "Decision":
            for signal in self.tables["signals"].values():
                if signal["about"] == item["key"]:
                    self.tables["items"][signal["key"]]["place"] = said["place"]

    def _relation(self, entry: Row, said: Row) -> None:
        if entry["from_state"] is None:
            none = dict.fromkeys(("source_place", "target_place", "ended_by", "ended_at", "cause", "reason"))
            made = {"asserted_by": entry["actor"], "asserted_at": entry["at"]}
            own = _among(said, "kind", "source", "target", "rev")
            self.tables["relations"][entry["subject_id"]] = {"id": entry["subject_id"], **none, **own, **made}
        else:
            ended = {"ended_by": entry["actor"], "ended_at": entry["at"], **_among(said, "rev", "cause", "reason")}
            self.tables["relations"][entry["subject_id"]].update(ended)

    def _place_the_ends(self) -> None:
        """A relation lies where its ends lie, live or ended."""
        for relation in self.tables["relations"].values():
            for end in ("source", "target"):
                relation[f"{end}_place"] = self.tables["items"][relation[end]]["place"]

    def _signal(self, entry: Row, said: Row) -> None:
        key = entry["subject_key"]
        if entry["from_state"] is None:
            self._new_item(entry, said)
            own = _among(said, "key", "condition", "about", "other", "relation")
            self.tables["signals"][key] = {**own, "resolution": None, "confirmed_by": None}
            return
        item = self.tables["items"][key]
        item.update(state="closed", state_changed_at=entry["at"], state_changes=1)
        self.tables["signals"][key].update(_among(said, "resolution", "confirmed_by"))
        if "covers" in said:
            pair = said["decision"], said["premise"]
            row = {"decision": pair[0], "premise": pair[1], "state_changes": said["covers"]}
            self.tables["confirmations"][pair] = row

    def _principal(self, entry: Row, said: Row) -> None:
        new = {"id": entry["subject_id"], "name": said["name"], "class": said["class"], "created_at": entry["at"]}
        row = self.tables["principals"].setdefault(entry["subject_id"], new)
        row["active"] = entry["to_state"] == "active"

    def _token(self, entry: Row, said: Row) -> None:
        new = {
            "id": entry["subject_id"],
            **{name: said.get(name) for name in ("principal", "hash", "expires_at")},
            "created_at": entry["at"],
            "revoked_at": None,
        }
        row = self.tables["tokens"].setdefault(entry["subject_id"], new)
        if entry["to_state"] == "revoked":
            row["revoked_at"] = entry["at"]

    def _grant(self, entry: Row, said: Row) -> None:
        new = {
            "id": entry["subject_id"],
            **_among(said, "principal", "right", "place", "expires_at"),
            "granted_by": entry["actor"],
            "granted_at": entry["at"],
            "revoked_at": None,
        }
        row = self.tables["grants"].setdefault(entry["subject_id"], new)
        if entry["to_state"] == "revoked":
            row["revoked_at"] = entry["at"]


def differences(tables: Tables) -> dict[str, tuple[list[Row], list[Row]]]:
    """For each table that the history does not rebuild: rows that only it has, and rows that only the history has."""
    replayed = Replayed(tables.entries())
    found = {}
    for name in REBUILT:
        there, told = tables.rows(name), replayed.rows(name)
        if _sorted(there) != _sorted(told):
            found[name] = [each for each in there if each not in told], [each for each in told if each not in there]
    return found


def _sorted(rows: list[Row]) -> list[list[tuple[str, Any]]]:
    return sorted((sorted(row.items()) for row in rows), key=repr)


def _among(said: Row, *names: str) -> Row:
    return {name: said[name] for name in names if name in said}
