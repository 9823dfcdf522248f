"""The shapes of the replies, from which every door's output schema is derived, and how to fill them from rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NotRequired, TypeVar, cast

from typing_extensions import TypedDict

from smeldr.model.items import ROOT, ItemKey, address_of
from smeldr.model.records import Document, Grant, Item, Principal, Relation, Signal, Token
from smeldr.model.states import in_force
from smeldr.operations.call import Call, without_nothing
from smeldr.rules import contradiction, premise_flag
from smeldr.rules.moves import moves_for


class ItemReply(TypedDict):
    type: str
    id: str
    address: str


class MoveReply(ItemReply):
    state: str
    rev: int


class DecisionEntry(ItemReply):
    title: str
    state: str
    in_force: bool
    place: str
    rev: int
    proposed_by: str
    ratified_by: NotRequired[str]
    created_at: str
    state_changed_at: str


class DecisionReply(DecisionEntry):
    body: str
    moves: list[str]
    source: NotRequired[str]


class AmendmentEntry(DecisionEntry):
    amends: str


class AmendmentReply(DecisionReply):
    amends: str


class PageReply(TypedDict):
    total: int
    count: int
    limit: int
    offset: int


class DecisionsReply(PageReply):
    decisions: list[DecisionEntry]


class AmendmentsReply(PageReply):
    amendments: list[AmendmentEntry]


class RelationReply(TypedDict):
    id: str
    rev: int
    kind: str
    source: str
    target: str
    state: Literal["live", "ended"]
    asserted_by: str
    asserted_at: str
    ended_by: NotRequired[str]
    ended_at: NotRequired[str]
    cause: NotRequired[str]
    reason: NotRequired[str]


class SignalEntry(TypedDict):
    id: str
    address: str
    type: str
    receiver: str
    message: str
    about: str
    place: str
    state: str
    opened_at: str
    closed_at: NotRequired[str]
    resolution: NotRequired[str]


Entry = TypeVar("Entry", RelationReply, SignalEntry)


class CountReply(TypedDict):
    open: int
    closed: int
    at_least: NotRequired[bool]


PrincipalReply = TypedDict("PrincipalReply", {"id": str, "name": str, "class": str})


class TokenEntry(TypedDict):
    id: str
    principal: str
    created_at: str
    expires_at: NotRequired[str]
    revoked_at: NotRequired[str]


class GrantEntry(TypedDict):
    id: str
    principal: str
    right: str
    place: str
    granted_by: str
    granted_at: str
    expires_at: NotRequired[str]


def document(entry: Document) -> DecisionEntry:
    """A Decision or an Amendment as it stands in a list."""
    item, text = entry.item, entry.text
    found: DecisionEntry = {
        "type": item.type,
        "id": item.id,
        "address": item.address,
        "title": text.title,
        "state": item.state,
        "in_force": in_force(item.state),
        "place": address_of(item.place),
        "rev": item.rev,
        "proposed_by": text.proposed_by,
        "created_at": item.created_at,
        "state_changed_at": item.state_changed_at,
    }
    if text.ratified_by:
        found["ratified_by"] = text.ratified_by
    return found


def amendment(entry: Document) -> AmendmentEntry:
    """An Amendment as it stands in a list."""
    return {**document(entry), "amends": _amended(entry)}


def _amended(entry: Document) -> str:
    return address_of(entry.text.amends or ROOT)


def whole_decision(call: Call, key: ItemKey) -> DecisionReply:
    """A Decision with its text and the moves that the caller may make now."""
    return _whole(call, call.unit.items.documents([key])[key])


def whole_amendment(call: Call, key: ItemKey) -> AmendmentReply:
    """An Amendment with its text and the moves that the caller may make now."""
    entry = call.unit.items.documents([key])[key]
    return {**_whole(call, entry), "amends": _amended(entry)}


def _whole(call: Call, entry: Document) -> DecisionReply:
    found = {**document(entry), "body": entry.text.body, "moves": _moves(call, entry.item)}
    return cast(DecisionReply, found | without_nothing(source=entry.text.source))


def _moves(call: Call, item: Item) -> list[str]:
    return list(moves_for(item.type, item.state, lambda right: call.holds(right, item)))


def item_reply(item: Item) -> ItemReply:
    """Type, id and address."""
    return {"type": item.type, "id": item.id, "address": item.address}


def move_reply(call: Call, key: ItemKey) -> MoveReply:
    """What a move answers with: no text."""
    item = call.unit.items.get([key])[key]
    return {**item_reply(item), "state": item.state, "rev": item.rev}


def relation(each: Relation) -> RelationReply:
    """A relation with the addresses of its two ends; the caller may read both."""
    return cast(
        RelationReply,
        {
            "id": each.id,
            "rev": each.rev,
            "kind": each.kind,
            "source": address_of(each.source),
            "target": address_of(each.target),
            "state": "live" if each.live else "ended",
            "asserted_by": each.asserted_by,
            "asserted_at": each.asserted_at,
            **without_nothing(ended_by=each.ended_by, ended_at=each.ended_at, cause=each.cause, reason=each.reason),
        },
    )


MAX_LISTED_TEXT: Final = 300
"""Characters of a reason or a resolution in a long page, so that a page under default limits stays under 100 KB."""

MAX_WHOLE_TEXTS: Final = 10
"""A page of at most this many entries carries reasons and resolutions whole."""


def listed(entry: Entry, limit: int) -> Entry:
    """A relation or a Signal as it stands in a page of that limit: what people wrote in it, cut in a long one."""
    if limit <= MAX_WHOLE_TEXTS:
        return entry
    long = {name: text for name in ("reason", "resolution") if len(text := str(entry.get(name, ""))) > MAX_LISTED_TEXT}
    return cast(Entry, {**entry, **{name: f"{text[:MAX_LISTED_TEXT]}…" for name, text in long.items()}})


MESSAGES = {premise_flag.CONDITION: premise_flag.message, contradiction.CONDITION: contradiction.message}
"""What the message of each condition is, by its type."""


def signal(each: Signal) -> SignalEntry:
    """A Signal as everyone who may read its Decision sees it."""
    about = address_of(each.about)
    closed = each.item.state == "closed"
    return cast(
        SignalEntry,
        {
            "id": each.item.id,
            "address": each.item.address,
            "type": each.condition,
            "receiver": "ratify",
            "message": MESSAGES[each.condition](about),
            "about": about,
            "place": address_of(each.item.place),
            "state": each.item.state,
            "opened_at": each.item.created_at,
            **without_nothing(closed_at=each.item.state_changed_at if closed else None, resolution=each.resolution),
        },
    )


def page(entries: Sequence[object], total: int, limit: int, offset: int) -> PageReply:
    """What every list says about its page."""
    return {"total": total, "count": len(entries), "limit": limit, "offset": offset}


def grant(each: Grant) -> GrantEntry:
    """A grant as those who administer its place see it."""
    entry: GrantEntry = {
        "id": each.id,
        "principal": each.principal,
        "right": each.right,
        "place": address_of(each.place),
        "granted_by": each.granted_by,
        "granted_at": each.granted_at,
    }
    if each.expires_at:
        entry["expires_at"] = each.expires_at
    return entry


def principal(each: Principal) -> PrincipalReply:
    """Who somebody is."""
    return {"id": each.id, "name": each.name, "class": each.principal_class}


def token(each: Token) -> TokenEntry:
    """A token, never the token itself."""
    entry: TokenEntry = {
        "id": each.id,
        "principal": each.principal,
        "created_at": each.created_at,
    }
    if each.expires_at:
        entry["expires_at"] = each.expires_at
    if each.revoked_at:
        entry["revoked_at"] = each.revoked_at
    return entry
