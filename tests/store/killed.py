"""A process that copies, backs up or restores a register and kills itself after so many rows.

Run as `python -m tests.store.killed copy FROM TO STEP`, `backup DATABASE FILE STEP` or `restore FILE DATABASE STEP`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from itertools import count
from pathlib import Path

from smeldr.store import copying, keeping


def run(what: str, source: str, target: str, step: int) -> int:
    """Start one, and give how it ended."""
    words = [sys.executable, "-m", __name__, what, source, target, str(step)]
    return subprocess.run(words, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, check=False).returncode


def _main(what: str, source: str, target: str, step: str) -> None:
    steps = count()

    def progress(_further: int, _more: int) -> None:
        if next(steps) == int(step):
            os.kill(os.getpid(), signal.SIGKILL)

    copying.BATCH = 1  # type: ignore[misc]
    if what == "copy":
        keeping.copy(source, target, progress)
    elif what == "backup":
        keeping.back_up(source, Path(target), force=True, progress=progress)
    else:
        keeping.restore(Path(source), target, replace=False, discard=False, progress=progress)


if __name__ == "__main__":
    _main(*sys.argv[1:])
