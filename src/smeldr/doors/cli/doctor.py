"""`smeldr doctor`: tells what is not as it should be in a register, and has mended what it was told to mend.

What is looked for and how it is mended comes in as a function; here is which codes may be asked for, what is printed,
and the exit code: 1 while anything is left that was found.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

import click

from smeldr.doors.cli.admin import DATABASE, JSON
from smeldr.doors.cli.ending import FAILED
from smeldr.doors.cli.screen import Screen
from smeldr.model.findings import FINDINGS, REPAIRABLE

SHOWN: Final = 20
"""Findings of one code that are shown to people; `--json` has more."""

Examine = Callable[[str | None, Sequence[str]], Mapping[str, Any]]
"""Given the database and the codes to mend, gives the report of the visit."""


def doctor(examine: Examine) -> click.Command:
    """Make the command from what does the work."""

    @click.command("doctor")
    @DATABASE
    @click.option(
        "--repair",
        multiple=True,
        callback=_codes,
        metavar="CODE[,CODE…]",
        help=f"Mend what has these codes first. Can be mended: {', '.join(REPAIRABLE)}.",
    )
    @JSON
    def command(database: str | None, repair: Sequence[str], as_json: bool) -> int:
        """Look whether everything in the register fits together; it changes nothing unless told to repair.

        Servers may be running meanwhile. Exit code: 0 nothing is left that was found, 1 something is.
        """
        report = examine(database, repair)
        if as_json:
            click.echo(json.dumps(dict(report), ensure_ascii=False))
        else:
            _show(report, Screen(sys.stdout))
        return FAILED if report["findings"] else 0

    return command


def _codes(_context: click.Context, _option: click.Parameter, given: Sequence[str]) -> list[str]:
    """The codes in the order in which they were given; refused when one cannot be repaired."""
    codes = [code.strip() for each in given for code in each.split(",")]
    for code in codes:
        if code not in REPAIRABLE:
            why = f"{code} cannot be repaired" if code in FINDINGS else f"there is no code {code!r}"
            raise click.BadParameter(f"{why}; these can be repaired: {', '.join(REPAIRABLE)}")
    return codes


def _show(report: Mapping[str, Any], screen: Screen) -> None:
    for each in report["repaired"]:
        screen.line(f"repaired {each['code']} ({each['number']:,}): {FINDINGS[each['code']].repair}")
    for code, found in groupby(report["findings"], key=lambda finding: str(finding["code"])):
        total = report["totals"][code]
        screen.line(f"{code} ({total:,}): {FINDINGS[code].means}")
        for each in list(found)[:SHOWN]:
            screen.line(f"  {each['what']}: {each['message']}")
        if total > SHOWN:
            screen.line(f"  and {total - SHOWN:,} more")
    screen.line(_summary(report))


def _summary(report: Mapping[str, Any]) -> str:
    totals: Mapping[str, int] = report["totals"]
    items, relations = _number(report["items"], "item"), _number(report["relations"], "relation")
    where = f"in {items}, {relations} and {_number(report['entries'], 'entry', 'entries')} of the history"
    if not totals:
        return f"Nothing found {where}."
    mended = [code for code in totals if FINDINGS[code].repair]
    remedy = f"; --repair {','.join(mended)} mends {sum(totals[code] for code in mended):,}" if mended else ""
    return f"{_number(sum(totals.values()), 'finding')} {where}{remedy}."


def _number(number: int, one: str, more: str | None = None) -> str:
    return f"1 {one}" if number == 1 else f"{number:,} {more or one + 's'}"
