"""Amendments: each is a change to the text of one Decision, and lies where that Decision lies.

An Amendment does not raise the premise flag, and its one relation is never changed or withdrawn. Source:
docs/how-a-decision-moves.md.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from smeldr.model.records import Text
from smeldr.model.states import STANDING
from smeldr.operations import replies, writing
from smeldr.operations.asking import places_asked, position
from smeldr.operations.call import Call
from smeldr.operations.moving import make_move, rewrite, something_to_change
from smeldr.operations.parameters import (
    DEFAULT_PAGE,
    AmendmentRef,
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
)
from smeldr.operations.registry import operation
from smeldr.rules.moves import not_from


@operation(right="author over the Decision's place", changes=True)
def propose_amendment(
    call: Call, amends: DecisionRef, title: Title, body: Body, source: Source | None = None
) -> replies.AmendmentReply:
    """Propose a change to the text of a Decision that is proposed or ratified."""
    decision = call.find(amends, "Decision")
    call.require(decision, "author")
    if decision.state not in STANDING:
        raise not_from("Decision", decision.address, decision.state, "amending it")
    text = Text(title, body, source, call.principal.id, None, decision.key)
    item = writing.add_document(call, "Amendment", decision.path, text)
    writing.relate(call, "amends", item, decision)
    return replies.whole_amendment(call, item.key)


@operation(right="author over its place", changes=True)
def update_amendment(
    call: Call,
    amendment: AmendmentRef,
    rev: Rev,
    title: Annotated[Title | None, Field(description="The new title; unchanged when left out.")] = None,
    body: Annotated[Body | None, Field(description="The new text; unchanged when left out.")] = None,
) -> replies.AmendmentReply:
    """Change the title or the text of an Amendment that is still proposed."""
    something_to_change(title, body)
    item = call.find(amendment, "Amendment")
    rewrite(call, item, "update_amendment", rev, title, body)
    return replies.whole_amendment(call, item.key)


@operation(right="ratify over its place", changes=True)
def ratify_amendment(
    call: Call, amendment: AmendmentRef, reason: Reason | None = None, rev: Rev | None = None
) -> replies.MoveReply:
    """Put a proposed Amendment in force."""
    return make_move(call, call.find(amendment, "Amendment"), "ratify_amendment", rev, reason)


@operation(right="ratify over its place; author while it is proposed", changes=True, destructive=True)
def archive_amendment(call: Call, amendment: AmendmentRef, reason: Reason, rev: Rev | None = None) -> replies.MoveReply:
    """Put an Amendment away for good."""
    return make_move(call, call.find(amendment, "Amendment"), "archive_amendment", rev, reason)


@operation(right="read")
def get_amendment(call: Call, id: AmendmentRef) -> replies.AmendmentReply:
    """Read an Amendment: its text, its state, what it amends, and the moves that you may make with it now."""
    item = call.find(id, "Amendment")
    call.require(item, "read")
    return replies.whole_amendment(call, item.key)


@operation(right="read")
def list_amendments(
    call: Call,
    decision: Annotated[DecisionRef | None, Field(description="Only those of this Decision.")] = None,
    place: Annotated[PlaceRef | None, Field(description="Only in this place and inside it.")] = None,
    state: StateFilter | None = None,
    limit: Limit = DEFAULT_PAGE,
    offset: Offset = 0,
    after: Annotated[AmendmentRef | None, Field(description="The last one seen; the page starts behind it.")] = None,
) -> replies.AmendmentsReply:
    """List the Amendments that you may read, in the order of their addresses, without their texts."""
    amended = None
    if decision is not None:
        found = call.find(decision, "Decision")
        call.require(found, "read")
        amended = found.key
    where = places_asked(call, place)
    listed, total = call.unit.items.list_documents(
        "Amendment",
        where,
        state=state,
        amends=amended,
        after=position(call, after, "Amendment"),
        limit=limit,
        offset=offset,
    )
    listing = [replies.amendment(each) for each in listed]
    return {"amendments": listing, **replies.page(listing, total, limit, offset)}
