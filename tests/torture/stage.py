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
    _serving: tuple[int, Mapping[str, str]] | None = None

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

    def serve(self, workers: int = 1, **settings: str) -> None:
        """Have a server like this run: the one that runs, if it is like this, or a new one."""
        if self._serving == (workers, settings):
            return
        if self._serving:
            self.server.kill_all()
        self.server.start(workers, settings)
        self._serving = (workers, settings)

    def serve_again(self, workers: int) -> None:
        """Start a server, after the one before was killed."""
        self.server.start(workers)
        self._serving = (workers, {})

    def close(self) -> None:
        """Let go of the server and of the database."""
        for each in self._six:
            each.close()
        self.owner.register.store.close()

    def check(self) -> Found:
        """Hold the register against what the writers were told."""
        return check(self.journal, self.tables, self.owner)


@contextmanager
def staged(kind: str, seed: str) -> Iterator[Stage]:
    """A register on this kind of database, not yet served. What it leaves is kept when the block fails."""
    folder = Path(tempfile.mkdtemp(prefix=f"smeldr-torture-{kind}-"))
    cluster = Cluster(durable=True, options=(f"max_connections={MOST_CONNECTIONS}",)) if kind == "postgresql" else None
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
    try:
        yield stage
    except BaseException:
        stage.keep = True
        raise
    finally:
        server.kill_all()
        stage.close()
        _clear_away(stage, folder)


def _clear_away(stage: Stage, folder: Path) -> None:
    if stage.keep:
        print(f"kept: {folder} {stage.cluster.folder if stage.cluster else ''}")  # noqa: T201 - for who looks into it
        return
    shutil.rmtree(folder)
    if stage.cluster:
        stage.cluster.remove()
