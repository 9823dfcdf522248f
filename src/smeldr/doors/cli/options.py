"""A parameter of a tool becomes an option of a command, and what was typed becomes a JSON value.

An option is named as its parameter (`grounded_in` is --grounded-in) and takes what the manifest says. What was not
given is not sent: the server has the defaults. A value that the manifest rules out is wrong usage; everything else is
for the server to judge.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import click

from smeldr.doors.cli import texts
from smeldr.doors.cli.manifest import Parameter, Tool
from smeldr.model.members import each_once

LONG_TEXTS: Final = frozenset({"body"})
"""Parameters that may also come from a file or from standard input."""

TYPE_OF: Final = {"type": "id", "type_name": "id", "source_type": "source_id", "target_type": "target_id"}
"""Parameters that name an item's type, which its address already says: parameter -> the one with the address."""


class LongText(click.ParamType[str]):
    """A text, `@file`, or `-` for standard input."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return texts.given(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Json(click.ParamType[Any]):
    """A value written as JSON."""

    name = "json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return json.loads(value, object_pairs_hook=each_once)
        except ValueError as error:
            self.fail(f"that is no JSON: {error}", param, ctx)


class Arguments(Json):
    """The arguments of a call: one JSON object, `@file`, or `-` for standard input."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:
        found = super().convert(LongText().convert(value, param, ctx), param, ctx)
        if not isinstance(found, dict):
            self.fail("the arguments are one JSON object: {...}", param, ctx)
        return found


class NumberOrDash(click.ParamType[int | None]):
    """A whole number, or `-` for none in this place of a list."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        return None if value == "-" else int(click.INT.convert(value, param, ctx))


def flag_of(name: str) -> str:
    """The option of a parameter, as it is typed."""
    return f"--{name.replace('_', '-')}"


def option(parameter: Parameter, tool: Tool) -> click.Option:
    """The option of one parameter. It is never required: what is missing is said once all is known."""
    flag = flag_of(parameter.name)
    settings: dict[str, Any] = {"help": _help(parameter, tool), "default": None}
    if parameter.types == ("boolean",):
        both = f"{flag}/--no-{flag[2:]}" if parameter.default else flag
        return click.Option([both, parameter.name], is_flag=True, **settings)
    return click.Option(
        [flag, parameter.name],
        type=_type(parameter),
        metavar=_metavar(parameter),
        multiple=parameter.is_list,
        **settings,
    )


def _type(parameter: Parameter) -> click.ParamType[Any]:
    kinds = set(parameter.items if parameter.is_list else parameter.types)
    if parameter.name in LONG_TEXTS:
        return LongText()
    if parameter.choices:
        return click.Choice(parameter.choices, case_sensitive=False)
    if kinds == {"integer"}:
        return click.IntRange(parameter.least, parameter.most)
    if kinds == {"integer", "null"}:
        return NumberOrDash()
    return click.STRING if kinds == {"string"} else Json()


def _metavar(parameter: Parameter) -> str | None:
    return (
        parameter.name.rpartition("_")[2].upper() if isinstance(_type(parameter), click.types.StringParamType) else None
    )


def _help(parameter: Parameter, tool: Tool) -> str:
    parts = [parameter.description]
    if parameter.name in LONG_TEXTS:
        parts.append("The text, @FILE to take it from a file, or - for standard input.")
    if TYPE_OF.get(parameter.name) in tool.parameters:
        parts.append("Not needed with an address, which says it.")
    if parameter.is_list:
        parts.append("Give it again, or with commas, for several.")
    if parameter.default is not None and parameter.types != ("boolean",):
        parts.append(f"[default: {parameter.default}]")
    elif parameter.required:
        parts.append("[required]")
    return " ".join(filter(None, parts))


def given(tool: Tool, values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that were given, as the tool takes them: one of a list that may be one is sent as one."""
    arguments: dict[str, Any] = {}
    for parameter in tool.parameters.values():
        value = values.get(parameter.name)
        if value is None or value == ():
            continue
        if parameter.is_list:
            value = [part for each in value for part in _parts(each)]
            if len(value) == 1 and len(parameter.types) > 1:
                value = value[0]
        arguments[parameter.name] = value
    return arguments


def _parts(value: Any) -> list[Any]:
    """The values between commas; an address has none."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else [value]


def types_said(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, str]:
    """The types that the tool takes, where an address among the arguments says them or there is only one."""
    said: dict[str, str] = {}
    for name, source in TYPE_OF.items():
        if name in tool.parameters and name not in arguments and source in arguments:
            only = tool.parameters[name].choices if len(tool.parameters[name].choices) == 1 else (None,)
            if found := type_said_by(str(arguments[source])) or only[0]:
                said[name] = found
    return said


def type_said_by(reference: str) -> str | None:
    """The type of the item with that address; None for an id, ROOT, and what is neither."""
    from smeldr.model.items import parse_reference, type_of  # few commands need it

    try:
        key = parse_reference(reference).key
    except ValueError:
        return None
    return type_of(key) if key else None
