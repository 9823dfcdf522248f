"""`smeldr copy`, `backup` and `restore`: a register in another house, in a file, and back from one.

What they do comes in as functions (as in admin.py); here is what is asked of them and what is printed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from smeldr.doors.cli.admin import DATABASE, JSON
from smeldr.doors.cli.screen import Screen

Progress = Callable[[int, int], object]
"""Told how many rows further the work is, and how many more it has found that there are."""

Done = Mapping[str, Any]
"""`tables`, each with its name, `rows` and `sha256`, and what was named where, without passwords."""

SHORT: Final = 12
"""How much of a sum people are shown."""


@dataclass(frozen=True)
class Keeping:
    """What can be done. `copy` takes two database URLs and gives them back as `from` and `to`.

    `back_up` takes a database, a file, and whether to replace one that is there; `restore` a database, a file, whether
    to replace another register, and whether to discard what is replaced: otherwise it gives where that is, `former`.
    Both give the `database` and the `file`.
    """

    copy: Callable[[str, str, Progress], Done]
    back_up: Callable[[str | None, Path, bool, Progress], Done]
    restore: Callable[[str | None, Path, bool, bool, Progress], Done]


def keeping(does: Keeping) -> list[click.Command]:
    """Make the commands from the functions that do the work."""
    return [_copy(does), _backup(does), _restore(does)]


def _copy(does: Keeping) -> click.Command:
    @click.command("copy")
    @click.argument("source", metavar="FROM")
    @click.argument("target", metavar="TO")
    @JSON
    def copy(source: str, target: str, as_json: bool) -> None:
        """Copy the register of one database, FROM, into another that is empty, TO. Both are database URLs.

        Stop the servers of the old one first: what is written meanwhile stays there.
        """
        with _bar("copy") as progress:
            done = does.copy(source, target, progress)
        _say(
            done,
            as_json,
            "",
            f"The register is in {done['to']} now. For the servers:",
            f"  SMELDR_DATABASE={done['to']}",
        )

    return copy


def _backup(does: Keeping) -> click.Command:
    @click.command("backup")
    @click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
    @DATABASE
    @click.option("--force", is_flag=True, help="Replace FILE, once the new one is whole.")
    @JSON
    def backup(file: Path, database: str | None, force: bool, as_json: bool) -> None:
        """Copy the register into one file, as it is at this moment, while servers serve."""
        with _bar(file.name) as progress:
            done = does.back_up(database, file, force, progress)
        _say(done, as_json, "", f"The register of {done['database']} is backed up in {done['file']}.")

    return backup


def _restore(does: Keeping) -> click.Command:
    @click.command("restore")
    @click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE")
    @DATABASE
    @click.option("--replace", is_flag=True, help="Also replace a register that is not the one of the backup.")
    @click.option("--discard", is_flag=True, help="Keep no backup of what is replaced, say when it is damaged.")
    @JSON
    def restore(file: Path, database: str | None, replace: bool, discard: bool, as_json: bool) -> None:
        """Put the register of a backup in the place of what the database holds, at one moment, while servers serve."""
        with _bar(file.name) as progress:
            done = does.restore(database, file, replace, discard, progress)
        former = [f"What was there before is in {done['former']}."] if "former" in done else []
        _say(done, as_json, "", f"The register of {done['file']} is in {done['database']} now.", *former)

    return restore


@contextmanager
def _bar(label: str) -> Iterator[Progress]:
    """A bar on standard error for whoever watches, as long as the work turns out to be."""
    with click.progressbar(length=0, label=label, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:

        def progress(further: int, more: int) -> None:
            bar.length = (bar.length or 0) + more
            bar.update(further)

        yield progress


def _say(done: Done, as_json: bool, *lines: str) -> None:
    """The tables, and what there is to say after them."""
    if as_json:
        click.echo(json.dumps(dict(done), ensure_ascii=False))
        return
    screen = Screen(sys.stdout)
    rows = [(table["table"], str(table["rows"]), table["sha256"][:SHORT]) for table in done["tables"]]
    screen.table(("table", "rows", "sha256"), rows)
    for line in lines:
        screen.line(line)
