"""The typed graph as one table: which kind joins what to what, and what follows from it.

A rule never names a kind where a column of this table can say it. Source: docs/content-relations.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from smeldr.model.items import ItemType

KindName = Literal["about", "addresses", "amends", "contradicts", "grounded_in", "placed_in", "supersedes"]
MadeBy = Literal["hand", "amendment", "move", "placement", "condition"]

OneWay = Literal["incoming", "outgoing"]
Direction = Literal["incoming", "outgoing", "both"]
"""Along relations that come into an item, that go out of it, or both."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One relation kind.

    `both_ways`: the two orders are one relation. `raises_flag`: a premise that leaves force is felt through it.
    `counted`: the rest counts follow it. `stored`: it has rows of its own; the others follow from the item itself.
    """

    name: KindName
    sources: frozenset[ItemType]
    targets: frozenset[ItemType]
    made_by: MadeBy
    both_ways: bool = False
    raises_flag: bool = False
    counted: bool = False
    stored: bool = True

    def joins(self, source: str, target: str) -> bool:
        """Whether the kind may run from an item of the one type to one of the other."""
        return source in self.sources and target in self.targets


def _only(*types: ItemType) -> frozenset[ItemType]:
    return frozenset(types)


_DECISION: Final = _only("Decision")

KINDS: Final[Mapping[KindName, Kind]] = {
    kind.name: kind
    for kind in (
        Kind("about", _only("Signal"), _DECISION, "condition", stored=False),
        Kind("addresses", _DECISION, _DECISION, "hand", counted=True),
        Kind("amends", _only("Amendment"), _DECISION, "amendment", counted=True),
        Kind("contradicts", _DECISION, _DECISION, "hand", both_ways=True),
        Kind("grounded_in", _DECISION, _DECISION, "hand", raises_flag=True, counted=True),
        Kind(
            "placed_in",
            _only("Decision", "Amendment", "Signal", "Area"),
            _only("Area", "Domain"),
            "placement",
            stored=False,
        ),
        Kind("supersedes", _DECISION, _DECISION, "move"),
    )
}
"""Every kind by name, in the order of their names, which breaks ties in the trace's `via`."""

COUNTED: Final = frozenset(kind.name for kind in KINDS.values() if kind.counted)
MADE_BY_HAND: Final = tuple(kind.name for kind in KINDS.values() if kind.made_by == "hand")
