"""A register of its own for the torture of one kind of database: its server, its writers, and what they know."""

from __future__ import annotations

import itertools
import random
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from smeldr.settings import Settings
from smeldr.wiring import initialise, open_register
from tests.callers import Caller, principal
from tests.cluster import Cluster
from tests.operations.tables import Tables
from tests.torture.checking import Found, check
from tests.torture.door import Door
from tests.torture.journal import Journal
from tests.torture.known import Known
from tests.torture.repertoire import CHANGES, Changes, granting
from tests.torture.server import Server
from tests.torture.writer import Writer, at_work

WRITERS: Final = 6
MOST_CONNECTIONS: Final = 60
"""What the database server allows: few enough to be used up."""


@dataclass(frozen=True)
class Serving:
    """What kind of server runs."""

    workers: int
    settings: Mapping[str, str]


@dataclass
class Stage:
    """Everything that a round needs. `chance` makes the choices of a round; each writer has its own."""

    owner: Caller
    tables: Tables
    server: Server
    cluster: Cluster | None
    tokens: list[str]
    bystander: str
    seed: str
    chance: random.Random
    journal: Journal = field(default_factory=Journal)
    known: Known = field(default_factory=Known)
    kills: int = 0
    keep: bool = False
    """Whether the database and the log of the server stay, for a look at what is amiss."""

    _six: list[Writer] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _serving: Serving | None = None

    @contextmanager
    def writers(self) -> Iterator[None]:
        """Have the six writers call while the block runs."""
        if not self._six:
            self._six = self.made(WRITERS, (*CHANGES, (1, granting(self.bystander))))
        with at_work(self._six):
            yield

    @contextmanager
    def crowd(self, size: int, changes: Changes = CHANGES, leaves: float = 0.0) -> Iterator[None]:
        """Have that many writers call while the block runs."""
        crowd = self.made(size, changes)
        with at_work(crowd, leaves):
            yield
        for each in crowd:
            each.close()

    def made(self, size: int, changes: Changes) -> list[Writer]:
        """New writers, who share the principals."""
        return [
            Writer(
                name := f"w{next(self._numbers)}",
                self.door(number),
                random.Random(f"{self.seed}.{name}"),
                self.journal,
                self.known,
                changes,
            )
            for number in range(size)
        ]

    def door(self, number: int = 0) -> Door:
        """A way to the server, as one of the principals."""
        return Door(self.server.url, self.tokens[number % WRITERS])

    def serve(self) -> int:
        """Have a server run, the one that does or a new one; gives how many workers it has."""
        if self._serving is None or self._serving.settings:
            self.serve_with()
        assert self._serving is not None
        return self._serving.workers

    def serve_with(self, **settings: str) -> None:
        """Have a server with these settings run, and no other."""
        self.server.kill_all()
        self.serve_again(**settings)

    def serve_again(self, **settings: str) -> None:
        """Start a server where none is any more, most of the time without workers of its own."""
        self._serving = Serving(self.chance.choice((1, 1, 2)), settings)
        self.server.start(self._serving.workers, settings)

    def close(self) -> None:
        """End the server and let go of the database."""
        self.server.kill_all()
        for each in self._six:
            each.close()
        self.owner.register.store.close()

    def check(self) -> Found:
        """Hold the register against what the writers were told."""
        return check(self.journal, self.tables, self.owner)


@contextmanager
def staged(kind: str, seed: str) -> Iterator[Stage]:
    """A register on this kind of database, not yet served. When the block fails, what it leaves is kept."""
    folder = Path(tempfile.mkdtemp(prefix=f"smeldr-torture-{kind}-"))
    cluster = Cluster(durable=True, options=(f"max_connections={MOST_CONNECTIONS}",)) if kind == "postgresql" else None
    stage: Stage | None = None
    kept = False
    try:
        stage = _furnished(folder, cluster, seed)
        yield stage
        kept = stage.keep
    except Exception:
        kept = True
        raise
    finally:
        if stage is not None:
            stage.close()
        _clear_away(folder, cluster, kept)


def _furnished(folder: Path, cluster: Cluster | None, seed: str) -> Stage:
    """A register with the principals of the writers and two places."""
    database = cluster.url(cluster.create()) if cluster else f"sqlite:///{folder}/register.db"
    made = initialise(Settings(database=database), "Owner")
    owner = Caller(open_register(Settings(database=database)), made["token"], made["principal"])
    rights = {"ROOT": ["read", "author", "ratify", "administer"]}
    tokens = [principal(owner, f"Writer {number}", rights=rights).token for number in range(WRITERS)]
    bystander = principal(owner, "Bystander").id
    server = Server(database, folder / "server.log")
    stage = Stage(owner, Tables(database), server, cluster, tokens, bystander, seed, random.Random(seed))
    for tool, arguments in (("create_domain", {"name": "Books"}), ("create_area", {"domain": "DOM1", "name": "Bills"})):
        stage.known.hear(tool, owner.call(tool, **arguments))
    return stage


def _clear_away(folder: Path, cluster: Cluster | None, kept: bool) -> None:
    if kept:
        if cluster:
            cluster.stop()
        print(f"kept: {folder} {cluster.folder if cluster else ''}")  # noqa: T201 - for whoever looks into it
        return
    shutil.rmtree(folder)
    if cluster:
        cluster.remove()
