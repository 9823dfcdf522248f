"""Who may do what, looked up grant by grant; nothing is cached.

An item is hidden from a caller who holds no right at all over its place. A place is seen by whoever holds a right over
it or over anything inside it.
"""

from __future__ import annotations

from tests.model.state import PLACE_TYPES, ROOT, Item, State


def grant_is_live(state: State, grant: Item) -> bool:
    """Neither revoked nor past its expiry."""
    return not grant["revoked"] and (grant["expires_at"] is None or state.now < grant["expires_at"])


def token_is_live(state: State, token: Item) -> bool:
    """Neither revoked, nor past its expiry, nor of a deactivated principal."""
    unexpired = token["expires_at"] is None or state.now < token["expires_at"]
    return bool(not token["revoked"] and unexpired and state.principals[token["principal"]]["active"])


def rights(state: State, principal: str, place: str) -> set[str]:
    """The rights that a principal holds over one place, with the `read` that author and administer include."""
    above = state.chain(place)
    held = {
        g["right"]
        for g in state.grants.values()
        if g["principal"] == principal and g["place"] in above and grant_is_live(state, g)
    }
    if state.principals[principal]["class"] == "agent" and not state.allow_agent_ratify:
        held -= {"ratify", "administer"}
    if held & {"author", "administer"}:
        held.add("read")
    return held


def reads_place(state: State, principal: str, place: str) -> bool:
    """The principal holds `read` over the place itself."""
    return "read" in rights(state, principal, place)


def sees_place(state: State, principal: str, place: str) -> bool:
    """ROOT is there for everyone; another place for who holds a right over it or inside it."""
    return place == ROOT or any(rights(state, principal, p) for p in state.inside(place))


def sees(state: State, principal: str, item: Item) -> bool:
    """The item is not hidden from the principal."""
    if item["type"] in PLACE_TYPES:
        return sees_place(state, principal, item["address"])
    return bool(rights(state, principal, state.place_of(item)))


def reads(state: State, principal: str, item: Item) -> bool:
    """The principal may read the item; of a place, `read` over that place itself."""
    return reads_place(state, principal, state.place_of(item))


def readable(state: State, principal: str) -> set[str]:
    """The addresses of everything that the principal may read."""
    return {i["address"] for i in state.items.values() if reads(state, principal, i)}


def administered_for_good(state: State) -> bool:
    """Some active principal administers ROOT without expiry and has a live token without expiry."""
    return any(
        "administer" in rights(state, g["principal"], ROOT)
        and any(
            t["principal"] == g["principal"] and t["expires_at"] is None and token_is_live(state, t)
            for t in state.tokens.values()
        )
        for g in state.grants.values()
        if (g["right"], g["place"], g["expires_at"], g["revoked"]) == ("administer", ROOT, None, False)
    )
