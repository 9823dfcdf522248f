"""The server of the register is killed at any instant, whole or in part."""

from __future__ import annotations

import time

from tests.torture.stage import Stage


def server_killed(stage: Stage) -> str:
    """Kill the server, one of its workers, or the one that started them, and start another unless one is left."""
    workers = stage.serve()
    victim = "the server" if workers == 1 else stage.chance.choice(("a worker", "the first process", "everything"))
    after = stage.chance.uniform(0.1, 1.5)
    with stage.writers():
        time.sleep(after)
        if victim == "a worker":
            stage.server.kill_a_worker(stage.chance)
        elif victim == "everything":
            stage.server.kill_all()
        else:
            stage.server.kill()
        if victim != "a worker":
            stage.serve_again()
        back = stage.server.wait_until_ready()
        time.sleep(0.2)
    stage.kills += 1
    of = f" of a server with {workers} workers" if workers > 1 else ""
    return f"{victim}{of} killed after {after:.2f} s, ready {back:.1f} s later"
