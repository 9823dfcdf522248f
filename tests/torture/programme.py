"""Which rounds there are, on which database, and how many of each for a number of kills."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Final

from tests.torture.clients import crowd, leaving, slow
from tests.torture.databases import (
    connections_cut,
    connections_used_up,
    database_killed,
    database_restarted,
    pool_exhausted,
)
from tests.torture.servers import server_killed
from tests.torture.stage import Stage

Round = Callable[[Stage], str]
"""Does its harm while writers are at work, sees to it that what it took away is there again, and says what it did."""

ALWAYS: Final[Mapping[Round, float]] = {server_killed: 1.0, crowd: 0.04, leaving: 0.04, slow: 0.04}
BY_KIND: Final[Mapping[str, Mapping[Round, float]]] = {
    "sqlite": ALWAYS,
    "postgresql": {
        **ALWAYS,
        database_killed: 0.4,
        database_restarted: 0.1,
        connections_cut: 0.1,
        pool_exhausted: 0.04,
        connections_used_up: 0.04,
    },
}
"""For each time that the server is killed, how often the others come; each comes once at least."""


def rounds(kind: str, kills: int, chance: random.Random) -> list[Round]:
    """The rounds in a random order, so that time which runs out takes something of each."""
    all_of_them = [each for each, share in BY_KIND[kind].items() for _ in range(max(1, round(share * kills)))]
    chance.shuffle(all_of_them)
    return all_of_them
