"""Processes that count together: where, for how long, and what stays of one that has ended."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from smeldr.doors.workers import FOLDER, Workers, counting_together


def worker(pid: int) -> Any:
    return SimpleNamespace(pid=pid, is_alive=lambda timeout: True)


def files(folder: Path, *pids: int) -> None:
    for pid in pids:
        for kind in ("counter", "histogram", "gauge_livesum"):
            (folder / f"{kind}_{pid}.db").touch()


@pytest.fixture
def workers() -> Workers:
    """Two that run, watched by nobody: the real thing takes over the signals of its process."""
    made = Workers.__new__(Workers)
    made.config = SimpleNamespace(timeout_worker_healthcheck=1)  # type: ignore[assignment]
    made.should_exit = threading.Event()
    made.processes = [worker(11), worker(12)]
    made._running = set()
    return made


def test_the_folder_is_there_and_known_to_whatever_is_started_while_the_context_lasts() -> None:
    with counting_together():
        folder = Path(os.environ[FOLDER])
        assert folder.is_dir()
        assert 0o700 == folder.stat().st_mode & 0o777
    assert not folder.exists()
    assert FOLDER not in os.environ


def test_the_folder_goes_when_the_server_is_stopped() -> None:
    folders = []

    def stopped() -> None:
        with counting_together():
            folders.append(Path(os.environ[FOLDER]))
            files(folders[0], 11)
            sys.exit(0)

    with pytest.raises(SystemExit):
        stopped()
    assert not folders[0].exists()


def test_a_worker_that_has_ended_holds_nothing_any_more_but_what_it_counted_stays(workers: Workers) -> None:
    with counting_together():
        folder = Path(os.environ[FOLDER])
        files(folder, 11, 12)
        workers.keep_subprocess_alive()
        assert 6 == len(list(folder.iterdir()))

        workers.processes[1] = worker(13)
        files(folder, 13)
        workers.keep_subprocess_alive()

        left = {each.name for each in folder.iterdir()}
        assert {"counter_12.db", "histogram_12.db"} == {name for name in left if "_12." in name}
        assert {"gauge_livesum_11.db", "gauge_livesum_13.db"} == {name for name in left if "gauge" in name}


def test_workers_that_do_not_count_together_are_watched_all_the_same(workers: Workers) -> None:
    workers.keep_subprocess_alive()
    workers.processes.pop()
    workers.keep_subprocess_alive()

    assert {11} == workers._running
