"""Whatever is written by whomever, every answer for every caller is the one that the independent model gives."""

from __future__ import annotations

from hypothesis.stateful import run_state_machine_as_test

from tests.conftest import Fresh
from tests.databases import Databases
from tests.properties.machine import RandomWrites
from tests.properties.profile import bounded
from tests.properties.world import World, open_world


def test_every_answer_for_every_caller_is_the_models(fresh: Fresh, databases: Databases) -> None:
    class Played(RandomWrites):
        def make_world(self) -> World:
            return open_world(databases.copy(fresh.database), fresh.token, fresh.owner_id)

    run_state_machine_as_test(Played, settings=bounded(8))
