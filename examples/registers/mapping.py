"""From a table to the records of an import file.

What a status becomes and what an edge becomes is said here once for every register, and in examples/README.md as a
table. Facts only: an identifier, a status, a date and a title go in; no text of a record does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from registers.sources import Place, Source
from registers.tables import Edge, Node, Table

_KINDS: Final[Mapping[str, str]] = {
    "grounded_in": "grounded_in",
    "supersedes": "supersedes",
    "amends": "addresses",  # the source is a whole record with a life of its own: it is about the other
}
_DATES: Final = ("%Y-%m-%d", "%d-%b-%Y", "%d %B %Y", "%B %Y")


@dataclass(frozen=True)
class Converted:
    """The records in the order of the file, and how many edges were left out, by why."""

    records: list[dict[str, Any]]
    left_out: Counter[str] = field(default_factory=Counter)


def convert(table: Table, source: Source, places: Mapping[str, Place]) -> Converted:
    """Map a table; a record that `places` does not know is in the register's own Domain."""
    states = _states(table, source)
    decisions = []
    used: dict[str, Place] = {}
    for node in sorted(table.nodes.values(), key=lambda each: _by_number(each.id)):
        place = places.get(node.id, source.domain)
        used[place.ref] = place
        decisions.append(_decision(node, states[node.id], place, source))
    relations, left_out = _relations(table, states, source)
    return Converted([*_places(used, source), *decisions, *relations], left_out)


def _states(table: Table, source: Source) -> dict[str, str]:
    """What each record is in the register: in force, waiting, replaced, given up, or never in force."""
    replaced = {edge.target for edge in table.edges if edge.kind == "supersedes" and _was_in_force(edge, table, source)}
    return {node.id: _state(node, node.id in replaced, source) for node in table.nodes.values()}


def _state(node: Node, replaced: bool, source: Source) -> str:
    if node.in_force:
        return "ratified"
    if replaced:
        return "superseded"
    if node.status in source.waiting:
        return "proposed"
    return "archived" if node.status in source.never else "retired"


def _was_in_force(edge: Edge, table: Table, source: Source) -> bool:
    """Only what was in force once has replaced anything: a draft that means to has not."""
    successor = table.nodes.get(edge.source)
    return successor is not None and successor.status not in source.waiting | source.never


def _relations(table: Table, states: Mapping[str, str], source: Source) -> tuple[list[dict[str, str]], Counter[str]]:
    left_out: Counter[str] = Counter()
    seen: dict[tuple[str, str, str], None] = {}
    for edge in table.edges:
        kind = _KINDS.get(edge.kind)
        if kind is None:
            left_out[f"{edge.kind} (not a relation)"] += 1
        elif edge.source not in states or edge.target not in states:
            left_out["to a record that is not listed"] += 1
        elif edge.source == edge.target:
            left_out["to itself"] += 1
        else:
            if kind == "supersedes" and not (
                states[edge.target] == "superseded" and _was_in_force(edge, table, source)
            ):
                kind = "addresses"  # what is in force still, or was never replaced by this one
            if (kind, edge.source, edge.target) in seen:
                left_out["stated twice"] += 1
            seen[kind, edge.source, edge.target] = None
    ordered = sorted(seen, key=lambda each: (_by_number(each[1]), each[0], _by_number(each[2])))
    return [
        {"relation": kind, "source": source.prefix + one, "target": source.prefix + other}
        for kind, one, other in ordered
    ], left_out


def _places(used: Mapping[str, Place], source: Source) -> Iterator[dict[str, Any]]:
    """The Domains before the Areas in them, each with something in it."""
    domains = {domain.ref: domain for domain in (source.domain, *(domain for domain, _ in source.headers.values()))}
    wanted = {place.inside or place.ref for place in used.values()}
    for domain in domains.values():
        if domain.ref in wanted:
            yield {"type": "Domain", "ref": domain.ref, "name": domain.name}
    for area in sorted((place for place in used.values() if place.inside), key=lambda place: place.ref):
        yield {"type": "Area", "ref": area.ref, "name": area.name, "domain": area.inside}


def _decision(node: Node, state: str, place: Place, source: Source) -> dict[str, Any]:
    ref = source.prefix + node.id
    status = node.status.partition(" by [")[0]  # a link says more than a status, and the edges say it again
    dated = f" It is dated {node.date}." if node.date else ""
    return {
        "type": "Decision",
        "ref": ref,
        "title": " ".join(node.title.split()) or ref,
        "body": f'{ref} has the status "{status}" in its own register.{dated}\nIts text is kept there.',
        "state": state,
        "place": place.ref,
        "created_at": _instant(node.date),
    }


def _instant(date: str) -> str | None:
    for form in _DATES:
        try:
            return datetime.strptime(date, form).strftime("%Y-%m-%dT00:00:00Z")  # noqa: DTZ007 (a day, not a moment)
        except ValueError:
            continue
    return None


def _by_number(id: str) -> list[tuple[int, str]]:
    """Sort RFC 9 before RFC 10, and names as text."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", id)]
