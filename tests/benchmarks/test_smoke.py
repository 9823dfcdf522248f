"""The benchmarks run from end to end on a small register, and every answer that they time is right."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PARTS = {
    "count, hub",
    "trace, hub",
    "a call, /mcp",
    "8 writers, PostgreSQL",
    "hub leaves force",
    "hub is reinstated",
    "sweep",
}


def test_every_measurement_runs_and_checks_its_answers(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks", "--small", "--into", str(tmp_path)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    (kept,) = tmp_path.glob("*.json")
    figures = json.loads(kept.read_text())["figures"]
    assert {figure["work"] for figure in figures} >= PARTS
    assert all(figure["ratio"] > 0 for figure in figures)
