"""The conditions that a move opened: those that come after the last one there was before it."""

from __future__ import annotations

from typing import Any, Final

from walkthrough.callers import Agent, Reply

SIGNAL_MEMBERS: Final = ("address", "message", "state", "premise", "other", "resolution", "count")
_PAGE: Final = 200


def last_signal(agent: Agent) -> str | None:
    """The address of the newest Signal, open or closed; None when there is none yet."""
    every: dict[str, Any] = {"state": "all", "limit": 1}
    total = agent.quietly("list_signals", every)["total"]
    if not total:
        return None
    newest = agent.quietly("list_signals", {**every, "offset": total - 1})["signals"]
    return str(newest[0]["address"])


def flags_since(agent: Agent, before: str | None) -> list[Reply]:
    """The open premise flags that are newer, oldest first; the first call is shown."""
    asked: dict[str, Any] = {"receiver": "ratify", "type": "premise-flagged", "limit": _PAGE}
    if before:
        asked["after"] = before
    page = agent.call("list_signals", asked, SIGNAL_MEMBERS)
    flags: list[Reply] = list(page["signals"])
    while page["count"] == page["limit"]:
        page = agent.quietly("list_signals", {**asked, "after": flags[-1]["address"]})
        flags += page["signals"]
    return flags
