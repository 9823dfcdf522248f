"""Relations made by hand: recording one, ending one, putting another premise in the place of one, listing them.

Which pair a kind joins and whose right it takes is rules/relating.py. Source: docs/content-relations.md.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from smeldr.model.errors import conflict, not_found, rev_conflict, validation_failed
from smeldr.model.items import ItemKey
from smeldr.model.kinds import KINDS, MADE_BY_HAND, KindName
from smeldr.model.records import Item, Relation
from smeldr.operations import replies, writing
from smeldr.operations.call import Call, Check, refusal_or_none
from smeldr.operations.parameters import (
    DEFAULT_PAGE,
    DecisionRef,
    Direction,
    Id,
    ItemRef,
    Limit,
    Offset,
    Reason,
    Rev,
    TypeName,
)
from smeldr.operations.registry import operation
from smeldr.rules.relating import right_to_end, why_not_recorded

Kind = Annotated[KindName, Field(description="The kind of relation.")]


class Asserted(TypedDict):
    relation: replies.RelationReply
    created: bool


class Replaced(TypedDict):
    ended: replies.RelationReply
    relation: replies.RelationReply


class RelationsReply(replies.PageReply):
    relations: list[replies.RelationReply]


class KindReply(TypedDict):
    kind: str
    sources: list[str]
    targets: list[str]
    both_ways: bool
    raises_flag: bool
    counted: bool
    made_by: str


class KindsReply(replies.PageReply):
    kinds: list[KindReply]


@operation(right="author over the source's place (contradicts: of either side) and read over both", changes=True)
def assert_relation(
    call: Call,
    source_type: TypeName,
    source_id: ItemRef,
    relation_kind: Kind,
    target_type: TypeName,
    target_id: ItemRef,
) -> Asserted:
    """Record a relation between two Decisions: grounded_in, addresses or contradicts.

    A live one is recorded once: doing it again answers with `created: false` and changes nothing.
    """
    refusal_or_none(why_not_recorded(relation_kind, source_type, target_type))
    source, target = call.find(source_id, source_type), call.find(target_id, target_type)
    if source.key == target.key:
        raise validation_failed("target_id", f"{source.address} cannot be related to itself")
    for each in (source, target):
        call.require(each, "read")
    _require_author(call, relation_kind, source, target)
    relation, created = writing.relate(call, relation_kind, source, target)
    return {"relation": replies.relation(relation), "created": created}


@operation(
    right="author over the source's place (contradicts: of either side); ratify for a ground of a Decision in force",
    changes=True,
    destructive=True,
)
def withdraw_relation(call: Call, id: Id, rev: Rev, reason: Reason) -> replies.RelationReply:
    """End a relation that was made by hand; it stays on record with the reason."""
    relation = call.unit.relations.get(id)
    if relation is None or not call.may_read(relation.source, relation.target):
        raise not_found(f"relation {id}")
    ends = call.unit.items.get([relation.source, relation.target])
    source, target = ends[relation.source], ends[relation.target]
    call.checks += [Check(each.key, ("read",), f"relation {id}") for each in (source, target)]
    _require_to_end(call, relation, source, target)
    if relation.kind not in MADE_BY_HAND:
        raise conflict(f"a relation of the kind {relation.kind} is not withdrawn by hand")
    if not relation.live:
        raise conflict("the relation has ended already", state="ended", allowed=[])
    if rev != relation.rev:
        raise rev_conflict(f"the relation {relation.id}", relation.rev)
    return replies.relation(writing.end(call, relation, "withdrawn", reason))


@operation(right="as for withdrawing the ground, and read over all three", changes=True, destructive=True)
def replace_premise(
    call: Call,
    decision: DecisionRef,
    premise: Annotated[DecisionRef, Field(description="The Decision that it rests on and no longer should.")],
    by: Annotated[DecisionRef, Field(description="The Decision that it rests on from now on.")],
    reason: Reason,
) -> Replaced:
    """Let a Decision rest on another premise: one ground ends and another begins, in one act."""
    own, former, new = call.find_all([decision, premise, by], "Decision")
    if new.key in (own.key, former.key):
        raise validation_failed("by", "it has to be another Decision than the two")
    for each in (own, former, new):
        call.require(each, "read")
    call.require(own, right_to_end("grounded_in", own.state))
    live = call.unit.relations.live("grounded_in", source=own.key, target=former.key)
    if not live:
        raise conflict(f"{own.address} does not rest on {former.address}")
    ended = writing.end(call, live[0], "withdrawn", reason)
    relation, _ = writing.relate(call, "grounded_in", own, new)
    return {"ended": replies.relation(ended), "relation": replies.relation(relation)}


@operation(right="read over both ends")
def list_relations(
    call: Call,
    kind: Kind | None = None,
    type_name: TypeName | None = None,
    id: Annotated[ItemRef | None, Field(description="Only the relations of this item, by address or id.")] = None,
    direction: Direction = "both",
    include_ended: Annotated[bool, Field(description="Whether ended relations are listed too.")] = False,
    limit: Limit = DEFAULT_PAGE,
    offset: Offset = 0,
) -> RelationsReply:
    """List relations that are kept as such, oldest first; `type_name` and `id` together ask for those of one item.

    A page of more than 10 shows the first 300 characters of a reason; a shorter page shows all of it.
    """
    if (type_name is None) != (id is None):
        missing = "id" if id is None else "type_name"
        raise validation_failed(missing, "type_name and id go together")
    touching: ItemKey | None = None
    if type_name is not None and id is not None:
        item = call.find(id, type_name)
        call.require(item, "read")
        touching = item.key
    listed, total = call.unit.relations.list_relations(
        call.readable,
        kind=kind,
        touching=touching,
        direction=direction,
        include_ended=include_ended,
        limit=limit,
        offset=offset,
    )
    listing = [replies.listed(replies.relation(each), limit) for each in listed]
    return {"relations": listing, **replies.page(listing, total, limit, offset)}


@operation(right="any")
def list_relation_kinds(call: Call) -> KindsReply:
    """List the kinds of relations: what they join, how they read, and what follows from them."""
    kinds: list[KindReply] = [
        {
            "kind": each.name,
            "sources": sorted(each.sources),
            "targets": sorted(each.targets),
            "both_ways": each.both_ways,
            "raises_flag": each.raises_flag,
            "counted": each.counted,
            "made_by": each.made_by,
        }
        for each in KINDS.values()
    ]
    return {"kinds": kinds, **replies.page(kinds, len(kinds), len(KINDS), 0)}


def _require_author(call: Call, kind: KindName, source: Item, target: Item) -> None:
    author = [each for each in (source, target) if call.holds("author", each)]
    if KINDS[kind].both_ways and author:
        call.require(author[0], "author")
    else:
        call.require(source, "author")


def _require_to_end(call: Call, relation: Relation, source: Item, target: Item) -> None:
    right = right_to_end(relation.kind, source.state)
    if right == "author":
        _require_author(call, relation.kind, source, target)
    else:
        call.require(source, right)
