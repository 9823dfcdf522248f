"""One line of an import file, read: a place, a Decision, an Amendment or a relation between two of them.

A file names its items by its own `ref`; what a ref stands for in the register, and whether it is there already, is for
the import to find out. These values are whole in themselves: their texts are within bounds, their states, types and
kinds exist. What takes two lines to judge (a ref given twice, one that nothing answers to, a pair that a kind does not
join) is not judged here. Source: docs/import-format.md.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Final, Literal

from smeldr.model.instants import Instant
from smeldr.model.states import State

ImportedKind = Literal["addresses", "contradicts", "grounded_in", "supersedes"]
IMPORTED_KINDS: Final[tuple[ImportedKind, ...]] = ("addresses", "contradicts", "grounded_in", "supersedes")
"""The kinds that have lines of their own; `amends` is said by the Amendment, `placed_in` by what is placed."""

READINGS: Final = 3
"""How often an import reads its file: for the places, for the Decisions, and for what refers to them."""

MAX_REF: Final = 500
"""Characters in a `ref`."""


@dataclass(frozen=True, slots=True)
class ImportedPlace:
    """A Domain, or an Area inside the Domain whose ref is `domain`. `line` counts from 1."""

    line: int
    type: Literal["Domain", "Area"]
    ref: str
    name: str
    domain: str | None = None


@dataclass(frozen=True, slots=True)
class ImportedDecision:
    """A Decision as it stands: its state is taken as it is, no move is made. Without `place` it is in ROOT."""

    line: int
    ref: str
    title: str
    body: str
    state: State
    place: str | None = None
    created_at: Instant | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ImportedAmendment:
    """An Amendment of the Decision whose ref is `amends`; its state is proposed, ratified or archived."""

    line: int
    ref: str
    amends: str
    title: str
    body: str
    state: State
    created_at: Instant | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ImportedRelation:
    """A live relation between two Decisions, each named by its ref."""

    line: int
    kind: ImportedKind
    source: str
    target: str


ImportedItem = ImportedPlace | ImportedDecision | ImportedAmendment
Imported = ImportedItem | ImportedRelation


def content(record: Imported) -> tuple[Any, ...]:
    """Everything that the record says, without the line where it says it: two equal ones are one record given twice."""
    said = (getattr(record, field.name) for field in fields(record) if field.name != "line")
    return (type(record).__name__, *said)
