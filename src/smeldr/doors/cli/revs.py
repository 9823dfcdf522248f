"""The revs that a move carries: the text and the state that it was meant for.

A move takes a `rev` and refuses a stale one. Whoever names none has it read here, just before the move is sent; for
`supersede` the rev of each proposed successor, too. Where the caller may not read the item, the move goes without. A
change of a text is different: its tool requires the rev of the text that was seen, so nobody fills it in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from smeldr.doors.cli.failure import Refused
from smeldr.doors.cli.manifest import Tool

Ask = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
"""Calls a reading tool. Raises Refused."""

_READERS: Final[Mapping[str, str]] = {"decision": "get_decision", "amendment": "get_amendment"}


def missing(tool: Tool, arguments: Mapping[str, Any]) -> list[str]:
    """The revs that the call could carry and does not."""
    optional = {name: tool.parameters[name] for name in ("rev", "by_rev") if name in tool.parameters}
    named = "conditions" not in arguments
    return [name for name, each in optional.items() if named and not each.required and name not in arguments]


def read(tool: Tool, arguments: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Read the missing revs; one that cannot be read stays away.

    Raises:
        Failure: there is no server to ask. Nothing was changed then.
    """
    wanted = missing(tool, arguments)
    found: dict[str, Any] = {}
    if "rev" in wanted and (item := _subject(arguments, ask)):
        found["rev"] = item["rev"]
    if "by_rev" in wanted and (revs := _of_proposals(arguments.get("by"), ask)):
        found["by_rev"] = revs
    return found


def _subject(arguments: Mapping[str, Any], ask: Ask) -> Mapping[str, Any] | None:
    """The item whose rev the call takes: the one that is moved, or the Decision that a condition is about."""
    if condition := arguments.get("condition"):
        signal = _read("get_signal", condition, ask)
        return _read("get_decision", signal["about"], ask) if signal else None
    return next((_read(reader, arguments[name], ask) for name, reader in _READERS.items() if name in arguments), None)


def _of_proposals(by: Any, ask: Ask) -> Any:
    """One rev, or one for each of a list; none where the successor is not a proposal."""
    items = [_read("get_decision", each, ask) for each in (by if isinstance(by, list) else [by])]
    revs = [item["rev"] if item and item.get("state") == "proposed" else None for item in items]
    if not any(revs):
        return None
    return revs if isinstance(by, list) else revs[0]


def _read(tool: str, reference: str, ask: Ask) -> Mapping[str, Any] | None:
    try:
        return ask(tool, {"id": reference})
    except Refused:
        return None
