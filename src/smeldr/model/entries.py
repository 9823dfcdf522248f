"""What the history says of a change: who did what to which thing, from which state to which, and what is new.

One act is one call; a call makes one entry for every item, relation, grant, token or principal that it changes. What a
rule did (a condition) is entered as done by `system`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from smeldr.model.instants import Instant
from smeldr.model.items import ItemKey

SYSTEM: Final = "system"
"""The actor of what a rule did."""

OPERATOR: Final = "operator"
"""The actor of what was done on the machine itself, with `smeldr`: the first owner, an import."""


@dataclass(frozen=True, slots=True)
class Act:
    """One call that changes something."""

    id: str
    at: Instant
    actor: str
    actor_class: str
    tool: str | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One changed thing. `changes` are the new values; `texts` those new values that people wrote (and the reason).

    `actor` and `actor_class` are given only where they are not the act's.
    """

    subject_type: str
    subject_id: str
    subject_key: ItemKey | None = None
    from_state: str | None = None
    to_state: str | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    actor: str | None = None
    actor_class: str | None = None
