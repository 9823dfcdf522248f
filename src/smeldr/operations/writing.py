"""Making and moving items and relations: the row, the history entry and what the conditions must hear, together.

Whether it may be done has been judged before; what follows from it is conditions.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from smeldr.model.instants import Instant
from smeldr.model.items import ItemKey, ItemType
from smeldr.model.kinds import KindName
from smeldr.model.records import Item, Relation, Text
from smeldr.model.states import in_force
from smeldr.operations import entries
from smeldr.operations.call import Call, Check
from smeldr.rules.access import Path
from smeldr.rules.relating import in_order


def add_document(call: Call, item_type: ItemType, path: Path, text: Text) -> Item:
    """Write a new proposed Decision or Amendment."""
    item = new_item(call, item_type, path, "proposed")
    call.checks.append(Check(item.key, ("read",)))
    call.unit.items.add([item])
    call.unit.items.add_texts([(item.key, text)])
    call.record(entries.made(item, text))
    return item


def add_place(call: Call, item_type: ItemType, path: Path, name: str) -> Item:
    """Write a new Domain or Area."""
    item = new_item(call, item_type, path, "live")
    call.checks.append(Check(item.key))
    call.unit.items.add([item])
    call.unit.items.add_place(item.key, name)
    call.record(entries.made(item, name=name))
    return item


def new_item(
    call: Call,
    item_type: ItemType,
    path: Path,
    state: str,
    *,
    key: ItemKey | None = None,
    created_at: Instant | None = None,
) -> Item:
    """A new item of the type, not yet written; with the next key, and made now, unless told otherwise."""
    key = key if key is not None else call.unit.items.next_keys(item_type)[0]
    at = created_at or call.now
    return Item(key, call.unit.new_id(), path, state, 1, 0, at, at)


def new_relation(call: Call, kind: KindName, source: ItemKey, target: ItemKey) -> Relation:
    """A new live relation, not yet written."""
    return Relation(call.unit.new_id(), kind, source, target, 1, call.principal.id, call.now)


def move(call: Call, item: Item, to: str, *, reason: str | None = None) -> None:
    """Move a Decision or an Amendment to another state."""
    call.unit.items.set_state([item.key], to, call.now)
    ratified_by = call.principal.id if in_force(to) else None
    if ratified_by:
        call.unit.items.set_ratified_by([item.key], ratified_by)
    call.record(entries.moved(item, to, reason=reason, ratified_by=ratified_by))
    if item.type == "Decision":
        call.changes.decisions.add(item.key)


def relate(call: Call, kind: KindName, source: Item, target: Item) -> tuple[Relation, bool]:
    """Record a relation, or find the live one that says the same; and whether it was made."""
    one, other = in_order(kind, source.key, target.key)
    ends = {source.key: source, target.key: target}
    if live := call.unit.relations.live(kind, source=one, target=other):
        return live[0], False
    relation = new_relation(call, kind, one, other)
    call.unit.relations.add([(relation, ends[one].place, ends[other].place)])
    call.record(entries.related(relation))
    call.changes.relations.add(relation.id)
    return relation, True


def end(call: Call, relation: Relation, cause: str, reason: str | None) -> Relation:
    """End a live relation."""
    ended = call.unit.relations.end(relation.id, by=call.principal.id, at=call.now, cause=cause, reason=reason)
    call.record(entries.unrelated(ended))
    call.changes.relations.add(relation.id)
    return ended


def put_in_place(call: Call, item: Item, dependants: Sequence[Item], place: ItemKey, reason: str) -> None:
    """Move a Decision and its Amendments; its Signals and every relation row that names its place go with it."""
    moving = [item.key, *(each.key for each in dependants)]
    call.unit.items.set_place(moving, place, raise_rev=True)
    call.unit.relations.move_ends(moving, place)
    for each in (item, *dependants):
        call.record(entries.placed(each, place, reason=reason))
    about = call.unit.conditions.signals_about([item.key])
    call.unit.items.set_place(about, place, raise_rev=False)
