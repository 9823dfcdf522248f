"""The register that is measured: which Decisions there are, where they lie, in which state, and what rests on what.

The same shape always gives the same graph. Most Decisions are plain ones: their links stay near them, inside their
place, and a few lead to an early Decision of another place. Beside them stand the three that a walk feels: a hub on
which half of the register rests, the top and bottom of a tree that reaches further than a count goes, and the bottom
of a long chain. All of them lie in the one Area that every reader may read. Nothing is written here.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from smeldr.model.items import ROOT, ItemKey, key_of
from smeldr.model.kinds import KindName

ReaderName = Literal["owner", "half", "sliver"]
READERS: Final[tuple[ReaderName, ...]] = ("owner", "half", "sliver")
"""Who asks: somebody who reads everything, half of the Domains, or one Area."""

STATES: Final[Mapping[str, int]] = {"ratified": 80, "proposed": 10, "superseded": 4, "retired": 3, "archived": 3}
KINDS: Final[Mapping[KindName, int]] = {"grounded_in": 75, "addresses": 23, "contradicts": 2}
"""The states of a hundred Decisions, and the kinds of a hundred plain links."""

WINDOW: Final = 12
"""A plain link goes back at most this many Decisions in its place."""

EARLY: Final = 5
"""A link to another place goes to one of its first Decisions."""

ACROSS: Final = 0.02
"""The part of the plain links that leave their place."""

BRANCHES: Final = 10
"""Of every member of a tree."""

CYCLE_EVERY: Final = 10
"""In one of so many places the earliest Decision rests on the latest one."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How much of everything. `tree` is its members in each direction; Decisions that fill no Area lie in Domains."""

    decisions: int
    relations: int
    amendments: int
    domains: int
    areas: int
    in_area: int
    dependants: int
    tree: int
    chain: int
    seed: int = 1


LARGE: Final = Shape(
    decisions=100_000,
    relations=300_000,
    amendments=3_000,
    domains=20,
    areas=45,
    in_area=100,
    dependants=50_000,
    tree=1_500,
    chain=1_500,
)
SMALL: Final = Shape(
    decisions=5_000,
    relations=15_000,
    amendments=150,
    domains=4,
    areas=10,
    in_area=100,
    dependants=1_500,
    tree=1_020,
    chain=100,
)

Edge = tuple[KindName, ItemKey, ItemKey]
"""(kind, source, target)."""


@dataclass(slots=True)
class Graph:
    """A register's items and live relations. `parents` are the places with what is around each."""

    shape: Shape
    parents: dict[ItemKey, ItemKey] = field(default_factory=dict)
    place: dict[ItemKey, ItemKey] = field(default_factory=dict)
    state: dict[ItemKey, str] = field(default_factory=dict)
    edges: dict[Edge, None] = field(default_factory=dict)
    ordinary: ItemKey = ROOT
    saturating: ItemKey = ROOT
    hub: ItemKey = ROOT
    chain: ItemKey = ROOT

    def granted(self, reader: ReaderName) -> Sequence[ItemKey]:
        """The places over which the reader is granted `read`."""
        domains = [place for place, parent in self.parents.items() if parent == ROOT]
        return {"owner": [ROOT], "half": domains[: len(domains) // 2], "sliver": [_COMMON]}[reader]

    def readable(self, reader: ReaderName) -> Collection[ItemKey] | None:
        """Every place that the reader may read; None for all of them."""
        granted = set(self.granted(reader))
        if ROOT in granted:
            return None
        return {place for place, parent in self.parents.items() if place in granted or parent in granted}

    def join(self, kind: KindName, source: ItemKey, target: ItemKey) -> bool:
        """Add a relation, unless the two are one or joined so already."""
        if kind == "contradicts" and target < source:
            source, target = target, source
        if source == target or (kind, source, target) in self.edges:
            return False
        self.edges[kind, source, target] = None
        return True

    def flagged_by(self, premise: ItemKey) -> int:
        """How many premise flags are due when this Decision is out of force."""
        return sum(
            1
            for kind, source, target in self.edges
            if target == premise and kind == "grounded_in" and self.state[source] == "ratified"
        )


_COMMON: Final = key_of("Area", 1)
"""The Area that every reader may read."""


def generate(shape: Shape) -> Graph:
    """Make the graph of this shape."""
    chance = random.Random(shape.seed)
    graph = Graph(shape)
    _places(graph)
    _decisions(graph, chance)
    common = [key for key, place in graph.place.items() if place == _COMMON]
    graph.hub, graph.saturating, graph.chain = common[:3]
    near = common[3 : 3 + BRANCHES]
    read_by_half = graph.readable("half") or ()
    others = [key for key, place in graph.place.items() if place in read_by_half and place != _COMMON]
    chance.shuffle(others)
    on_it, below = _taken(others, shape.tree), _taken(others, shape.tree)
    _tree(graph, near[: BRANCHES // 2] + on_it, upward=True)
    _tree(graph, near[BRANCHES // 2 :] + below, upward=False)
    _chain(graph, _taken(others, shape.chain))
    apart = {graph.hub, graph.saturating, graph.chain, *near, *on_it, *below}
    apart |= {source for _, source, target in graph.edges} | {target for _, source, target in graph.edges}
    plain = _plain(graph, apart)
    mates = plain[_COMMON]
    graph.ordinary = mates[len(mates) // 2]
    for key in (graph.hub, graph.saturating, graph.chain, graph.ordinary):
        graph.state[key] = "ratified"
    _on_hub(graph, [key for members in plain.values() for key in members], chance)
    _cycles(graph, plain)
    _amendments(graph, plain, chance)
    _links(graph, plain, chance)
    return graph


def _places(graph: Graph) -> None:
    domains = [key_of("Domain", number) for number in range(1, graph.shape.domains + 1)]
    graph.parents.update((domain, ROOT) for domain in domains)
    areas = (key_of("Area", number) for number in range(1, graph.shape.domains * graph.shape.areas + 1))
    for domain in domains:
        graph.parents.update((next(areas), domain) for _ in range(graph.shape.areas))


def _decisions(graph: Graph, chance: random.Random) -> None:
    """The Decisions, places and states mixed as years of work mix them."""
    shape = graph.shape
    domains = [place for place, parent in graph.parents.items() if parent == ROOT]
    slots = [place for place, parent in graph.parents.items() if parent != ROOT for _ in range(shape.in_area)]
    slots += [domains[n % len(domains)] for n in range(shape.decisions - len(slots))]
    chance.shuffle(slots)
    states = chance.choices(list(STATES), list(STATES.values()), k=shape.decisions)
    for number, (place, state) in enumerate(zip(slots, states, strict=True), start=1):
        key = key_of("Decision", number)
        graph.place[key], graph.state[key] = place, state


def _taken(others: list[ItemKey], count: int) -> list[ItemKey]:
    taken, others[:] = others[:count], others[count:]
    return taken


def _tree(graph: Graph, members: Sequence[ItemKey], *, upward: bool) -> None:
    """Rings of 10, 100, 1,000 around the saturating Decision, resting on it or below it."""
    for n, member in enumerate(members):
        parent = members[n // BRANCHES - 1] if n >= BRANCHES else graph.saturating
        source, target = (member, parent) if upward else (parent, member)
        graph.join("grounded_in", source, target)


def _chain(graph: Graph, members: Sequence[ItemKey]) -> None:
    below = graph.chain
    for member in members:
        graph.join("grounded_in", member, below)
        below = member


def _plain(graph: Graph, apart: Collection[ItemKey]) -> dict[ItemKey, list[ItemKey]]:
    plain: dict[ItemKey, list[ItemKey]] = {}
    for key, place in graph.place.items():
        if key not in apart:
            plain.setdefault(place, []).append(key)
    return {place: plain[place] for place in sorted(plain)}


def _on_hub(graph: Graph, plain: list[ItemKey], chance: random.Random) -> None:
    for key in chance.sample(plain, graph.shape.dependants):
        graph.join("grounded_in", key, graph.hub)


def _cycles(graph: Graph, plain: dict[ItemKey, list[ItemKey]]) -> None:
    places = [place for place in plain if place != _COMMON]
    for place in places[::CYCLE_EVERY]:
        graph.join("grounded_in", plain[place][0], plain[place][-1])


def _amendments(graph: Graph, plain: dict[ItemKey, list[ItemKey]], chance: random.Random) -> None:
    amended = [key for members in plain.values() for key in members if graph.state[key] in ("proposed", "ratified")]
    for number, decision in enumerate(chance.sample(amended, graph.shape.amendments), start=1):
        key = key_of("Amendment", number)
        graph.place[key], graph.state[key] = graph.place[decision], chance.choice(["proposed", "ratified"])
        graph.join("amends", key, decision)


def _links(graph: Graph, plain: dict[ItemKey, list[ItemKey]], chance: random.Random) -> None:
    """Plain links until there are as many relations as the shape says."""
    wanted = _wanted(plain, chance)
    while len(graph.edges) < graph.shape.relations:
        graph.join(*next(wanted))


def _wanted(plain: dict[ItemKey, list[ItemKey]], chance: random.Random) -> Iterator[Edge]:
    places = list(plain)
    everywhere = [(place, rank) for place, members in plain.items() for rank in range(1, len(members))]
    kinds = [kind for kind, of_a_hundred in KINDS.items() for _ in range(of_a_hundred)]
    while True:
        place, rank = chance.choice(everywhere)
        source = plain[place][rank]
        if chance.random() < ACROSS:
            other = plain[chance.choice(places)]
            yield "grounded_in", source, other[chance.randrange(min(EARLY, len(other)))]
        else:
            yield chance.choice(kinds), source, plain[place][max(0, rank - 1 - int(chance.random() * WINDOW))]
