"""A process that writes to a register until it is done or killed, and says what was acknowledged, one JSON line each.

Run as `python -m tests.operations.writer DATABASE TOKEN COUNT SEED`.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from typing import Any

from smeldr.doors.logs import log_to_stderr
from smeldr.model.errors import Refusal
from smeldr.operations.register import Register
from smeldr.settings import Settings
from smeldr.wiring import open_register


def start(database: str, token: str, count: int, seed: int) -> subprocess.Popen[str]:
    """Start one; its lines are read from its `stdout`."""
    return subprocess.Popen(
        [sys.executable, "-m", __name__, database, token, str(count), str(seed)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def write(register: Register, token: str, count: int, seed: int) -> None:
    """Propose, ratify, ground, contradict and retire; tell of every success, and of every refusal but `conflict`."""
    chance = random.Random(seed)
    mine: list[str] = []

    def call(tool: str, **arguments: Any) -> dict[str, Any]:
        try:
            reply = register.call(tool, arguments, token)
        except Refusal as refusal:
            if refusal.code != "conflict":
                _tell({"refused": refusal.code})
            return {}
        _tell({"tool": tool, **{name: reply[name] for name in ("address", "state", "rev") if name in reply}})
        return reply

    for _ in range(count):
        grounds = chance.sample(mine, min(len(mine), 2))
        made = call("propose_decision", title="A Decision", body="Text " * 200, grounded_in=grounds)
        if not made:
            continue
        mine.append(made["address"])
        call("ratify_decision", decision=made["address"])
        other = chance.choice(mine)
        if chance.random() < 0.4:
            call("retire_decision", decision=other, reason="No longer")
        elif chance.random() < 0.5 and other != made["address"]:
            ends = {"source_type": "Decision", "target_type": "Decision", "relation_kind": "contradicts"}
            call("assert_relation", source_id=made["address"], target_id=other, **ends)


def _tell(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    log_to_stderr("error")
    write(open_register(Settings(database=sys.argv[1])), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
