"""Whatever is written by whomever, every answer for every caller is the one that the independent model gives."""

from __future__ import annotations

import shutil
from itertools import count
from pathlib import Path

from hypothesis.stateful import run_state_machine_as_test

from tests.conftest import Fresh
from tests.properties.machine import RandomWrites
from tests.properties.profile import bounded
from tests.properties.world import World, open_world


def test_every_answer_for_every_caller_is_the_models(fresh: Fresh, tmp_path: Path) -> None:
    numbers = count()

    class Played(RandomWrites):
        def make_world(self) -> World:
            file = tmp_path / f"{next(numbers)}.db"
            shutil.copyfile(fresh.file, file)
            return open_world(file, fresh.token, fresh.owner_id)

    run_state_machine_as_test(Played, settings=bounded(8))
