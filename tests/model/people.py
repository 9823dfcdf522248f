"""Principals, their tokens and their grants."""

from __future__ import annotations

from datetime import datetime, timedelta

from tests.model import access
from tests.model.call import Call, page
from tests.model.refusal import ModelRefusal
from tests.model.state import ROOT, Item


def must_remain_administered(call: Call) -> None:
    """Refuse what would leave nobody to administer the register."""
    if not access.administered_for_good(call.state):
        raise ModelRefusal("conflict", "nobody would administer ROOT for good")


def administers_all(call: Call) -> bool:
    """The caller administers ROOT."""
    return call.may("administer", ROOT)


def known(call: Call, handle: str) -> Item:
    """The principal with this handle."""
    if handle not in call.state.principals:
        raise ModelRefusal("not_found", "principal")
    return call.state.principals[handle]


def own_or_any(call: Call, handle: str) -> Item:
    """One's own principal, or anyone for who administers ROOT; nobody else is there."""
    if handle != call.principal and not administers_all(call):
        raise ModelRefusal("not_found", "principal")
    return known(call, handle)


def principal_shown(principal: Item) -> Item:
    return {name: principal[name] for name in ("id", "name", "class")}


def grant_shown(grant: Item) -> Item:
    return {name: grant[name] for name in ("id", "principal", "right", "place")}


# tools ---------------------------------------------------------------------------------------------------------------


def create_principal(call: Call) -> Item:
    call.need(administers_all(call))
    call.rights_hold()
    handle = call.state.next("P")
    principal = {"id": handle, "name": call.get("name"), "class": call.get("class"), "active": True}
    call.state.principals[handle] = principal
    return principal_shown(principal)


def deactivate_principal(call: Call) -> Item:
    call.need(administers_all(call))
    principal = known(call, call.get("principal"))
    call.rights_hold()
    if not principal["active"]:
        raise ModelRefusal("conflict", "deactivated already")
    principal["active"] = False
    must_remain_administered(call)
    return principal_shown(principal) | {"active": False}


def list_principals(call: Call) -> Item:
    call.need(administers_all(call))
    everyone = call.state.principals.values()
    return page(call, "principals", [principal_shown(p) | {"active": p["active"]} for p in everyone])


def create_token(call: Call) -> Item:
    principal = own_or_any(call, call.get("principal"))
    call.rights_hold()
    if not principal["active"]:
        raise ModelRefusal("conflict", "deactivated")
    days = call.get("expires_in_days")
    handle = call.state.next("T")
    expires_at = None if days is None else call.state.now + timedelta(days=days)
    token = {"id": handle, "principal": principal["id"], "expires_at": expires_at, "revoked": False}
    call.state.tokens[handle] = token
    return {"id": handle}


def revoke_token(call: Call) -> Item:
    token = call.state.tokens.get(call.get("id"))
    if token is None:
        raise ModelRefusal("not_found", "token")
    own_or_any(call, token["principal"])
    call.rights_hold()
    if token["revoked"]:
        raise ModelRefusal("conflict", "revoked already")
    token["revoked"] = True
    must_remain_administered(call)
    return {"id": token["id"], "principal": token["principal"]}


def list_tokens(call: Call) -> Item:
    principal = own_or_any(call, call.get("principal", call.principal))
    found = [t for t in call.state.tokens.values() if t["principal"] == principal["id"]]
    return page(call, "tokens", [{"id": t["id"], "principal": t["principal"]} for t in found])


def grant_right(call: Call) -> Item:
    expires_at = datetime.fromisoformat(call.get("expires_at")) if call.get("expires_at") else None
    if expires_at is not None and expires_at <= call.state.now:
        raise ModelRefusal("validation_failed", "expires_at is past")
    principal, place, right = known(call, call.get("principal")), call.place("place"), call.get("right")
    call.need(call.may("administer", place))
    call.rights_hold()
    call.need_usable(place)
    if not principal["active"]:
        raise ModelRefusal("conflict", "deactivated")
    agent = principal["class"] == "agent" and not call.state.allow_agent_ratify
    if agent and right in ("ratify", "administer"):
        raise ModelRefusal("conflict", "not for an agent")
    wanted = {"principal": principal["id"], "right": right, "place": place, "expires_at": expires_at}
    for grant in call.state.grants.values():
        if access.grant_is_live(call.state, grant) and {name: grant[name] for name in wanted} == wanted:
            return grant_shown(grant) | {"created": False}
    handle = call.state.next("G")
    call.state.grants[handle] = {"id": handle, "revoked": False, **wanted}
    return grant_shown(call.state.grants[handle]) | {"created": True}


def revoke_grant(call: Call) -> Item:
    grant = call.state.grants.get(call.get("id"))
    if grant is None or not access.sees_place(call.state, call.principal, grant["place"]):
        raise ModelRefusal("not_found", "grant")
    call.need(call.may("administer", grant["place"]))
    call.rights_hold()
    if grant["revoked"]:
        raise ModelRefusal("conflict", "revoked already")
    grant["revoked"] = True
    must_remain_administered(call)
    return grant_shown(grant)


def list_grants(call: Call) -> Item:
    asked = call.state.inside(call.place("place", ROOT))
    administered = [place for place in asked if call.may("administer", place)]
    call.need(bool(administered))
    found = [g for g in call.state.grants.values() if g["place"] in administered]
    found = [g for g in found if access.grant_is_live(call.state, g)]
    found = [g for g in found if call.get("principal") in (None, g["principal"])]
    return page(call, "grants", [grant_shown(g) for g in found])


def whoami(call: Call) -> Item:
    own = [g for g in call.state.grants.values() if g["principal"] == call.principal]
    names = ("id", "right", "place")
    live = [{n: g[n] for n in names} | {"counts": True} for g in own if access.grant_is_live(call.state, g)]
    principal = call.state.principals[call.principal]
    return {"principal": {name: principal[name] for name in ("id", "name", "class")}, "grants": live}
