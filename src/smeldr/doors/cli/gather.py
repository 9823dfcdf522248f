"""From what was typed to the arguments of a tool: words by position, options, the types that addresses say.

What is missing is named all at once. No value is judged here beyond what the manifest says; nothing is sent and
nothing is read from a server.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from smeldr.doors.cli import options, revs
from smeldr.doors.cli.manifest import Parameter, Tool
from smeldr.doors.cli.verbs import Verb


def metavar(verb: Verb, tool: Tool) -> str:
    """The words of a command, as its usage line shows them."""
    return " ".join(_word(tool.parameters[name]) for name in verb.positions)


def _word(parameter: Parameter) -> str:
    if parameter.types == ("array",):
        return f"[{parameter.name.removesuffix('s').upper()}]..."
    name = parameter.name.removesuffix("_id").upper()
    return name if parameter.required else f"[{name}]"


def arguments(
    verb: Verb, tool: Tool, made: Mapping[str, click.Option], words: Sequence[str], values: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments that were typed, with the types that their addresses say. Raises click.UsageError."""
    found = options.given(tool, {**values, **_placed(verb, tool, made, words, values)})
    if "condition" in tool.parameters and "condition" not in found and len(found.get("conditions", ())) == 1:
        found["condition"] = found.pop("conditions")[0]  # only the form for one condition takes a rev
    found |= options.types_said(tool, found)
    _check(verb, tool, found)
    return found


def _placed(
    verb: Verb, tool: Tool, made: Mapping[str, click.Option], words: Sequence[str], values: Mapping[str, Any]
) -> dict[str, Any]:
    """Give each word to the first position that no option has filled; a list takes all that are left."""
    left = list(words)
    placed: dict[str, Any] = {}
    for name in verb.positions:
        if not left or values.get(name) not in (None, ()):
            continue
        taken, left = (left, []) if tool.parameters[name].is_list else (left[:1], left[1:])
        read = [made[name].type.convert(word, made[name], click.get_current_context()) for word in taken]
        placed[name] = read if tool.parameters[name].is_list else read[0]
    if left:
        raise click.UsageError(f"One word too many: {left[0]!r}." if len(left) == 1 else f"Words too many: {left}.")
    return placed


def _check(verb: Verb, tool: Tool, found: Mapping[str, Any]) -> None:
    absent = [each.name for each in tool.parameters.values() if each.required and each.name not in found]
    absent = [name for name in absent if options.TYPE_OF.get(name) not in absent]  # the address will say it
    if absent:
        named = ", ".join(_named(name, verb) for name in absent)
        hints = dict.fromkeys(_HINTS[name] for name in absent if name in _HINTS)
        raise click.UsageError(" ".join([f"Missing: {named}.", *hints]))
    if "request_key" in found and (unsaid := revs.missing(tool, found)):
        flags = " and ".join(map(options.flag_of, unsaid))
        raise click.UsageError(f"With --request-key, give {flags} too: the key stands for one and the same call.")


_TYPE_HINT = "An address says its type, an id does not."
_HINTS: Mapping[str, str] = {
    "rev": "It is the rev that you have seen: `show` and `list` print it.",
    **dict.fromkeys(options.TYPE_OF, _TYPE_HINT),
}


def _named(name: str, verb: Verb) -> str:
    flag = options.flag_of(name)
    return f"{name.removesuffix('_id').upper()} (or {flag})" if name in verb.positions else flag
