"""A process that sweeps a register in batches of three rows and kills itself at a moment of the sweep.

Run as `python -m tests.operations.sweeper DATABASE MOMENT`; the moments are those of watched.py, counted from 1.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from unittest import mock

from smeldr.operations.call import Policy
from smeldr.operations.register import Register
from smeldr.store.store import Store
from tests.operations.watched import Watched, nth


def run(database: str, moment: int) -> int:
    """Have one run to its end, and give how it ended: the number of the signal, negative."""
    command = [sys.executable, "-m", __name__, database, str(moment)]
    return subprocess.run(command, check=False, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}).returncode


if __name__ == "__main__":
    told, _ = nth(int(sys.argv[2]), lambda: os.kill(os.getpid(), signal.SIGKILL))
    with mock.patch("smeldr.operations.sweep.BATCH", 3):
        Register(Watched(Store(sys.argv[1]), told), Policy()).sweep()
