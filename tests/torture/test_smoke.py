"""The torture runs: one kill of a real server, which is all that the suite has time for."""

from __future__ import annotations

from tests.torture.servers import server_killed
from tests.torture.stage import staged


def test_a_server_that_is_killed_once_has_lost_nothing() -> None:
    with staged("sqlite", "smoke") as stage:
        server_killed(stage)
        assert [] == stage.check().lines
        assert stage.journal.acknowledged()
