"""Decisions: proposing, rewriting, moving, replacing, putting elsewhere, reading and listing them.

Which state allows what is rules/moves.py; which conditions follow is conditions.py. Source:
docs/how-a-decision-moves.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from pydantic import BeforeValidator, Field

from smeldr.model.errors import conflict, validation_failed
from smeldr.model.items import ROOT
from smeldr.model.kinds import KindName
from smeldr.model.records import Item, Text
from smeldr.model.states import MOVES, STANDING
from smeldr.operations import replies, writing
from smeldr.operations.asking import distinct, places_asked, position, refuse_retired
from smeldr.operations.call import ROOT_PATH, Call, NamedPlace, check_rev, refusal_or_none
from smeldr.operations.moving import make_move, rewrite, something_to_change
from smeldr.operations.parameters import (
    DEFAULT_PAGE,
    Body,
    DecisionRef,
    Limit,
    Offset,
    PlaceRef,
    Reason,
    Rev,
    Source,
    StateFilter,
    Title,
    listed,
)
from smeldr.operations.registry import operation
from smeldr.rules.moves import MAX_SUCCESSORS, not_from, why_not

MAX_GROUNDS: Final = 200
"""Relations of one kind that a proposal may carry."""

Related = Annotated[list[DecisionRef], Field(max_length=MAX_GROUNDS)]
Successors = Annotated[list[DecisionRef], Field(min_length=1, max_length=MAX_SUCCESSORS)]
SuccessorRevs = Annotated[list[Rev | None], Field(min_length=1, max_length=MAX_SUCCESSORS)]


class MovedReply(replies.ItemReply):
    place: str
    rev: int


@operation(right="author over the place; read over what it rests on or addresses", changes=True)
def propose_decision(
    call: Call,
    title: Title,
    body: Body,
    place: Annotated[PlaceRef | None, Field(description="Where it belongs; ROOT when left out.")] = None,
    grounded_in: Annotated[Related | None, Field(description="The Decisions that it rests on.")] = None,
    addresses: Annotated[
        Related | None, Field(description="The Decisions that it is about without resting on them.")
    ] = None,
    source: Source | None = None,
) -> replies.DecisionReply:
    """Propose a Decision, with the relations that it carries, in one act.

    It is in force only once somebody who may ratify in its place has ratified it.
    """
    there = call.find_place(place) if place else NamedPlace(ROOT, ROOT_PATH, None)
    grounds = call.find_all(grounded_in or (), "Decision")
    subjects = call.find_all(addresses or (), "Decision")
    distinct("grounded_in", grounds)
    distinct("addresses", subjects)
    call.require_over(there.key, there.path, "author")
    for each in (*grounds, *subjects):
        call.require(each, "read")
    refuse_retired(there)
    item = writing.add_document(call, "Decision", there.path, Text(title, body, source, call.principal.id, None, None))
    related: tuple[tuple[KindName, Sequence[Item]], ...] = (("grounded_in", grounds), ("addresses", subjects))
    for kind, targets in related:
        for target in targets:
            writing.relate(call, kind, item, target)
    return replies.whole_decision(call, item.key)


@operation(right="author over its place", changes=True)
def update_decision(
    call: Call,
    decision: DecisionRef,
    rev: Rev,
    title: Annotated[Title | None, Field(description="The new title; unchanged when left out.")] = None,
    body: Annotated[Body | None, Field(description="The new text; unchanged when left out.")] = None,
) -> replies.DecisionReply:
    """Change the title or the text of a Decision that is still proposed.

    Once it has left `proposed` its text is locked for everyone: an Amendment or a new Decision says what changed.
    """
    something_to_change(title, body)
    item = call.find(decision, "Decision")
    rewrite(call, item, "update_decision", rev, title, body)
    return replies.whole_decision(call, item.key)


@operation(right="ratify over its place", changes=True)
def ratify_decision(
    call: Call, decision: DecisionRef, reason: Reason | None = None, rev: Rev | None = None
) -> replies.MoveReply:
    """Put a proposed Decision in force."""
    return make_move(call, call.find(decision, "Decision"), "ratify_decision", rev, reason)


@operation(right="ratify over its place", changes=True, destructive=True)
def retire_decision(call: Call, decision: DecisionRef, reason: Reason, rev: Rev | None = None) -> replies.MoveReply:
    """Take a Decision out of force without putting another in its place.

    Every Decision in force that rests on it directly is flagged.
    """
    return make_move(call, call.find(decision, "Decision"), "retire_decision", rev, reason)


@operation(right="ratify over its place", changes=True)
def reinstate_decision(call: Call, decision: DecisionRef, reason: Reason, rev: Rev | None = None) -> replies.MoveReply:
    """Put a superseded or retired Decision back in force; what had superseded it no longer does."""
    item = call.find(decision, "Decision")
    reply = make_move(call, item, "reinstate_decision", rev, reason)
    for relation in call.unit.relations.live("supersedes", target=item.key):
        writing.end(call, relation, "reinstated", reason)
    return reply


@operation(right="ratify over its place; author is enough while it is proposed", changes=True, destructive=True)
def archive_decision(call: Call, decision: DecisionRef, reason: Reason, rev: Rev | None = None) -> replies.MoveReply:
    """Put a Decision that is not in force away for good."""
    return make_move(call, call.find(decision, "Decision"), "archive_decision", rev, reason)


@operation(right="ratify over its place, and over that of each proposed successor", changes=True, destructive=True)
def supersede_decision(
    call: Call,
    decision: DecisionRef,
    by: Annotated[
        Successors,
        BeforeValidator(listed, json_schema_input_type=DecisionRef | Successors),
        Field(description="What takes its place: one Decision, or a list of 1 to 50."),
    ],
    reason: Reason | None = None,
    rev: Rev | None = None,
    by_rev: Annotated[
        SuccessorRevs | None,
        BeforeValidator(listed, json_schema_input_type=Rev | SuccessorRevs | None),
        Field(description="The rev of the successor that you have read; for a list, one for each in its order."),
    ] = None,
) -> replies.MoveReply:
    """Replace a Decision in force by one or more others.

    A successor that is still proposed is ratified in the same act. Every Decision in force that rests directly on
    the replaced one is flagged.
    """
    revs = by_rev or [None] * len(by)
    if len(revs) != len(by):
        raise validation_failed("by_rev", f"{len(revs)} revs for {len(by)} successors")
    item = call.find(decision, "Decision")
    successors = call.find_all(by, "Decision")
    distinct("by", successors)
    if item.key in {each.key for each in successors}:
        raise validation_failed("by", f"{item.address} cannot take its own place")
    call.require(item, "ratify")
    for each in successors:
        call.require(each, *(("ratify",) if each.state == "proposed" else ("read", "ratify")))
    refusal_or_none(why_not(MOVES["supersede_decision"], "Decision", item.address, item.state))
    for each in successors:
        if each.state not in STANDING:
            raise not_from("Decision", each.address, each.state, "taking another's place")
    check_rev(item, rev)
    for each, its_rev in zip(successors, revs, strict=True):
        check_rev(each, its_rev)
    for each in successors:
        if each.state == "proposed":
            writing.move(call, each, "ratified", reason=reason)
        writing.relate(call, "supersedes", each, item)
    writing.move(call, item, "superseded", reason=reason)
    return replies.move_reply(call, item.key)


@operation(right="read")
def get_decision(call: Call, id: DecisionRef) -> replies.DecisionReply:
    """Read a Decision: its text, its state, and the moves that you may make with it now."""
    item = call.find(id, "Decision")
    call.require(item, "read")
    return replies.whole_decision(call, item.key)


@operation(right="read")
def list_decisions(
    call: Call,
    place: Annotated[PlaceRef | None, Field(description="Only in this place and inside it.")] = None,
    state: StateFilter | None = None,
    limit: Limit = DEFAULT_PAGE,
    offset: Offset = 0,
    after: Annotated[DecisionRef | None, Field(description="The last one seen; the page starts behind it.")] = None,
) -> replies.DecisionsReply:
    """List the Decisions that you may read, in the order of their addresses, without their texts."""
    where = places_asked(call, place)
    beyond = position(call, after, "Decision")
    listed, total = call.unit.items.list_documents(
        "Decision", where, state=state, after=beyond, limit=limit, offset=offset
    )
    listing = [replies.document(each) for each in listed]
    return {"decisions": listing, **replies.page(listing, total, limit, offset)}


@operation(right="author or administer over both places", changes=True)
def move_item(
    call: Call,
    type: Annotated[Literal["Decision"], Field(description="What is moved; an Amendment goes with its Decision.")],
    id: DecisionRef,
    place: PlaceRef,
    reason: Reason,
) -> MovedReply:
    """Put a Decision, with its Amendments and its conditions, in another place."""
    item = call.find(id, type)
    there = call.find_place(place)
    call.require(item, "author", "administer")
    call.require_over(there.key, there.path, "author", "administer")
    refuse_retired(there)
    if item.place == there.key:
        raise conflict(f"{item.address} is in {there.address} already")
    writing.put_in_place(call, item, call.unit.items.amendments_of(item.key), there.key, reason)
    moved = call.unit.items.get([item.key])[item.key]
    return {**replies.item_reply(moved), "place": there.address, "rev": moved.rev}
