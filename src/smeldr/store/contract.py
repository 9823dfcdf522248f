"""What a store promises to whoever uses it: what each method gives and in which order, and what it does not promise.

Operations know this file and none of the others here. `Store` opens transactions; a `Unit` is one of them, and its
parts read and write one kind of thing each. What holds for all of them:

- A read sees one snapshot, and in a write also what that write has done so far.
- Where no order is named there is none.
- Keys that name nothing are left out of answers. Writing to what is not there is a fault, not a refusal.
- `busy` means that nothing was written. A fault inside a write undoes all of it.
- A method judges no right, no state and no rev, and writes no history of its own accord.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Final, Protocol

from smeldr.model.entries import Act, Entry
from smeldr.model.errors import Refusal
from smeldr.model.instants import Instant
from smeldr.model.items import ItemKey, ItemType, Reference
from smeldr.model.kinds import Direction, KindName, OneWay
from smeldr.model.records import (
    Connections,
    Count,
    Document,
    Edge,
    Grant,
    Item,
    Judged,
    Place,
    Principal,
    Relation,
    Signal,
    SweepRun,
    Text,
    Token,
    UsedKey,
)
from smeldr.model.rights import PrincipalClass, Right

Readable = Collection[ItemKey] | None
"""The places that an answer is confined to; None for every place."""


class StoreUnusable(Exception):
    """The store cannot be opened or is not one of ours; the message is one line for whoever runs the server."""


class Interrupted(Refusal):
    """`busy`, because the database let go of the transaction: the same again, in a new one, may succeed at once."""


class Store(Protocol):
    """A register's database. Safe to use from many threads, and from many processes at once."""

    def read(self) -> AbstractContextManager[Unit]:
        """One snapshot; nothing that is written to it is kept. Raises Refusal `busy`, Interrupted among them."""

    def write(self) -> AbstractContextManager[Unit]:
        """One write, which comes after every one that ended before it began: kept when the block ends well, or undone.

        Raises:
            Refusal: `busy` when its turn does not come in time, and Interrupted when the database lets go of it;
                `internal` when the commit itself failed, for then nobody knows whether it was kept.
        """

    def sweeping(self) -> AbstractContextManager[bool]:
        """Hold the one sweep of this register, across processes; gives False at once when somebody else holds it.

        A holder that is killed lets go.
        """

    def give_way(self) -> None:
        """Let those write who wait for their turn: for whoever writes many times in a row, between one and the next."""

    def check(self) -> None:
        """Raises StoreUnusable unless the database is at the newest revision and has its register."""

    def migrate(self) -> None:
        """Bring the database to the newest revision; one that is there stays as it is.

        Raises:
            StoreUnusable: the database is no register, cannot be written, or is newer than this version.
        """

    def connections(self) -> Connections:
        """How many connections this process holds at this moment. Waits for nobody and asks the database nothing."""

    def close(self) -> None:
        """Let go of the database; a later call opens it again."""


class Unit(Protocol):
    """One transaction. Not for two threads at once."""

    @property
    def items(self) -> Items: ...
    @property
    def relations(self) -> Relations: ...
    @property
    def walks(self) -> Walks: ...
    @property
    def conditions(self) -> Conditions: ...
    @property
    def access(self) -> AccessRows: ...
    @property
    def counts(self) -> Counts: ...
    @property
    def history(self) -> History: ...
    @property
    def keys(self) -> RequestKeys: ...
    @property
    def integrity(self) -> Integrity: ...

    def new_id(self) -> str:
        """A new UUID, version 7: later ones sort later, by the millisecond."""

    def is_register(self) -> bool:
        """Whether a register was made in this database."""

    def found_register(self, at: Instant) -> None:
        """Make this database a register: give it an id, and start the address numbers of every type at 1."""


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


class Conditions(Protocol):
    """Signals, confirmations, and the relations that conditions hang on."""

    def touching(self, decisions: Collection[ItemKey], named: Collection[str]) -> list[Judged]:
        """The live relations that conditions hang on and that touch one of the Decisions, and the named ones, live or
        ended; each once."""

    def all_live(self) -> Iterator[Judged]:
        """Every live relation that conditions hang on, streamed."""

    def all_open(self) -> Iterator[Signal]:
        """Every open Signal, streamed."""

    def open_signals(self, *, about: Collection[ItemKey], other: Collection[ItemKey] = ()) -> list[Signal]:
        """The open Signals about one of the first Decisions or with one of the second on the other side."""

    def count_open(self) -> dict[str, int]:
        """How many Signals are open, by condition; a condition that has none is left out."""

    def signals(self, keys: Collection[ItemKey]) -> dict[ItemKey, Signal]:
        """The Signals with these keys, open or closed. Their `item.path` names the place alone and ROOT."""

    def signals_about(self, decisions: Collection[ItemKey]) -> list[ItemKey]:
        """The keys of every Signal, open or closed, about these Decisions."""

    def list_signals(
        self,
        where: Readable,
        *,
        condition: str | None = None,
        state: str | None = None,
        about: ItemKey | None = None,
        after: ItemKey | None = None,
        limit: int,
        offset: int,
    ) -> tuple[list[Signal], int]:
        """One page in the order of address numbers, which is oldest first, and how many match in all."""

    def open(self, new: Iterable[Signal]) -> None:
        """Write the part of new Signals that is theirs alone; their items were written before."""

    def close(self, closed: Iterable[tuple[ItemKey, str, str | None]]) -> None:
        """Give each Signal its resolution and, where somebody confirmed it, who did; its item's state is set apart."""

    def confirm(self, decision: ItemKey, premise: ItemKey, state_changes: int) -> None:
        """Let a confirmation of the pair stand while the premise has changed its state this many times."""


class AccessRows(Protocol):
    """Principals, tokens and grants. What a grant gives is rules/access.py."""

    def bearer(self, token_hash: str, now: Instant) -> tuple[Principal, Token] | None:
        """Who carries the token, if it counts now: not revoked, not expired at this instant, its principal active."""

    def rights(self, principal: str, now: Instant) -> list[tuple[Right, ItemKey]]:
        """The (right, place) of every grant of the principal that counts now: not revoked, not expired."""

    def grants_of(self, principal: str, now: Instant) -> list[Grant]:
        """Every grant of the principal that counts now, by (granted_at, id)."""

    def principal(self, principal_id: str) -> Principal | None:
        """The principal with this id."""

    def list_principals(self, *, limit: int, offset: int) -> tuple[list[Principal], int]:
        """One page by (created_at, id), and how many in all."""

    def add_principal(self, new: Principal) -> None:
        """Write a new principal."""

    def deactivate(self, principal_id: str) -> None:
        """Make every token of the principal fail from now on."""

    def token(self, token_id: str) -> Token | None:
        """The token with this id."""

    def list_tokens(self, principal_id: str, *, limit: int, offset: int) -> tuple[list[Token], int]:
        """One page of a principal's tokens by (created_at, id), and how many in all."""

    def add_token(self, new: Token, token_hash: str) -> None:
        """Write a new token; only its hash is kept."""

    def revoke_token(self, token_id: str, at: Instant) -> None:
        """Make the token fail from now on."""

    def grant(self, grant_id: str) -> Grant | None:
        """The grant with this id."""

    def list_grants(
        self, now: Instant, places: Readable, *, principal: str | None = None, limit: int, offset: int
    ) -> tuple[list[Grant], int]:
        """One page of the grants over these places that count now, by (granted_at, id), and how many in all."""

    def same_grant(self, principal: str, right: Right, place: ItemKey, expires_at: Instant | None) -> Grant | None:
        """The oldest grant of exactly this that has not been revoked."""

    def add_grant(self, new: Grant) -> None:
        """Write a new grant."""

    def revoke_grant(self, grant_id: str, at: Instant) -> None:
        """Let the grant count no longer."""

    def administrator_remains(self, root: ItemKey, classes: Collection[PrincipalClass]) -> bool:
        """Whether an active principal of these classes holds a lasting `administer` over ROOT and a lasting token."""


class Counts(Protocol):
    """Stored counts, in generations, and the runs of the sweep.

    A generation is written bit by bit. Nobody reads it before the run that made it is on record with its number: the
    current generation is the highest that a run has. One that was begun before the newest never becomes current.
    """

    def counted_items(self) -> Iterator[tuple[ItemKey, ItemKey, str]]:
        """(key, place, state) of every Decision and Amendment, in the order of keys, streamed."""

    def counted_edges(self) -> Iterator[tuple[ItemKey, ItemKey]]:
        """(source, target) of every live relation that the counts follow, streamed."""

    def next_generation(self) -> int:
        """Begin a generation: a number above all that were begun before."""

    def newest_generation(self) -> int:
        """The generation that was begun last; 0 before the first."""

    def outdated(self) -> list[int]:
        """The generations, rising, that have stored counts and are neither the current one nor the newest."""

    def add(self, generation: int, rows: Iterable[tuple[ItemKey, OneWay, ItemKey, Count]]) -> None:
        """Write counts (item, direction, place, count) of a generation, beside those that it has already."""

    def remove(self, generation: int, after: ItemKey | None, limit: int) -> ItemKey | None:
        """Remove so many counts of a generation, and what more their last item has, in the order of items.

        Begins behind the item `after`, or with the first. Gives that last item, to go on behind it; None at the end.
        """

    def stored(
        self, generation: int, keys: Collection[ItemKey], where: Readable
    ) -> dict[tuple[ItemKey, str], list[Count]]:
        """The counts that a generation has of these items over the places `where`, by (item, direction)."""

    def open_among(self, keys: Collection[ItemKey], open_states: Collection[str]) -> int:
        """How many of these items are in one of the states."""

    def put_run(self, run: SweepRun) -> None:
        """Write the record of a run, in place of what stood there about it."""

    def last_run(self, *, counted: bool = False) -> SweepRun | None:
        """The run that finished last; with `counted`, the one whose generation of counts is the current one."""

    def forget_runs(self, keep: int) -> None:
        """Remove the records of runs, save so many that finished last and the one with the current counts."""


class History(Protocol):
    """What was done, chained by hash, with what people wrote kept apart."""

    def latest(self) -> Instant | None:
        """When the last entry was made."""

    def append(self, act: Act, entries: Sequence[Entry]) -> None:
        """Append the entries of one act, in their order, after the last one there is, without a gap in `seq`."""


class RequestKeys(Protocol):
    """What a call answered when it first succeeded."""

    def get(self, principal: str, key: str) -> UsedKey | None:
        """What this principal did under this key, however long ago, unless it was forgotten."""

    def put(self, used: UsedKey) -> None:
        """Remember this success, in place of an older one under the same key."""

    def forget_before(self, instant: Instant, limit: int) -> int:
        """Forget up to so many that are older than this, the oldest first; gives how many they were."""


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
