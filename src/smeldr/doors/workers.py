"""Several worker processes that count together: in files of a folder that is there for as long as they are.

The folder has to be named before the library that counts is imported, in the first process as in the workers; so this
file imports it late, and is imported before whatever counts. Serving is not its business.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from smeldr.doors.leaving import Supervisor

FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The variable in which the library looks for the folder, when it is imported."""

_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - no name in it is foreseeable
"""Files in memory, where there is such a place: a mapped file that finds its disk full takes its process with it."""


@contextmanager
def counting_together() -> Iterator[None]:
    """Have this process and those that it starts count in one folder, while the context lasts."""
    where = _MEMORY if os.access(_MEMORY, os.W_OK | os.X_OK) else None
    with TemporaryDirectory(prefix="smeldr-metrics-", dir=where, ignore_cleanup_errors=True) as folder:
        os.environ[FOLDER] = folder
        try:
            yield
        finally:
            del os.environ[FOLDER]


class Workers(Supervisor):
    """Keeps the workers running until they leave; one that has ended holds no connections any more."""

    def __init__(self, *how: Any) -> None:
        super().__init__(*how)
        self._running: set[int] = set()

    def keep_subprocess_alive(self) -> None:
        """Start others in the place of those that have died."""
        super().keep_subprocess_alive()
        running = {each.pid for each in self.processes if each.pid is not None}
        for ended in self._running - running:
            _forget(ended)
        self._running = running


def _forget(worker: int) -> None:
    from prometheus_client.multiprocess import mark_process_dead

    if FOLDER in os.environ:
        mark_process_dead(worker)  # type: ignore[no-untyped-call]
