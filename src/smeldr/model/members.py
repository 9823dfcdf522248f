"""The members of a JSON object are all different: of a name given twice, one value would be lost in silence."""

from __future__ import annotations

from typing import Any


def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object out of its members, as a JSON reader hands them over. Raises ValueError for a name given twice."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the key {name[:100]!r} is given twice")
        found[name] = value
    return found
