"""A reply, as people read it: a table for a list, a few lines for an item, rings for a trace, both ways of a count.

It goes by the shape of the reply and not by the tool, so that a tool which gains a field shows it at once. How the
lines reach the screen is screen.py; programs take --json and never come here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from smeldr.doors.cli.screen import Screen, cell
from smeldr.doors.cli.verbs import Verb

_SAID_BY_ADDRESS: Final = frozenset({"Amendment", "Area", "Decision", "Domain"})
"""Types that need no line of their own; a Signal's type is its condition."""
_MOVED: Final = frozenset({"type", "id", "address", "state", "rev"})


def reply(verb: Verb, changes: bool, value: Mapping[str, Any], screen: Screen) -> None:
    """Show what the tool of that verb answered."""
    if "ring_sizes" in value:
        _lines(rings(value), screen)
    elif "rests_on_this" in value:
        _lines(counts(value), screen)
    elif verb.columns:
        _listed(verb.columns, value, screen)
    elif value.keys() == _MOVED:
        screen.line(f"{value['address']} is {value['state']} now (rev {value['rev']})")
    else:
        _lines(fields(value, with_body=not changes), screen)


def remark(value: Mapping[str, Any]) -> str | None:
    """What to add beside the reply: that the list goes on."""
    total, count, offset = (value.get(key) for key in ("total", "count", "offset"))
    if not (isinstance(total, int) and isinstance(count, int) and isinstance(offset, int)) or offset + count >= total:
        return None
    if not count:
        return f"none of {total:,} is beyond offset {offset:,}" if offset else None
    return f"{count:,} of {total:,} shown; --offset {offset + count} shows the next"


def _lines(lines: Iterator[str], screen: Screen) -> None:
    for line in lines:
        screen.line(line)


def _listed(columns: Sequence[str], value: Mapping[str, Any], screen: Screen) -> None:
    """The list in the reply as a table, and whatever stands beside it above."""
    entries = next((each for each in value.values() if isinstance(each, list)), [])
    beside = {
        key: each for key, each in value.items() if each is not entries and key not in ("total", "count", "limit")
    }
    beside.pop("offset", None)
    _lines(fields(beside), screen)
    if entries:
        screen.table(columns, [[cell(entry.get(column)) for column in columns] for entry in entries])
    else:
        screen.line("none")


def fields(value: Mapping[str, Any], with_body: bool = True) -> Iterator[str]:
    """One thing: what it is called, then a line for each of its fields, then its body."""
    rest = {key: each for key, each in value.items() if key not in ("body", "created")}
    if value.get("type") in _SAID_BY_ADDRESS:
        del rest["type"]
    if name := _name(rest):
        yield name
    if value.get("created") is False:
        yield "It was on record already; nothing changed."
    yield from _labelled(rest)
    if with_body and "body" in value:
        yield ""
        yield str(value["body"]).removesuffix("\n")


def _labelled(value: Mapping[str, Any]) -> Iterator[str]:
    """A line for each field, and the fields of what lies inside another further in."""
    wide = max((len(key) for key in value), default=0)
    for key, each in value.items():
        label = key.replace("_", " ")
        if isinstance(each, Mapping) and "address" not in each and not _is_relation(each):
            yield f"  {label}"
            yield from (f"  {line}" for line in _labelled(each))
        else:
            yield f"  {label:<{wide}}  {_value(each)}".rstrip()


def _name(rest: dict[str, Any]) -> str | None:
    """Take out of the fields what the thing is called."""
    if _is_relation(rest):
        return cell({key: rest.pop(key) for key in ("source", "kind", "target")})
    called = next((rest.pop(key) for key in ("title", "name", "message") if key in rest), None)
    return "  ".join(str(part) for part in (rest.pop("address", None), called) if part) or None


def _is_relation(value: Mapping[str, Any]) -> bool:
    return value.keys() >= {"source", "kind", "target"}


def _value(value: Any) -> str:
    if isinstance(value, Mapping) and _is_relation(value):
        return f"{cell(value)}  (rev {value.get('rev')}, id {value.get('id')})"
    return cell(value)


def counts(value: Mapping[str, Any]) -> Iterator[str]:
    """Both directions of a count, each with how many are open, how many closed, and whether there are more."""
    for key, label in (("rests_on_this", "rests on this"), ("this_rests_on", "this rests on")):
        side = value[key]
        at_least = "at least " if side.get("at_least") else ""
        number = side["open"] + side["closed"]
        yield f"{label}: {at_least}{number:,} ({side['open']:,} open, {side['closed']:,} closed)"


def rings(value: Mapping[str, Any]) -> Iterator[str]:
    """A trace, ring by ring, with how each item was reached, and where it was cut."""
    kind = value.get("kind", "every kind of relation")
    total = value["total"]
    yield f"{value['address']}: {_items(total)} within {_hops(value['depth'])}, by {kind}, {value['direction']}"
    cut = value.get("cut")
    for depth, size in enumerate(value["ring_sizes"], start=1):
        partial = " kept" if cut and cut["depth"] == depth else ""
        yield f"ring {depth}: {_items(size)}{partial}"
        here = [item for item in value["items"] if item["depth"] == depth]
        wide = max((len(item["address"]) for item in here), default=0)
        for item in here:
            yield f"  {item['address']:<{wide}}  by {item['via']['kind']} from {cell(item['via']['from'])}"
        if here and len(here) < size:
            yield f"  ({size - len(here):,} more on other pages)"
    if cut:
        deeper = "; no deeper ring was walked" if cut["depth"] < value["depth"] else ""
        yield f"cut in ring {cut['depth']}: {_items(cut['dropped'])} left out (see --max-items){deeper}"


def _items(number: int) -> str:
    return "1 item" if number == 1 else f"{number:,} items"


def _hops(number: int) -> str:
    return "1 hop" if number == 1 else f"{number} hops"
