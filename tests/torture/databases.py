"""What is done to a PostgreSQL server while Smeldr works with it: rounds in which Smeldr itself is left alone."""

from __future__ import annotations

import os
import signal
import time
from contextlib import ExitStack, suppress
from typing import Final

import psycopg

from tests.cluster import Cluster
from tests.torture.stage import Stage

ONE_OF_OURS: Final = "SELECT pid FROM pg_stat_activity WHERE application_name = 'smeldr' ORDER BY random() LIMIT 1"
"""A process of the database server that works for Smeldr: any one."""

FEW: Final = "4"
CLIENTS: Final = 60


def database_killed(stage: Stage) -> str:
    """Kill the database server, or one of its processes, which makes it start anew by itself."""
    stage.serve()
    cluster = _cluster(stage)
    after, whole = stage.chance.uniform(0.1, 1.5), stage.chance.random() < 0.75
    away = stage.chance.uniform(6, 8) if stage.chance.random() < 0.2 else stage.chance.uniform(0, 1)
    with stage.writers():
        time.sleep(after)
        if whole:
            cluster.kill()
            time.sleep(away)
            cluster.start()
        else:
            _kill_a_backend(cluster)
        back = stage.server.wait_until_ready()
        time.sleep(0.2)
    stage.kills += 1
    what = f"the database killed, {away:.1f} s away" if whole else "a process of the database killed"
    return f"{what} after {after:.2f} s, ready {back:.1f} s later"


def database_restarted(stage: Stage) -> str:
    """Shut the database server down in order, cutting off whoever is connected, and start it again."""
    stage.serve()
    after = stage.chance.uniform(0.1, 1.5)
    with stage.writers():
        time.sleep(after)
        _cluster(stage).stop()
        _cluster(stage).start()
        back = stage.server.wait_until_ready()
        time.sleep(0.2)
    return f"the database restarted after {after:.2f} s, ready {back:.1f} s later"


def connections_cut(stage: Stage) -> str:
    """Cut a connection to the database every few hundredths of a second."""
    stage.serve()
    cut, until = 0, time.monotonic() + 3
    with stage.writers(), psycopg.connect(_cluster(stage).url("postgres"), autocommit=True) as line:
        while time.monotonic() < until:
            cut += line.execute(f"SELECT pg_terminate_backend(pid) FROM ({ONE_OF_OURS}) AS one").rowcount  # noqa: S608
            time.sleep(stage.chance.uniform(0.005, 0.08))
    stage.server.wait_until_ready()
    return f"{cut} connections cut"


def pool_exhausted(stage: Stage) -> str:
    """Sixty clients for a server that may open four connections."""
    stage.serve_with(SMELDR_DATABASE_CONNECTIONS=FEW)
    with stage.crowd(CLIENTS):
        time.sleep(3)
    stage.server.wait_until_ready()
    return f"{CLIENTS} clients over {FEW} connections"


def connections_used_up(stage: Stage) -> str:
    """Take every connection that the database server has, for longer or shorter than calls are made again."""
    stage.serve()
    seconds = stage.chance.choice((1, 7))
    with stage.writers():
        time.sleep(0.3)
        with ExitStack() as taken:
            held = _take_all(_cluster(stage), taken)
            time.sleep(seconds)
        back = stage.server.wait_until_ready()
        time.sleep(0.2)
    return f"{held} connections taken by others for {seconds} s, ready {back:.1f} s later"


def _take_all(cluster: Cluster, taken: ExitStack) -> int:
    """Take the connections that are free, those that Smeldr holds, and those again."""
    held = 0
    with psycopg.connect(cluster.url("postgres"), autocommit=True) as line:
        for _ in range(3):
            line.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'smeldr'")
            with suppress(psycopg.OperationalError):
                while True:
                    taken.enter_context(psycopg.connect(cluster.url("postgres")))
                    held += 1
    return held


def _kill_a_backend(cluster: Cluster) -> None:
    for (backend,) in cluster.tell(ONE_OF_OURS):
        with suppress(ProcessLookupError):
            os.kill(backend, signal.SIGKILL)


def _cluster(stage: Stage) -> Cluster:
    assert stage.cluster is not None
    return stage.cluster
