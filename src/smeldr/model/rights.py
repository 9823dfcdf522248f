"""Four rights, given to a principal over a place and everything inside it.

`author` and `administer` include `read`; `ratify` includes nothing and nothing includes it.
Judging whether somebody holds one is rules/access.py. Source: docs/domains-and-areas.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

Right = Literal["read", "author", "ratify", "administer"]
PrincipalClass = Literal["person", "agent"]

PRINCIPAL_CLASSES: Final[tuple[PrincipalClass, ...]] = ("person", "agent")
RIGHTS: Final[tuple[Right, ...]] = ("read", "author", "ratify", "administer")
INCLUDED: Final[Mapping[Right, frozenset[Right]]] = {
    "read": frozenset({"read"}),
    "author": frozenset({"author", "read"}),
    "ratify": frozenset({"ratify"}),
    "administer": frozenset({"administer", "read"}),
}
"""What a grant of the right gives."""

NOT_FOR_AGENTS: Final[frozenset[Right]] = frozenset({"ratify", "administer"})
"""Rights that an agent does not hold, whatever it was granted, unless the policy lets agents ratify."""
