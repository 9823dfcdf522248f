"""Items, the relations between them, and the steps of a walk."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Protocol

from smeldr.model.instants import Instant
from smeldr.model.items import ItemKey, ItemType, Reference
from smeldr.model.kinds import Direction, KindName
from smeldr.model.records import Document, Edge, Item, Place, Relation, Text

Readable = Collection[ItemKey] | None
"""The places that an answer is confined to; None for every place."""


class Items(Protocol):
    """Items of every type, the texts of Decisions and Amendments, and the names of places."""

    def find(self, references: Collection[Reference]) -> dict[Reference, Item]:
        """The items that these references name."""

    def get(self, keys: Collection[ItemKey]) -> dict[ItemKey, Item]:
        """The items with these keys."""

    def documents(self, keys: Collection[ItemKey]) -> dict[ItemKey, Document]:
        """The Decisions and Amendments with these keys, texts and all."""

    def list_documents(
        self,
        item_type: ItemType,
        where: Readable,
        *,
        state: str | None = None,
        amends: ItemKey | None = None,
        after: ItemKey | None = None,
        limit: int,
        offset: int,
    ) -> tuple[list[Document], int]:
        """One page in the order of address numbers, bodies left empty, and how many match in all.

        `after` and `offset` move the page and leave the number alone.
        """

    def amendments_of(self, decision: ItemKey) -> list[Item]:
        """Every Amendment of the Decision, in the order of address numbers."""

    def with_source(self, sources: Collection[str]) -> dict[str, list[ItemKey]]:
        """The Decisions and Amendments that name one of these as where they come from, each list in key order."""

    def places(self, keys: Readable = None) -> list[Place]:
        """Domains and Areas with these keys (all when None), in the order of type name and address number."""

    def areas_in(self, domains: Collection[ItemKey]) -> set[ItemKey]:
        """The keys of the Areas inside these Domains, retired ones too."""

    def count_in(self, item_type: ItemType, where: Readable, state: str | None = None) -> dict[ItemKey, int]:
        """How many items of the type lie directly in each of these places; a place with none is left out."""

    def holds_any(self, place: ItemKey) -> bool:
        """Whether anything lies directly in the place: a live Area, a Decision or an Amendment in any state."""

    def next_keys(self, item_type: ItemType, count: int = 1) -> list[ItemKey]:
        """Give out the next address numbers of a type, rising. Never reused, never twice; gaps are possible."""

    def numbers_given(self) -> dict[str, int]:
        """The last address number given out, by item type."""

    def add(self, new: Iterable[Item]) -> None:
        """Write new items."""

    def add_texts(self, new: Iterable[tuple[ItemKey, Text]]) -> None:
        """Write the texts of new Decisions and Amendments, whose items were written before."""

    def add_place(self, key: ItemKey, name: str) -> None:
        """Write the name of a new Domain or Area, whose item was written before."""

    def rename_place(self, key: ItemKey, name: str) -> None:
        """Give the place another name; its rev stays."""

    def set_state(self, keys: Sequence[ItemKey], state: str, at: Instant, *, raise_rev: bool = True) -> None:
        """Move the items to a state: one more state change each, and a higher rev unless told otherwise."""

    def set_place(self, keys: Sequence[ItemKey], place: ItemKey, *, raise_rev: bool) -> None:
        """Put the items elsewhere. Their relations hear of it by `Relations.move_ends`."""

    def raise_rev(self, key: ItemKey) -> None:
        """Say that the item's own text or name was changed."""

    def set_text(self, key: ItemKey, *, title: str, body: str) -> None:
        """Replace the text of a Decision or an Amendment; its rev stays."""

    def set_ratified_by(self, keys: Sequence[ItemKey], principal: str) -> None:
        """Say who ratified last."""


class Relations(Protocol):
    """Relations of the kinds that have rows of their own, live and ended."""

    def get(self, relation_id: str) -> Relation | None:
        """The relation with this id."""

    def live(self, kind: KindName, *, source: ItemKey | None = None, target: ItemKey | None = None) -> list[Relation]:
        """The live relations of the kind from `source`, to `target`, or between the two, by (asserted_at, id)."""

    def list_relations(
        self,
        where: Readable,
        *,
        kind: str | None = None,
        touching: ItemKey | None = None,
        direction: Direction = "both",
        include_ended: bool = False,
        limit: int,
        offset: int,
    ) -> tuple[list[Relation], int]:
        """One page of those with both ends in the places `where`, by (asserted_at, id), and how many match in all.

        `touching` with `direction` asks for those that come into or go out of one item; a kind that reads both ways
        does both.
        """

    def add(self, new: Iterable[tuple[Relation, ItemKey, ItemKey]]) -> None:
        """Write new live relations, each with the place of its source and of its target.

        A second live relation of the same kind between the same two ends is a fault.
        """

    def end(self, relation_id: str, *, by: str, at: Instant, cause: str, reason: str | None) -> Relation:
        """End a live relation and give it as it is then; its rev rises, and it stays on record."""

    def move_ends(self, keys: Sequence[ItemKey], place: ItemKey) -> None:
        """Say in every relation of these items, live or ended, that they lie elsewhere now."""

    def existing(self, pairs: Collection[tuple[KindName, ItemKey, ItemKey]]) -> set[tuple[str, ItemKey, ItemKey]]:
        """Which of these (kind, source, target) are on record, live or ended."""


class Walks(Protocol):
    """Steps along live relations of every kind, those without rows of their own included."""

    def ring(
        self, kinds: Collection[KindName], direction: Direction, where: Readable
    ) -> Callable[[Sequence[ItemKey]], Iterator[Edge]]:
        """A callable that gives the edges out of some items, sorted by (to, origin, kind), as the walks ask for.

        Only edges to items in the places `where`; that it may leave the items it is given, it takes for granted.
        Edges are streamed: whoever stops early has not read the rest. Nothing is left out for having been seen before.
        """
