"""Making one move of the table of lives, and rewriting what is still proposed. Decisions and Amendments share both."""

from __future__ import annotations

from smeldr.model.errors import validation_failed
from smeldr.model.records import Item
from smeldr.model.states import MOVES
from smeldr.operations import entries, replies, writing
from smeldr.operations.call import Call, check_rev, refusal_or_none
from smeldr.rules.moves import why_not


def make_move(call: Call, item: Item, name: str, rev: int | None, reason: str | None) -> replies.MoveReply:
    """Make one move of the table: right, state, rev, then the change."""
    allowed_to_move(call, item, name, rev)
    writing.move(call, item, MOVES[name].target, reason=reason)
    return replies.move_reply(call, item.key)


def something_to_change(title: str | None, body: str | None) -> None:
    """Refuse a rewriting that names neither; asked before any item is looked at."""
    if title is None and body is None:
        raise validation_failed("title", "nothing to change: give a title, a body or both")


def rewrite(call: Call, item: Item, name: str, rev: int, title: str | None, body: str | None) -> None:
    """Change the text of what is still proposed. The same text again changes nothing."""
    allowed_to_move(call, item, name, rev)
    now = call.unit.items.documents([item.key])[item.key].text
    title, body = title if title is not None else now.title, body if body is not None else now.body
    if (title, body) != (now.title, now.body):
        call.unit.items.set_text(item.key, title=title, body=body)
        call.unit.items.raise_rev(item.key)
        call.record(entries.rewritten(item, title=title, body=body))


def allowed_to_move(call: Call, item: Item, name: str, rev: int | None) -> None:
    """Refuse the move unless right, state and rev allow it, in that order.

    A right that is enough only from some states is looked at in the state found.
    """
    table = MOVES[name]
    call.require(item, *table.rights_from(item.state))
    refusal_or_none(why_not(table, item.type, item.address, item.state))
    check_rev(item, rev)
