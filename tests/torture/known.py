"""What the writers know of the register that they share: good for choosing the next call, and no more than that."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any, Final

Reply = dict[str, Any]

RECENT: Final = 40
"""Choices are made among the latest items, so that writers meet."""


class Known:
    """Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._items: dict[str, Reply] = {}
        self._relations: dict[str, Reply] = {}
        self._grants: dict[str, Reply] = {}
        self._places: list[str] = []

    def hear(self, tool: str, reply: Reply) -> None:
        """Take in what a call answered."""
        with self._lock:
            if "address" in reply and reply.get("type") in ("Decision", "Amendment"):
                former = self._items.get(reply["address"], {"rev": 0})
                if reply["rev"] > former["rev"]:
                    self._items[reply["address"]] = {**former, **reply}
            if reply.get("type") in ("Domain", "Area"):
                self._places.append(reply["address"])
            for relation in _relations(tool, reply):
                self._relations[relation["id"]] = relation
            if tool in ("grant_right", "revoke_grant"):
                self._grants[reply["id"]] = reply

    def items(self, prefix: str, *states: str) -> list[Reply]:
        """The latest items whose addresses start like this and which were in one of the states when last heard of."""
        with self._lock:
            found = [each for address, each in self._items.items() if address.startswith(prefix)]
        return [each for each in found if not states or each["state"] in states][-RECENT:]

    def relations(self, *kinds: str) -> list[Reply]:
        """The latest relations that were live when last heard of."""
        with self._lock:
            found = [each for each in self._relations.values() if each["state"] == "live"]
        return [each for each in found if each["kind"] in kinds][-RECENT:]

    def grants(self) -> list[Reply]:
        """The latest grants that were not revoked when last heard of."""
        with self._lock:
            return [each for each in self._grants.values() if "revoked_at" not in each][-RECENT:]

    def places(self) -> list[str]:
        """The latest places, and ROOT."""
        with self._lock:
            return ["ROOT", *self._places[-RECENT:]]


def _relations(tool: str, reply: Reply) -> Iterable[Reply]:
    if tool == "assert_relation":
        yield reply["relation"]
    elif tool == "replace_premise":
        yield from (reply["ended"], reply["relation"])
    elif tool == "withdraw_relation":
        yield reply
