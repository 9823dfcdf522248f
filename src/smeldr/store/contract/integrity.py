"""Looking at a register that may be damaged in any way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Final, Protocol

from smeldr.model.items import ItemKey, ItemType

ASKED: Final[Mapping[str, tuple[str, ...]]] = {
    "condition-misplaced": ("key", "place", "about", "there"),
    "condition-doubled": ("key", "condition", "about", "other"),
    "condition-half-closed": ("key", "state", "resolution"),
    "condition-without-relation": ("key", "about", "other", "relation"),
    "relation-end-missing": ("id", "kind", "source", "target", "missing"),
    "relation-undeclared": ("id", "kind", "source", "target"),
    "relation-end-misplaced": ("id", "end", "key", "place", "stored"),
    "relation-doubled": ("id", "kind", "source", "target"),
    "relation-turned": ("id", "kind", "source", "target"),
    "relation-to-itself": ("id", "kind", "source"),
    "relation-supersedes-standing": ("id", "source", "target", "state"),
    "item-state-unknown": ("key", "state"),
    "item-place-missing": ("key", "place"),
    "item-place-retired": ("key", "place"),
    "place-nested": ("key", "place"),
    "item-incomplete": ("key", "part"),
    "amendment-unattached": ("key", "amends"),
    "amendment-misplaced": ("key", "place", "amends", "there"),
    "ratified-by-missing": ("key", "state"),
    "counter-behind": ("name", "counter", "highest"),
    "history-disagrees": ("type", "id", "key", "field", "stands", "told"),
    "grant-orphaned": ("id", "principal", "right", "place"),
    "token-orphaned": ("id", "principal"),
    "count-orphaned": ("key", "direction", "place"),
    "confirmation-orphaned": ("decision", "premise"),
    "request-key-old": ("principal", "at"),
    "foreign-key-broken": ("table", "column", "row", "named"),
}
"""What `Integrity.rows` can be asked, by the codes of model/findings.py, and what an answer says. A number is a key."""


REMOVABLE: Final = ("count-orphaned", "confirmation-orphaned")
"""Those whose rows are derived, so that `Integrity.remove` may take them away."""


class Integrity(Protocol):
    """Rows that should not be there, in a register that may be damaged in any way."""

    def apart(self) -> AbstractContextManager[None]:
        """Do something whose failure leaves the rest of the transaction as it was, and usable.

        Raises Interrupted when there is no transaction any more.
        """

    def sizes(self) -> tuple[int, int, int]:
        """How many items there are, how many relations, live and ended, and how many entries of the history."""

    def rows(self, code: str, **given: str) -> Iterator[Mapping[str, ItemKey | str | None]]:
        """The rows that a code of `ASKED` is about, each by what it says, in an order that stays; streamed.

        `request-key-old` is given `before`, an instant.
        """

    def chain(self) -> Iterator[tuple[str, int, str]]:
        """Recompute the history: (code, seq, what is wrong) for every entry that is not as it was written, streamed."""

    def raise_counter(self, item_type: ItemType, number: int) -> None:
        """Let the addresses of a type count on from this number."""

    def remove(self, code: str) -> int:
        """Remove the rows of a code of `REMOVABLE`, and say how many."""
