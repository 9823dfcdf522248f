"""One call: who makes it, when, in which transaction, what they hold, and what it changes.

Every operation gets one. It finds items the way a caller may know of them, insists on rights in the order that
refusals have, and collects what the history and the conditions have to hear about. It decides no rule.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from smeldr.model.entries import Act, Entry
from smeldr.model.errors import Refusal, forbidden, not_found, rev_conflict
from smeldr.model.instants import Instant
from smeldr.model.items import ROOT, ItemKey, Reference, address_of, type_of
from smeldr.model.records import Item, Principal
from smeldr.model.rights import Right
from smeldr.rules.access import Access, Path
from smeldr.store.contract import Store, Unit

REQUEST_KEY_HOURS: Final = 24
"""How long a request key stands for its first success."""

ROOT_PATH: Final[Path] = (ROOT,)


@dataclass(frozen=True, slots=True)
class Policy:
    """What whoever runs the register has settled."""

    allow_agent_ratify: bool = False


@dataclass(frozen=True, slots=True)
class Check:
    """That the caller knows of an item and, when rights are named, holds one of them over it.

    `what` is what there is not, for somebody to whom that does not apply: the item in the words of the call, which may
    be another thing that is known through it only.
    """

    key: ItemKey
    rights: tuple[Right, ...] = ()
    what: str = ""


@dataclass
class Changes:
    """What a call has changed so far: its history entries, and what the conditions must be judged anew for."""

    entries: list[Entry] = field(default_factory=list)
    decisions: set[ItemKey] = field(default_factory=set)
    relations: set[str] = field(default_factory=set)
    confirmed: dict[tuple[ItemKey, ItemKey], str] = field(default_factory=dict)


@dataclass
class Call:
    """The first argument of every operation."""

    unit: Unit
    principal: Principal
    access: Access
    now: Instant
    policy: Policy
    tool: str | None
    store: Store
    clock: Callable[[], Instant]
    checks: list[Check] = field(default_factory=list)
    changes: Changes = field(default_factory=Changes)

    def find(self, reference: Reference, *types: str) -> Item:
        """The item that the reference names, of one of the types. Raises `not_found` when absent or hidden."""
        return self.find_all([reference], *types)[0]

    def find_all(self, references: Sequence[Reference], *types: str) -> list[Item]:
        """The items that the references name, in their order; the first that is absent or hidden is `not_found`."""
        found = self.unit.items.find(references)
        answers: list[Item] = []
        for reference in references:
            item = found.get(reference)
            what = f"{' or '.join(types)} {reference.text}"
            if item is None or item.type not in types or not self.sees(item):
                raise not_found(what)
            self.checks.append(Check(item.key, what=what))
            answers.append(item)
        return answers

    def find_place(self, reference: Reference) -> NamedPlace:
        """The place that the reference names; ROOT is there for everybody. Raises `not_found`."""
        if reference.key == ROOT:
            return NamedPlace(ROOT, ROOT_PATH, None)
        item = self.find(reference, "Area", "Domain")
        return NamedPlace(item.key, item.judged_over, item)

    def sees(self, item: Item) -> bool:
        """Whether the item exists for the caller: some right over its place; for a place also one inside it."""
        if self.access.holds_any(item.judged_over):
            return True
        return item.type == "Domain" and item.key in self._domains_entered

    @cached_property
    def _domains_entered(self) -> frozenset[ItemKey]:
        """The Domains inside which the caller holds a right over some Area."""
        areas = [place for place in self.access.granted() if place != ROOT and type_of(place) == "Area"]
        return frozenset(item.place for item in self.unit.items.get(areas).values())

    def holds(self, right: Right, item: Item) -> bool:
        """Whether the caller holds the right over the item's place (over itself, when it is one)."""
        return self.access.holds(right, item.judged_over)

    def require(self, item: Item, *rights: Right) -> None:
        """Insist on one of the rights over the item's place. Raises `forbidden`."""
        self.require_over(item.key, item.judged_over, *rights, doing=item.address)

    def require_over(self, key: ItemKey, path: Path, *rights: Right, doing: str | None = None) -> None:
        """Insist on one of the rights over the place that the path starts with. Raises `forbidden`."""
        if not any(self.access.holds(right, path) for right in rights):
            over = f"the place of {doing}" if doing and path[0] != key else address_of(path[0])
            raise forbidden(f"this takes the right to {' or '.join(rights)} over {over}")
        self.checks.append(Check(key, rights))

    def require_root(self) -> None:
        """Insist on `administer` over ROOT. Raises `forbidden`."""
        self.require_over(ROOT, ROOT_PATH, "administer")

    @cached_property
    def readable(self) -> Collection[ItemKey] | None:
        """The places that the caller may read; None for all of them."""
        return self.places_with("read")

    def places_with(self, right: Right) -> Collection[ItemKey] | None:
        """The places over which the caller holds the right; None for all of them."""
        if self.access.everywhere(right):
            return None
        granted = self.access.granted(right)
        domains = [place for place in granted if type_of(place) == "Domain"]
        return granted | self.unit.items.areas_in(domains) if domains else granted

    def may_read(self, *keys: ItemKey) -> bool:
        """Whether the caller may read all of these items."""
        items = self.unit.items.get(keys)
        return all(key in items and self.holds("read", items[key]) for key in keys)

    def record(self, entry: Entry) -> None:
        """Have the history say this."""
        self.changes.entries.append(entry)

    @cached_property
    def act(self) -> Act:
        """This call, as the history names it."""
        return Act(self.unit.new_id(), self.now, self.principal.id, self.principal.principal_class, self.tool)

    def flush(self) -> None:
        """Append what was recorded so far to the history."""
        self.unit.history.append(self.act, self.changes.entries)
        self.changes.entries.clear()

    def in_unit(self, unit: Unit) -> Call:
        """The same caller in a transaction of its own, at the time when that holds its lock."""
        return Call(
            unit, self.principal, self.access, moment(unit, self.clock), self.policy, self.tool, self.store, self.clock
        )


def moment(unit: Unit, clock: Callable[[], Instant]) -> Instant:
    """Now, but never before the latest entry of the history.

    The clock is read first: when this is the first read of a snapshot, the snapshot holds all that was kept by then.
    """
    return max(clock(), unit.history.latest() or Instant(""))


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """A place that a call names: ROOT has no item."""

    key: ItemKey
    path: Path
    item: Item | None

    @property
    def address(self) -> str:
        return address_of(self.key)


def check_rev(item: Item, rev: int | None) -> None:
    """Refuse a stale rev, with the current one."""
    if rev is not None and rev != item.rev:
        raise rev_conflict(item.address, item.rev)


def check_again(call: Call, checks: Sequence[Check]) -> None:
    """Judge the rights of a former call anew. Raises the refusal that it would meet now."""
    items = call.unit.items.get({check.key for check in checks if check.key != ROOT})
    for check in checks:
        item = items.get(check.key)
        if check.key != ROOT and (item is None or not call.sees(item)):
            raise not_found(check.what or "item any more that this request_key stands for")
        path = item.judged_over if item else ROOT_PATH
        if check.rights and not any(call.access.holds(right, path) for right in check.rights):
            if check.what:
                raise not_found(check.what)
            raise forbidden(f"this takes the right to {' or '.join(check.rights)}")


def refusal_or_none(refusal: Refusal | None) -> None:
    """Raise what a rule answered, if it refused."""
    if refusal is not None:
        raise refusal


def without_nothing(**values: Any) -> dict[str, Any]:
    """The values that are there: optional keys of a reply are absent rather than null."""
    return {name: value for name, value in values.items() if value is not None}
