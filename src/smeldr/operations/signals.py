"""Conditions as people and agents see them, and confirming that a Decision still holds.

Opening and closing is conditions.py's alone; a confirmation only says what it covers. Source:
docs/rules/premise-flag.md and docs/rules/contradiction.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from smeldr.model.errors import conflict, forbidden, validation_failed
from smeldr.model.items import Reference, address_of
from smeldr.model.records import Item, Signal
from smeldr.operations import replies
from smeldr.operations.asking import distinct, places_asked, position
from smeldr.operations.call import Call, check_rev
from smeldr.operations.parameters import DEFAULT_PAGE, DecisionRef, Limit, Offset, PlaceRef, Reason, Rev, SignalRef
from smeldr.operations.registry import operation
from smeldr.rules.premise_flag import CONDITION, MAX_CONFIRMED_AT_ONCE


class SignalReply(replies.SignalEntry):
    premise: NotRequired[str]
    other: NotRequired[str]
    relation: NotRequired[str]
    confirmed_by: NotRequired[str]


class SignalsReply(replies.PageReply):
    signals: list[replies.SignalEntry]


class ConfirmedReply(TypedDict):
    closed: list[str]


@operation(right="read")
def list_signals(
    call: Call,
    receiver: Annotated[Literal["ratify"] | None, Field(description="The right that it is addressed to.")] = None,
    type: Annotated[
        Literal["premise-flagged", "conflict-detected"] | None, Field(description="Only this condition.")
    ] = None,
    state: Annotated[Literal["open", "closed", "all"], Field(description="Open ones, closed ones, or all.")] = "open",
    about: Annotated[DecisionRef | None, Field(description="Only those about this Decision.")] = None,
    place: Annotated[PlaceRef | None, Field(description="Only in this place and inside it.")] = None,
    limit: Limit = DEFAULT_PAGE,
    offset: Offset = 0,
    after: Annotated[SignalRef | None, Field(description="The last one seen; the page starts behind it.")] = None,
) -> SignalsReply:
    """List the conditions about Decisions that you may read, oldest first.

    Somebody who may ratify in the places asked for but reads none of them is refused rather than shown nothing.
    A page of more than 10 shows the first 300 characters of a resolution; get_signal shows all of it.
    """
    subject = call.find(about, "Decision") if about else None
    where = places_asked(call, place)
    if subject is not None:
        call.require(subject, "read")
    elif where is not None and not where and places_asked(call, place, "ratify") != frozenset():
        raise forbidden("this takes the right to read in one of the places asked for")
    listed, total = call.unit.conditions.list_signals(
        where,
        condition=type,
        state=None if state == "all" else state,
        about=subject.key if subject else None,
        after=position(call, after, "Signal"),
        limit=limit,
        offset=offset,
    )
    listing = [replies.listed(replies.signal(each), limit) for each in listed]
    return {"signals": listing, **replies.page(listing, total, limit, offset)}


@operation(right="read")
def get_signal(call: Call, id: SignalRef) -> SignalReply:
    """Read a condition: what it says, and why it closed.

    The other Decision, the relation and who confirmed it are named only to those who may read all that they name.
    """
    item = call.find(id, "Signal")
    call.require(item, "read")
    each = call.unit.conditions.signals([item.key])[item.key]
    found: dict[str, Any] = dict(replies.signal(each))
    if call.may_read(each.about, each.other):
        found["premise" if each.condition == CONDITION else "other"] = address_of(each.other)
        found["relation"] = each.relation
        if each.confirmed_by:
            found["confirmed_by"] = each.confirmed_by
    return found  # type: ignore[return-value]


@operation(right="ratify over the Decision's place; the pair form also takes read over both", changes=True)
def confirm_premise(
    call: Call,
    reason: Reason,
    decision: Annotated[DecisionRef | None, Field(description="The flagged Decision; goes with premise.")] = None,
    premise: Annotated[DecisionRef | None, Field(description="The premise that is not in force.")] = None,
    condition: Annotated[SignalRef | None, Field(description="The condition, in place of the pair.")] = None,
    conditions: Annotated[
        list[SignalRef] | None,
        Field(min_length=1, max_length=MAX_CONFIRMED_AT_ONCE, description="Several conditions, all or none."),
    ] = None,
    rev: Annotated[Rev | None, Field(description="The rev of the Decision that you have read.")] = None,
) -> ConfirmedReply:
    """Confirm that a flagged Decision still holds although its premise is not in force.

    Name the pair, or the condition, or several conditions. It stays so until the premise moves to another state.
    """
    _one_form(decision, premise, condition, conditions, rev)
    named = conditions or ([condition] if condition else [])
    signals = [_of_pair(call, decision, premise)] if decision and premise else _named(call, named)
    keys = {each.about for each in signals} | {each.other for each in signals}
    items = call.unit.items.get(keys)
    for each in signals:
        check_rev(items[each.about], rev)
        call.unit.conditions.confirm(each.about, each.other, items[each.other].state_changes)
        call.changes.confirmed[each.about, each.other] = reason
        call.changes.relations.add(each.relation)
    return {"closed": [each.item.address for each in sorted(signals, key=lambda each: each.item.key)]}


def _one_form(
    decision: Reference | None,
    premise: Reference | None,
    condition: Reference | None,
    conditions: Sequence[Reference] | None,
    rev: int | None,
) -> None:
    if (decision is None) != (premise is None):
        raise validation_failed("premise" if premise is None else "decision", "decision and premise go together")
    forms = [decision is not None, condition is not None, conditions is not None]
    if sum(forms) != 1:
        raise validation_failed("condition", "name either decision and premise, or condition, or conditions")
    if conditions is not None and rev is not None:
        raise validation_failed("rev", "it goes with one Decision, not with conditions")


def _of_pair(call: Call, decision: Reference, premise: Reference) -> Signal:
    own, other = call.find_all([decision, premise], "Decision")
    for each in (own, other):
        call.require(each, "read")
    call.require(own, "ratify")
    for signal in call.unit.conditions.open_signals(about=[own.key]):
        if signal.condition == CONDITION and signal.other == other.key:
            return signal
    raise conflict(f"no premise flag is open for {own.address} and {other.address}")


def _named(call: Call, references: Sequence[Reference]) -> list[Signal]:
    items = call.find_all(references, "Signal")
    distinct("conditions", items)
    for each in items:
        call.require(each, "ratify")
    signals = call.unit.conditions.signals([each.key for each in items])
    for each in items:
        _must_be_open_flag(each, signals[each.key])
    return [signals[each.key] for each in items]


def _must_be_open_flag(item: Item, signal: Signal) -> None:
    if signal.condition != CONDITION:
        raise conflict(f"{item.address} is a {signal.condition} condition; only {CONDITION} is confirmed")
    if item.state != "open":
        raise conflict(f"{item.address} is closed", state=item.state, allowed=[])
