"""The register itself behind its doors, as `smeldr serve` has it: `python -m benchmarks.served_register FILE`."""

from __future__ import annotations

import sys

from benchmarks import servers
from smeldr.doors.app import build_app
from smeldr.doors.metrics import Metrics
from smeldr.settings import Settings
from smeldr.wiring import open_register

if __name__ == "__main__":
    settings = Settings(database=f"sqlite:///{sys.argv[1]}")
    metrics = Metrics()
    servers.listen(build_app(open_register(settings, metrics), settings, metrics=metrics))
