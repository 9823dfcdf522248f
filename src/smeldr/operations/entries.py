"""How each kind of change is entered in the history. Every entry holds enough to make the change again."""

from __future__ import annotations

from typing import Any

from smeldr.model.entries import SYSTEM, Entry
from smeldr.model.items import ItemKey
from smeldr.model.records import End, Grant, Item, Principal, Relation, Signal, Text, Token


def made(item: Item, text: Text | None = None, *, name: str | None = None, reason: str | None = None) -> Entry:
    """A new item."""
    changes: dict[str, Any] = {"key": item.key, "place": item.place, "rev": item.rev, "created_at": item.created_at}
    texts = _texts(reason=reason, name=name)
    if text is not None:
        changes |= {"proposed_by": text.proposed_by, "ratified_by": text.ratified_by, "amends": text.amends}
        texts |= _texts(title=text.title, body=text.body, source=text.source)
    return Entry(item.type, item.id, item.key, None, item.state, changes, texts)


def moved(item: Item, to: str, *, reason: str | None = None, ratified_by: str | None = None) -> Entry:
    """Another state; `item` is as it was before."""
    changes: dict[str, Any] = {"rev": item.rev + 1, "state_changes": item.state_changes + 1}
    if ratified_by:
        changes["ratified_by"] = ratified_by
    return Entry(item.type, item.id, item.key, item.state, to, changes, _texts(reason=reason))


def rewritten(item: Item, *, title: str, body: str) -> Entry:
    """Another text."""
    return Entry(
        item.type,
        item.id,
        item.key,
        item.state,
        item.state,
        {"rev": item.rev + 1},
        _texts(title=title, body=body),
    )


def placed(item: Item, place: ItemKey, *, reason: str | None = None, raises_rev: bool = True) -> Entry:
    """Another place."""
    changes = {"place": place, "place_before": item.place, "rev": item.rev + (1 if raises_rev else 0)}
    return Entry(item.type, item.id, item.key, item.state, item.state, changes, _texts(reason=reason))


def renamed(item: Item, name: str) -> Entry:
    """Another name of a place."""
    return Entry(item.type, item.id, item.key, item.state, item.state, {"rev": item.rev + 1}, _texts(name=name))


def related(relation: Relation) -> Entry:
    """A new relation."""
    changes = {"kind": relation.kind, "source": relation.source, "target": relation.target, "rev": relation.rev}
    return Entry("Relation", relation.id, None, None, "live", changes)


def unrelated(relation: Relation) -> Entry:
    """The end of a relation; `relation` is as it is after it."""
    changes = {"rev": relation.rev, "cause": relation.cause}
    return Entry("Relation", relation.id, None, "live", "ended", changes, _texts(reason=relation.reason))


def opened(signal: Signal) -> Entry:
    """A condition that a rule opened."""
    changes = {
        "key": signal.item.key,
        "place": signal.item.place,
        "condition": signal.condition,
        "about": signal.about,
        "other": signal.other,
        "relation": signal.relation,
    }
    return Entry("Signal", signal.item.id, signal.item.key, None, "open", changes, actor=SYSTEM, actor_class=SYSTEM)


def closed(signal: Signal, resolution: str) -> Entry:
    """A condition that a rule closed."""
    return Entry(
        "Signal",
        signal.item.id,
        signal.item.key,
        "open",
        "closed",
        {},
        _texts(resolution=resolution),
        actor=SYSTEM,
        actor_class=SYSTEM,
    )


def confirmed(signal: Signal, premise: End, by: str, reason: str, resolution: str) -> Entry:
    """A condition that somebody closed by confirming that the Decision still holds."""
    changes = {"confirmed_by": by, "decision": signal.about, "premise": premise.key, "covers": premise.state_changes}
    texts = _texts(reason=reason, resolution=resolution)
    return Entry("Signal", signal.item.id, signal.item.key, "open", "closed", changes, texts)


def principal(each: Principal, *, before: str | None, reason: str | None = None) -> Entry:
    """A new principal, or one that was deactivated."""
    changes = {"class": each.principal_class}
    after = "active" if each.active else "deactivated"
    return Entry("Principal", each.id, None, before, after, changes, _texts(name=each.name, reason=reason))


def token(each: Token, token_hash: str | None = None) -> Entry:
    """A new token (with its hash), or one that was revoked."""
    if token_hash is None:
        return Entry("Token", each.id, None, "live", "revoked", {"principal": each.principal})
    changes = {"principal": each.principal, "expires_at": each.expires_at, "hash": token_hash}
    return Entry("Token", each.id, None, None, "live", changes)


def grant(each: Grant, *, revoked: bool = False, reason: str | None = None) -> Entry:
    """A new grant, or one that was revoked."""
    changes = {"principal": each.principal, "right": each.right, "place": each.place, "expires_at": each.expires_at}
    before, after = ("live", "revoked") if revoked else (None, "live")
    return Entry("Grant", each.id, None, before, after, changes, _texts(reason=reason))


def _texts(**texts: str | None) -> dict[str, str]:
    return {name: text for name, text in texts.items() if text is not None}
