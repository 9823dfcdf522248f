"""Principals, tokens and grants: who there is, how they prove it, and what they are given.

What a grant gives is rules/access.py. A token is shown once and kept as a hash. One administrator over ROOT always
remains. Source: docs/domains-and-areas.md.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import Annotated, Any, Final, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from smeldr.model.errors import conflict, not_found, validation_failed
from smeldr.model.instants import later
from smeldr.model.items import ROOT
from smeldr.model.records import Grant, Principal, Token
from smeldr.model.rights import PRINCIPAL_CLASSES, PrincipalClass, Right
from smeldr.operations import entries, replies
from smeldr.operations.asking import places_asked, refuse_retired
from smeldr.operations.call import ROOT_PATH, Call, NamedPlace
from smeldr.operations.parameters import DEFAULT_PAGE, Id, InstantParameter, Limit, Name, Offset, PlaceRef, Reason
from smeldr.operations.registry import operation
from smeldr.rules.access import grantable

TOKEN_PREFIX: Final = "smeldr_"  # noqa: S105 - it marks a token, it is none
_TOKEN_BYTES: Final = 32
MAX_TOKEN_DAYS: Final = 3_650

PrincipalEntry = TypedDict("PrincipalEntry", {"id": str, "name": str, "class": str, "active": bool, "created_at": str})


class PrincipalsReply(replies.PageReply):
    principals: list[PrincipalEntry]


class NewToken(TypedDict):
    id: str
    token: NotRequired[str]
    expires_at: NotRequired[str]


class TokensReply(replies.PageReply):
    tokens: list[replies.TokenEntry]


class GrantReply(replies.GrantEntry):
    created: bool


class RevokedGrant(replies.GrantEntry):
    revoked_at: str


class GrantsReply(replies.PageReply):
    grants: list[replies.GrantEntry]


class OwnGrant(TypedDict):
    id: str
    right: str
    place: str
    counts: bool
    expires_at: NotRequired[str]


class Settled(TypedDict):
    allow_agent_ratify: bool


class Whoami(TypedDict):
    principal: replies.PrincipalReply
    grants: list[OwnGrant]
    settings: Settled


@operation(right="administer over ROOT", changes=True)
def create_principal(
    call: Call,
    name: Name,
    class_: Annotated[PrincipalClass, Field(alias="class", description="A person or an agent.")],
) -> replies.PrincipalReply:
    """Make somebody known to the register; without a grant they see nothing in it."""
    call.require_root()
    return add_principal(call, name, class_)


def add_principal(call: Call, name: str, principal_class: PrincipalClass) -> replies.PrincipalReply:
    """Write a new principal."""
    new = Principal(call.unit.new_id(), name, principal_class, True, call.now)
    call.unit.access.add_principal(new)
    call.record(entries.principal(new, before=None))
    return replies.principal(new)


@operation(right="administer over ROOT", changes=True, destructive=True)
def deactivate_principal(call: Call, principal: Id, reason: Reason) -> PrincipalEntry:
    """Make every token of somebody fail from now on."""
    call.require_root()
    found = _principal(call, principal)
    if not found.active:
        raise conflict(f"{found.name} is deactivated already", state="deactivated", allowed=[])
    call.unit.access.deactivate(found.id)
    _administrator_must_remain(call)
    gone = _principal(call, principal)
    call.record(entries.principal(gone, before="active", reason=reason))
    return _principal_entry(gone)


@operation(right="administer over ROOT")
def list_principals(call: Call, limit: Limit = DEFAULT_PAGE, offset: Offset = 0) -> PrincipalsReply:
    """List everybody known to the register."""
    call.require_root()
    listed, total = call.unit.access.list_principals(limit=limit, offset=offset)
    listing = [_principal_entry(each) for each in listed]
    return {"principals": listing, **replies.page(listing, total, limit, offset)}


@operation(right="one's own, or administer over ROOT", changes=True)
def create_token(
    call: Call,
    principal: Id,
    expires_in_days: Annotated[
        int | None, Field(ge=1, le=MAX_TOKEN_DAYS, description="How long it counts; for good when left out.")
    ] = None,
) -> NewToken:
    """Make a bearer token for yourself or, as administrator, for somebody else. It is shown this once."""
    found = _own_or_administered(call, principal)
    if not found.active:
        raise conflict(f"{found.name} is deactivated", state="deactivated", allowed=[])
    return add_token(call, found.id, expires_in_days)


def add_token(call: Call, principal: str, expires_in_days: int | None = None) -> NewToken:
    """Write a new token and give it out."""
    secret = TOKEN_PREFIX + secrets.token_urlsafe(_TOKEN_BYTES)
    expires_at = later(call.now, timedelta(days=expires_in_days)) if expires_in_days else None
    new = Token(call.unit.new_id(), principal, call.now, expires_at, None)
    call.unit.access.add_token(new, hash_of(secret))
    call.record(entries.token(new, hash_of(secret)))
    reply: NewToken = {"id": new.id, "token": secret}
    if expires_at:
        reply["expires_at"] = expires_at
    return reply


@operation(right="one's own, or administer over ROOT", changes=True, destructive=True)
def revoke_token(call: Call, id: Id) -> replies.TokenEntry:
    """Make a token fail from now on."""
    found = call.unit.access.token(id)
    if found is None or not _own_or_root(call, found.principal):
        raise not_found(f"token {id}")
    if found.principal != call.principal.id:
        call.require_root()
    if found.revoked_at is not None:
        raise conflict("the token is revoked already", state="revoked", allowed=[])
    call.unit.access.revoke_token(id, call.now)
    _administrator_must_remain(call)
    call.record(entries.token(found))
    return {**replies.token(found), "revoked_at": call.now}


@operation(right="one's own, or administer over ROOT")
def list_tokens(
    call: Call,
    principal: Annotated[Id | None, Field(description="Whose; your own when left out.")] = None,
    limit: Limit = DEFAULT_PAGE,
    offset: Offset = 0,
) -> TokensReply:
    """List somebody's tokens, never the tokens themselves."""
    found = _own_or_administered(call, principal or call.principal.id)
    listed, total = call.unit.access.list_tokens(found.id, limit=limit, offset=offset)
    listing = [replies.token(each) for each in listed]
    return {"tokens": listing, **replies.page(listing, total, limit, offset)}


@operation(right="administer over the place", changes=True)
def grant_right(
    call: Call,
    principal: Id,
    right: Annotated[Right, Field(description="The right that is given.")],
    place: Annotated[PlaceRef, Field(description="Over this place and every place inside it.")],
    expires_at: Annotated[InstantParameter | None, Field(description="Until when; for good when left out.")] = None,
    reason: Reason | None = None,
) -> GrantReply:
    """Give somebody a right over a place and everything inside it. The same grant again is the one there is."""
    if expires_at is not None and expires_at <= call.now:
        raise validation_failed("expires_at", "it is not in the future")
    there = call.find_place(place)
    call.require_over(there.key, there.path, "administer")
    found = _principal(call, principal)
    if not found.active:
        raise conflict(f"{found.name} is deactivated", state="deactivated", allowed=[])
    if not grantable(right, found.principal_class, agents_ratify=call.policy.allow_agent_ratify):
        raise conflict(f"an agent holds no {right} here: ALLOW_AGENT_RATIFY is off")
    refuse_retired(there)
    if there_is := call.unit.access.same_grant(found.id, right, there.key, expires_at):
        return {**replies.grant(there_is), "created": False}
    new = add_grant(call, found.id, right, there, expires_at=expires_at, reason=reason)
    return {**replies.grant(new), "created": True}


def add_grant(
    call: Call, principal: str, right: Right, place: NamedPlace, *, expires_at: Any = None, reason: str | None = None
) -> Grant:
    """Write a new grant."""
    new = Grant(call.unit.new_id(), principal, right, place.key, call.principal.id, call.now, expires_at, None)
    call.unit.access.add_grant(new)
    call.record(entries.grant(new, reason=reason))
    return new


@operation(right="administer over the place", changes=True, destructive=True)
def revoke_grant(call: Call, id: Id, reason: Reason) -> RevokedGrant:
    """Take a grant back."""
    found = call.unit.access.grant(id)
    if found is None:
        raise not_found(f"grant {id}")
    place = _place_of(call, found)
    if place is None:
        raise not_found(f"grant {id}")
    call.require_over(place.key, place.path, "administer")
    if found.revoked_at is not None:
        raise conflict("the grant is revoked already", state="revoked", allowed=[])
    call.unit.access.revoke_grant(id, call.now)
    _administrator_must_remain(call)
    call.record(entries.grant(found, revoked=True, reason=reason))
    return {**replies.grant(found), "revoked_at": call.now}


@operation(right="administer over the place")
def list_grants(
    call: Call,
    principal: Annotated[Id | None, Field(description="Only those of this principal.")] = None,
    place: Annotated[PlaceRef | None, Field(description="Only over this place and places inside it.")] = None,
    limit: Limit = DEFAULT_PAGE,
    offset: Offset = 0,
) -> GrantsReply:
    """List the grants that count now over the places that you administer."""
    where = places_asked(call, place, "administer")
    if where is not None and not where:
        over = call.find_place(place) if place else NamedPlace(ROOT, ROOT_PATH, None)
        call.require_over(over.key, over.path, "administer")
    listed, total = call.unit.access.list_grants(call.now, where, principal=principal, limit=limit, offset=offset)
    listing = [replies.grant(each) for each in listed]
    return {"grants": listing, **replies.page(listing, total, limit, offset)}


@operation(right="any")
def whoami(call: Call) -> Whoami:
    """Say who you are, what you were granted, and the settings that bear on it.

    `counts` is false for a right that an agent was granted but does not hold under these settings.
    """
    policy = call.policy
    held = call.unit.access.grants_of(call.principal.id, call.now)
    grants: list[Any] = [
        {
            "id": each.id,
            "right": each.right,
            "place": replies.grant(each)["place"],
            "counts": grantable(each.right, call.principal.principal_class, agents_ratify=policy.allow_agent_ratify),
            **({"expires_at": each.expires_at} if each.expires_at else {}),
        }
        for each in held
    ]
    return {
        "principal": replies.principal(call.principal),
        "grants": grants,
        "settings": {"allow_agent_ratify": policy.allow_agent_ratify},
    }


def hash_of(token: str) -> str:
    """What is kept of a token. It is 256 random bits, so a plain SHA-256 cannot be turned back."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _principal(call: Call, principal: str) -> Principal:
    found = call.unit.access.principal(principal)
    if found is None:
        raise not_found(f"principal {principal}")
    return found


def _principal_entry(each: Principal) -> PrincipalEntry:
    return {**replies.principal(each), "active": each.active, "created_at": each.created_at}


def _own_or_root(call: Call, principal: str) -> bool:
    return principal == call.principal.id or call.access.everywhere("administer")


def _own_or_administered(call: Call, principal: str) -> Principal:
    """Somebody else does not exist for those who do not administer ROOT."""
    if not _own_or_root(call, principal):
        raise not_found(f"principal {principal}")
    if principal != call.principal.id:
        call.require_root()
    return _principal(call, principal)


def _place_of(call: Call, grant: Grant) -> NamedPlace | None:
    if grant.place == ROOT:
        return NamedPlace(ROOT, ROOT_PATH, None)
    item = call.unit.items.get([grant.place])[grant.place]
    return NamedPlace(item.key, item.judged_over, item) if call.sees(item) else None


def administrator_remains(call: Call) -> bool:
    """Whether somebody holds a lasting `administer` over ROOT that counts, and a lasting token."""
    classes = [
        each
        for each in PRINCIPAL_CLASSES
        if grantable("administer", each, agents_ratify=call.policy.allow_agent_ratify)
    ]
    return call.unit.access.administrator_remains(ROOT, classes)


def _administrator_must_remain(call: Call) -> None:
    if not administrator_remains(call):
        raise conflict(
            "one principal with a lasting token has to hold administer over ROOT without expiry; this would leave none"
        )
