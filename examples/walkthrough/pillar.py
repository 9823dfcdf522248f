"""The Decision that most rests on, found the way an agent finds it: by asking for the counts that a sweep stored.

It is asked for with the tools that anyone has; nothing here knows the register in advance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from walkthrough.callers import Agent, Reply
from walkthrough.stage import StepFailed
from walkthrough.trimming import reply_lines

_PAGE: Final = 200
_TIES: Final = 300


@dataclass(frozen=True)
class Pillar:
    """A Decision in force, with the Decisions in force that rest on it directly, in the order of their addresses."""

    address: str
    title: str
    place: str
    source: str
    dependants: tuple[str, ...]

    @property
    def name(self) -> str:
        """How people cite it."""
        return self.source or self.address


def most_relied_upon(agent: Agent) -> Pillar:
    """Find it; the first calls are shown, their likes for further pages are not.

    Raises StepFailed when nothing in force rests on anything in force.
    """
    in_force = {each["address"] for each in _in_force(agent)}
    counts = _stored_counts(agent, sorted(in_force, key=_number))
    ranked = sorted((address for address in counts if counts[address]), key=lambda each: -counts[each])
    tied = [address for address in ranked if counts[address] == counts[ranked[0]]][:_TIES]
    ranked = [*sorted(tied, key=lambda each: -_direct(agent, each)), *ranked[len(tied) :]]
    for address in ranked:
        dependants = tuple(each for each in _resting_on(agent, address) if each in in_force)
        if dependants:
            found = agent.quietly("get_decision", {"id": address})
            return Pillar(address, found["title"], found["place"], found.get("source", ""), dependants)
    raise StepFailed(
        "this register has no Decision in force that another in force rests on, and the story is about one: "
        "name a file with a ratified Decision and a grounded_in to it from another"
    )


def _in_force(agent: Agent) -> Iterator[Mapping[str, Any]]:
    members = ("address", "title", "place", "total")
    asked: dict[str, Any] = {"state": "ratified", "limit": _PAGE}
    page = agent.call("list_decisions", asked, members)
    yield from page["decisions"]
    calls = 0
    while page["count"] == page["limit"]:
        calls += 1
        page = agent.quietly("list_decisions", {**asked, "after": page["decisions"][-1]["address"]})
        yield from page["decisions"]
    if calls:
        agent.stage.answer([f"… and {calls:,} more such calls, a page of {_PAGE} each"])


def _stored_counts(agent: Agent, addresses: list[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    batches = [addresses[start : start + _PAGE] for start in range(0, len(addresses), _PAGE)]
    for number, batch in enumerate(batches):
        items = {"items": [{"type": "Decision", "id": address} for address in batch]}
        if number == 0:
            agent.stage.call("agent", f'list_rest_counts {{"items": [… {len(batch)} Decisions …]}}')
        reply = agent.quietly("list_rest_counts", items)
        if number == 0:
            _show_counts(agent, reply)
        counts.update({each["address"]: sum_of(each["rests_on_this"]) for each in reply["counts"]})
    if len(batches) > 1:
        agent.stage.answer([f"… and {len(batches) - 1:,} more such calls, for the other Decisions in force"])
    return counts


def _show_counts(agent: Agent, reply: Reply) -> None:
    agent.stage.answer(reply_lines(reply, ("address", "rests_on_this", "counted_at")))


def sum_of(count: Mapping[str, int]) -> int:
    """Open and closed together."""
    return count["open"] + count["closed"]


def _direct(agent: Agent, address: str) -> int:
    total: int = agent.quietly("list_relations", _incoming(address, limit=1))["total"]
    return total


def _resting_on(agent: Agent, address: str) -> list[str]:
    """The addresses of what rests on it directly, in their order."""
    found: list[str] = []
    while True:
        page = agent.quietly("list_relations", _incoming(address, limit=_PAGE, offset=len(found)))
        found += [relation["source"] for relation in page["relations"]]
        if len(found) >= page["total"] or not page["relations"]:
            return sorted(found, key=_number)


def _number(address: str) -> int:
    return int(address.removeprefix("D"))


def _incoming(address: str, **paging: int) -> dict[str, Any]:
    return {"kind": "grounded_in", "type_name": "Decision", "id": address, "direction": "incoming", **paging}
