"""The commands, derived: each verb of verbs.py with the options that its tool's parameters ask for.

None of them knows its tool by name, and a command is only made when it is asked for. How the words of one become
arguments is gather.py, what then happens running.py.
"""

from __future__ import annotations

from typing import Any, Final

import click

from smeldr import __version__
from smeldr.doors.cli import config, gather, options, verbs
from smeldr.doors.cli.manifest import tools
from smeldr.doors.cli.verbs import Verb

HELP: Final = f"""Talk to a running Smeldr server.

SMELDR_URL says where it is and SMELDR_TOKEN who calls. They come from the environment or, as lines of KEY=VALUE, from
{config.FILE} in the working directory; the environment wins. Without SMELDR_URL it is {config.DEFAULT_URL}.

A move carries the rev of its item, read just before unless you give --rev. A change carries a key, so that it is sent
once more when the connection breaks and still happens once.

Exit code: 0 done, 1 refused or failed, 2 wrong usage.
"""


class Root(click.Group):
    """`smeldr-cli` itself."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order of the table."""
        return [*verbs.GROUPS, *verbs.ALONE, "call"]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name in verbs.GROUPS:
            return Verbs(cmd_name)
        if cmd_name in verbs.ALONE:
            return _command(cmd_name, verbs.ALONE[cmd_name])
        return _call_command() if cmd_name == "call" else None


class Verbs(click.Group):
    """One group, such as `decision`."""

    def __init__(self, name: str) -> None:
        about, self._verbs = verbs.GROUPS[name]
        super().__init__(name, help=about)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Its verbs, in the order of the table."""
        return list(self._verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb of that name."""
        return _command(cmd_name, self._verbs[cmd_name]) if cmd_name in self._verbs else None


def root() -> click.Group:
    """Make `smeldr-cli`."""
    made = Root("smeldr-cli", help=HELP, context_settings={"help_option_names": ["-h", "--help"]})
    return click.version_option(__version__, prog_name="smeldr-cli", message="%(prog)s %(version)s")(made)


def _command(name: str, verb: Verb) -> click.Command:
    tool = tools()[verb.tool]
    made = {each.name: options.option(each, tool) for each in tool.parameters.values()}
    words = [click.Argument(["words"], nargs=-1, metavar=gather.metavar(verb, tool))] if verb.positions else []

    def run(as_json: bool, timeout: float | None, words: tuple[str, ...] = (), **values: Any) -> None:
        arguments = gather.arguments(verb, tool, made, words, values)
        from smeldr.doors.cli import running  # what speaks HTTP takes a while to import, and help needs none of it

        running.run(verb, tool, arguments, as_json=as_json, timeout=timeout or verb.patience)

    return click.Command(
        name,
        callback=run,
        params=[*words, *made.values(), *_common(verb)],
        help=f"{tool.description}\n\nTool: {tool.name}. Right: {tool.right}.",
        short_help=tool.description.partition("\n")[0],
    )


def _call_command() -> click.Command:
    plain = Verb("call")

    def run(tool: str, arguments: dict[str, Any] | None, as_json: bool, timeout: float | None) -> None:
        del as_json  # it is JSON anyway
        from smeldr.doors.cli import running

        known = tools().get(tool)
        changes = known is None or known.changes
        running.call(tool, arguments or {}, changes=changes, timeout=timeout or plain.patience)

    return click.Command(
        "call",
        callback=run,
        params=[
            click.Argument(["tool"]),
            click.Argument(["arguments"], metavar="[JSON|@FILE|-]", required=False, type=options.Arguments()),
            *_common(plain),
        ],
        help="Call a tool by its name, and print its reply as JSON.\n\nThe arguments are one JSON object and are sent "
        f"as they are: no rev and no key is filled in.\n\nTools: {', '.join(tools())}.",
        short_help="Call a tool by its name, with its arguments as JSON.",
    )


def _common(verb: Verb) -> list[click.Parameter]:
    wait = f"How long to wait for the server. [default: {verb.patience}]"
    return [
        click.Option(["--json", "as_json"], is_flag=True, help="Print the tool's reply, for programs."),
        click.Option(["--timeout"], type=click.FloatRange(0.1, 86_400), metavar="SECONDS", help=wait),
    ]
