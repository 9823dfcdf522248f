"""Kill the server and its database over and over under load, and look for what was lost: `make torture`.

A line for each round, a line for each database at the end; exit 1 when anything is amiss. The seed repeats the choices
(who is killed and when, what each writer asks for), not how the processes interleave.
"""

from __future__ import annotations

import argparse
import random
import secrets
import time
from dataclasses import dataclass

from smeldr.doors.logs import log_to_stderr
from tests.databases import KINDS
from tests.torture.checking import Found
from tests.torture.journal import Journal
from tests.torture.programme import Round, rounds
from tests.torture.stage import Stage, staged


@dataclass
class Outcome:
    """How it went on one kind of database."""

    text: str
    well: bool


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--seed", default=secrets.token_hex(3), help="repeats the choices of the run that printed it")
    parser.add_argument("--minutes", type=float, default=40, help="stop after these, however far it has come")
    parser.add_argument("--kills", type=int, default=50, help="how often the server is killed on each database")
    parser.add_argument("--database", choices=[*KINDS, "both"], default="both")
    asked = parser.parse_args()
    log_to_stderr("error")
    kinds = KINDS if asked.database == "both" else (asked.database,)
    _say(f"seed {asked.seed}")
    outcomes = [_torture(kind, asked.seed, asked.kills, asked.minutes * 60 / len(kinds)) for kind in kinds]
    for outcome in outcomes:
        _say(outcome.text)
    return 0 if all(each.well for each in outcomes) else 1


def _torture(kind: str, seed: str, kills: int, seconds: float) -> Outcome:
    """Play the rounds until they are over, the time is, or something is amiss."""
    began = time.monotonic()
    with staged(kind, seed) as stage:
        programme = rounds(kind, kills, random.Random(seed))
        done, found = 0, Found(0, 0, 0, [])
        for play in programme:
            if time.monotonic() - began > seconds:
                break
            done += 1
            stage.chance = random.Random(f"{seed}.{done}")
            found = _round(stage, play, f"{kind} {done}/{len(programme)}")
            if found.lines:
                stage.keep = True
                break
        took = f"{kind}: {done} of {len(programme)} rounds in {(time.monotonic() - began) / 60:.1f} minutes"
        return Outcome(f"{took}: {_summary(stage, found)}", not found.lines)


def _round(stage: Stage, play: Round, title: str) -> Found:
    began, before = time.monotonic(), _counted(stage.journal)
    did = play(stage)
    found = stage.check()
    written, refused, in_doubt = (now - then for now, then in zip(_counted(stage.journal), before, strict=True))
    told = f"{written} written, {refused} refused, {in_doubt} in doubt, {time.monotonic() - began:.1f} s"
    _say(f"{title} {did}: {told}: {'AMISS' if found.lines else 'ok'}")
    for line in found.lines:
        _say(f"  {line}")
    return found


def _counted(journal: Journal) -> tuple[int, int, int]:
    return len(journal.acknowledged()), len(journal.refused()), len(journal.in_doubt())


def _summary(stage: Stage, found: Found) -> str:
    written, refused, in_doubt = _counted(stage.journal)
    return (
        f"{stage.kills} kills; {written:,} writes acknowledged, {found.lost} lost;"
        f" {refused:,} refused, {found.found_of_refused} found;"
        f" {in_doubt:,} in doubt and settled, {found.made:,} of them had been made"
    )


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - this is what is run


if __name__ == "__main__":
    raise SystemExit(main())
