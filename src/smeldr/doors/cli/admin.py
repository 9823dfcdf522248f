"""`smeldr`: makes a register, serves it, and looks after its database, on the machine where that is.

What the commands do comes in as functions, since whoever joins the parts stands above the doors; here is what is asked
of them, what is printed, and how a failure reads. No command of this file goes over the network.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from smeldr import __version__
from smeldr.doors.cli.config import DEFAULT_URL, FILE
from smeldr.doors.cli.failure import Failure, Refused
from smeldr.doors.cli.saved import taken
from smeldr.model.errors import Refusal
from smeldr.model.imported import READINGS

Progress = Callable[[int], object]
"""Told how much further an import has come: bytes read since it was last told."""


@dataclass(frozen=True)
class Commands:
    """What `smeldr` can do. `database` is a URL, or None for the one that the settings name.

    `initialise` (database, name of the owner) and `recover_owner` (database, who, name of a new person) give the
    `database` (and as it is `shown` to people), the `principal` and the `token`; `serve` takes host, port and workers;
    `serve_stdio` a token; `import_file` gives how many of what it made. Each may raise Refusal. `known` are the other
    exceptions whose text is a line for whoever ran the command, each with the code that it goes by.
    """

    initialise: Callable[[str | None, str], Mapping[str, str]]
    serve: Callable[[str | None, str, int, int], None]
    serve_stdio: Callable[[str | None, str], None]
    migrate: Callable[[str | None], None]
    import_file: Callable[[str | None, Path, Progress], Mapping[str, Any]]
    recover_owner: Callable[[str | None, str | None, str], Mapping[str, str]]
    known: Mapping[type[Exception], str]


class _Group(click.Group):
    """`smeldr` itself; what a refusal or a known exception says is how it fails."""

    known: Mapping[type[Exception], str]

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was named."""
        try:
            return super().invoke(ctx)
        except Refusal as refusal:
            raise Refused(refusal.reply()["error"]) from None
        except tuple(self.known) as error:
            code = next(code for kind, code in self.known.items() if isinstance(error, kind))
            raise Failure(code, str(error)) from None


DATABASE = click.option(
    "--database", metavar="URL", help="The database, such as sqlite:///smeldr.db. [default: SMELDR_DATABASE, or that]"
)
_OWNER = click.option("--owner", default="Owner", show_default=True, metavar="NAME", help="What the owner is called.")
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")


def build(commands: Commands, more: Iterable[click.Command] = ()) -> click.Group:
    """Make `smeldr` from the functions that do the work; `more` are commands that are made elsewhere."""
    made = (_init, _serve, _mcp, _migrate, _import, _recover_owner)
    group = _Group(
        "smeldr",
        commands=[*(make(commands) for make in made), *more],
        help="A register of decisions for people and AI agents: make it, serve it, look after it.",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    group.known = commands.known
    return click.version_option(__version__, prog_name="smeldr", message="%(prog)s %(version)s")(group)


def _init(commands: Commands) -> click.Command:
    @click.command("init")
    @DATABASE
    @_OWNER
    @click.option("--save", is_flag=True, help=f"Write the token into {FILE} here, for smeldr-cli.")
    @JSON
    def init(database: str | None, owner: str, save: bool, as_json: bool) -> None:
        """Make a register: its tables, its owner with all four rights over everything, and the owner's token."""
        with taken(Path.cwd() / FILE) if save else nullcontext() as write:
            made = commands.initialise(database, owner)
            if write:
                write({"SMELDR_URL": DEFAULT_URL, "SMELDR_TOKEN": made["token"]})
        _say(made, as_json)
        if not as_json:
            click.echo(_SAVED if save else _NOT_SAVED)
            click.echo(_NEXT)

    return init


_SAVED: Final = f"It is in {FILE} too, which smeldr-cli reads in this folder and only you can read."
_NOT_SAVED: Final = "smeldr-cli takes it from SMELDR_TOKEN."
_NEXT: Final = """\

Start the server:
  smeldr serve

Then give each agent a token of its own, here one that may write but not ratify:
  smeldr-cli principal create "My agent" --class agent
  smeldr-cli grant give <the id that this prints> author ROOT
  smeldr-cli token create <the same id>

In a checkout, these two are .venv/bin/smeldr and ./smeldr-cli."""


def _serve(commands: Commands) -> click.Command:
    @click.command("serve")
    @DATABASE
    @click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
    @click.option(
        "--port", default=8080, show_default=True, type=click.IntRange(0, 65_535), metavar="N", help="The port."
    )
    @click.option(
        "--workers", default=1, show_default=True, type=click.IntRange(1, 64), metavar="N", help="How many processes."
    )
    def serve(database: str | None, host: str, port: int, workers: int) -> None:
        """Answer over HTTP until stopped: the tools, MCP at /mcp, and the state of the server."""
        try:
            commands.serve(database, host, port, workers)
        except SystemExit as stopped:
            if stopped.code is None or stopped.code == 0 or isinstance(stopped.code, str):
                raise
            raise Failure("io", f"cannot serve on {host}:{port}; the log above says why") from None

    return serve


def _mcp(commands: Commands) -> click.Command:
    @click.command("mcp")
    @DATABASE
    def mcp(database: str | None) -> None:
        """Speak MCP over standard input and output, as the principal whose token is in SMELDR_TOKEN."""
        token = os.environ.get("SMELDR_TOKEN", "").strip()
        if not token:
            raise Failure("unauthorized", "SMELDR_TOKEN is not set: `smeldr mcp` acts as the principal of that token")
        commands.serve_stdio(database, token)

    return mcp


def _migrate(commands: Commands) -> click.Command:
    @click.command("migrate")
    @DATABASE
    def migrate(database: str | None) -> None:
        """Bring the tables of an older version to this one."""
        commands.migrate(database)
        click.echo("The database is at the newest revision.")

    return migrate


def _import(commands: Commands) -> click.Command:
    @click.command("import")
    @click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE.jsonl")
    @DATABASE
    @JSON
    def import_file(file: Path, database: str | None, as_json: bool) -> None:
        """Load decisions that were made elsewhere, as they stand: all of the file, or nothing of it."""
        with click.progressbar(
            length=max(file.stat().st_size * READINGS, 1),
            label=file.name,
            file=sys.stderr,
            hidden=not sys.stderr.isatty(),
        ) as bar:
            made = commands.import_file(database, file, bar.update)
        if as_json:
            click.echo(json.dumps(dict(made), ensure_ascii=False))
        else:
            click.echo(", ".join(f"{name.replace('_', ' ')}: {number}" for name, number in made.items()))

    return import_file


def _recover_owner(commands: Commands) -> click.Command:
    @click.command("recover-owner")
    @DATABASE
    @click.option("--principal", metavar="ID", help="The person who is to own it. [default: a new one]")
    @_OWNER
    @JSON
    def recover_owner(database: str | None, principal: str | None, owner: str, as_json: bool) -> None:
        """Give a register that lost its administrator one back: all four rights over everything, and a new token."""
        _say(commands.recover_owner(database, principal, owner), as_json)

    return recover_owner


def _say(made: Mapping[str, str], as_json: bool) -> None:
    """Who owns the register, and the token."""
    if as_json:
        click.echo(json.dumps({key: made[key] for key in ("database", "principal", "token")}))
        return
    click.echo(f"The register in {made['shown']} has an owner, with all four rights over ROOT.")
    click.echo(f"principal: {made['principal']}")
    click.echo(f"token, shown this once: {made['token']}")
