"""What the register holds, as values: items, texts, relations, signals, principals, tokens, grants, runs, used keys.

Read from the store and never changed in place. They carry no rule and know no table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from smeldr.model.instants import Instant
from smeldr.model.items import ItemKey, ItemType, address_of, type_of
from smeldr.model.kinds import KindName
from smeldr.model.rights import PrincipalClass, Right


@dataclass(frozen=True, slots=True)
class Item:
    """Anything with an address. `path` is its place and the places around that, innermost first, ROOT last.

    `state_changes` counts the changes of its state since it was made, from 0.
    """

    key: ItemKey
    id: str
    path: tuple[ItemKey, ...]
    state: str
    rev: int
    state_changes: int
    created_at: Instant
    state_changed_at: Instant

    @property
    def type(self) -> ItemType:
        return type_of(self.key)

    @property
    def address(self) -> str:
        return address_of(self.key)

    @property
    def place(self) -> ItemKey:
        return self.path[0]

    @property
    def judged_over(self) -> tuple[ItemKey, ...]:
        """The path over which rights on the item are judged: its place's; a place itself is its own innermost one."""
        return (self.key, *self.path) if self.type in ("Area", "Domain") else self.path


@dataclass(frozen=True, slots=True)
class Text:
    """What people wrote in a Decision or an Amendment, and who. `amends` is the Decision that an Amendment changes."""

    title: str
    body: str
    source: str | None
    proposed_by: str
    ratified_by: str | None
    amends: ItemKey | None


@dataclass(frozen=True, slots=True)
class Document:
    """A Decision or an Amendment with its text; in lists the body is left empty."""

    item: Item
    text: Text


@dataclass(frozen=True, slots=True)
class Place:
    """A Domain or an Area; `item.place` is the place around it."""

    item: Item
    name: str


@dataclass(frozen=True, slots=True)
class Signal:
    """A condition, open or closed. `about` is its Decision, `other` the premise or the contradicting Decision."""

    item: Item
    condition: str
    about: ItemKey
    other: ItemKey
    relation: str
    resolution: str | None
    confirmed_by: str | None


@dataclass(frozen=True, slots=True)
class Relation:
    """One relation; live until it has an end."""

    id: str
    kind: KindName
    source: ItemKey
    target: ItemKey
    rev: int
    asserted_by: str
    asserted_at: Instant
    ended_by: str | None = None
    ended_at: Instant | None = None
    cause: str | None = None
    reason: str | None = None

    @property
    def live(self) -> bool:
        return self.ended_at is None


@dataclass(frozen=True, slots=True)
class End:
    """One end of a relation, as the rules of the conditions see it."""

    key: ItemKey
    place: ItemKey
    state: str
    state_changes: int
    ever_ratified: bool


@dataclass(frozen=True, slots=True)
class Judged:
    """A relation with what the rules of the conditions ask about it.

    `confirmed_at` is the premise's count of state changes that a confirmation of the pair covers, None without one.
    """

    relation: Relation
    source: End
    target: End
    confirmed_at: int | None


@dataclass(frozen=True, slots=True)
class Principal:
    """Who calls."""

    id: str
    name: str
    principal_class: PrincipalClass
    active: bool
    created_at: Instant


@dataclass(frozen=True, slots=True)
class Token:
    """A bearer token, without the token: only its hash is kept, and not here."""

    id: str
    principal: str
    created_at: Instant
    expires_at: Instant | None
    revoked_at: Instant | None


@dataclass(frozen=True, slots=True)
class Grant:
    """One right of one principal over one place."""

    id: str
    principal: str
    right: Right
    place: ItemKey
    granted_by: str
    granted_at: Instant
    expires_at: Instant | None
    revoked_at: Instant | None


@dataclass(frozen=True, slots=True)
class Count:
    """Items reached in one direction; `at_least` when one was left uncounted."""

    open: int = 0
    closed: int = 0
    at_least: bool = False

    def reply(self) -> dict[str, Any]:
        """`{"open": n, "closed": n}`, with `"at_least": true` only where it applies."""
        return {"open": self.open, "closed": self.closed, **({"at_least": True} if self.at_least else {})}


class Edge(NamedTuple):
    """One step of a walk: from an item of the ring before to `to`, through `kind`."""

    to: ItemKey
    origin: ItemKey
    kind: KindName


@dataclass(frozen=True, slots=True)
class SweepRun:
    """What one run of the sweep did.

    `counted_at` is the moment its counts speak of, None for a run that failed before; `counters` the last address
    numbers given out then, by item type: what came later was not counted. `generation` is the number its counts have.
    """

    id: str
    started_at: Instant
    finished_at: Instant
    counted_at: Instant | None
    items: int
    relations: int
    counted: int
    opened: int
    closed: int
    error: str | None
    counters: dict[str, int] | None
    generation: int | None


@dataclass(frozen=True, slots=True)
class Connections:
    """Connections of one process to its database: those at work, those kept ready, and the most there may be."""

    in_use: int
    idle: int
    limit: int


@dataclass(frozen=True, slots=True)
class UsedKey:
    """The first success under a request key: the tool, a digest of its arguments, and its checks and reply as JSON."""

    principal: str
    key: str
    tool: str
    digest: str
    checks: str
    reply: str
    at: Instant
