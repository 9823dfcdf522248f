"""Write docs/tools.md, the reference of every tool, from the operations: `python docs/generate_tools.py`.

It says of a tool what its operation says, and nothing else; a test fails when the page is stale.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import smeldr.operations  # noqa: F401  (registers every operation)
from smeldr.operations.parameters import MAX_REQUEST_KEY
from smeldr.operations.registry import OPERATIONS, Operation

PAGE: Final = Path(__file__).with_name("tools.md")
_HEAD: Final = f"""\
# Tools

<!-- Written by docs/generate_tools.py. Change the operations, not this page. -->

Every tool is the same over [MCP](getting-started.md#connect-an-agent), as `POST /api/tools/NAME` with its parameters as
a JSON object, and as `smeldr-cli call NAME`. A parameter that the table does not name is refused. What a tool can
answer instead of its reply is in [Errors](errors.md). A key with a question mark is left out of a reply where it does
not apply.

Every tool that changes the register also takes `request_key`, a string of the caller's own of up to {MAX_REQUEST_KEY}
characters, with which the call can be [sent again](errors.md#asking-again) without harm.
"""
_BOUNDS: Final = (
    ("minimum", "maximum", ""),
    ("minItems", "maxItems", " entries"),
    ("minLength", "maxLength", " characters"),
)
"""Of a value's bounds: the keys of the lowest and the highest, and what they count."""


def page(operations: Iterable[Operation]) -> str:
    """The whole page: a table of contents, then the tools by subject, in the order in which they are defined."""
    subjects = [(name, list(tools)) for name, tools in groupby(operations, key=_subject)]
    contents = [f"- {name}: {', '.join(f'[{tool.name}](#{tool.name})' for tool in tools)}" for name, tools in subjects]
    parts = [_HEAD, "\n".join(contents) + "\n"]
    for name, tools in subjects:
        parts += [f"## {name}\n", *map(_section, tools)]
    return "\n".join(parts)


def _subject(operation: Operation) -> str:
    return operation.function.__module__.rpartition(".")[2].replace("_", " ").capitalize()


def _section(operation: Operation) -> str:
    schema = operation.input_schema
    definitions = schema.get("$defs", {})
    rows = [
        f"| `{name}` | {_type(shape, definitions)} | {_default(name, shape, schema)} | {_cell(shape, definitions)} |"
        for name, shape in schema.get("properties", {}).items()
        if name != "request_key"
    ]
    table = ["| Parameter | Type | Default | |", "|---|---|---|---|", *rows] if rows else ["Takes no parameters."]
    effect = "Changes the register." if operation.changes else "Changes nothing."
    reply = operation.output_schema
    lines = [
        f"### {operation.name}\n",
        f"{operation.description}\n",
        f"Right: {operation.right}. {effect}\n",
        *table,
        f"\nReply: `{_shape(reply, reply.get('$defs', {}))}`\n",
    ]
    return "\n".join(lines)


def _default(name: str, shape: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    if name in schema.get("required", ()):
        return "required"
    default = shape.get("default")
    return "" if default is None else f"`{str(default).lower() if isinstance(default, bool) else default}`"


def _cell(shape: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    described = next((form["description"] for form in _forms(shape, definitions) if form.get("description")), "")
    text = str(shape.get("description") or described)
    return " ".join(text.split()).replace("|", "\\|")


def _type(shape: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    forms = [form for form in _forms(shape, definitions) if form.get("type") != "null"]
    return " or ".join(dict.fromkeys(_one_type(form, definitions) for form in forms))


def _one_type(form: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    if values := [form["const"]] if "const" in form else form.get("enum"):
        return " or ".join(f"`{value}`" for value in values)
    name = str(form.get("type", "any"))
    if name == "array":
        name = f"list of {_type(form.get('items', {}), definitions)}"
    if name == "object" and form.get("properties"):
        name = f"`{_shape(form, definitions)}`"
    described_by_pattern = "pattern" in form or "format" in form
    bounds = [] if described_by_pattern else [_range(form, *keys) for keys in _BOUNDS]
    return ", ".join([name, *filter(None, bounds)])


def _range(form: Mapping[str, Any], least: str, most: str, unit: str) -> str:
    if most not in form:
        return ""
    lowest = form.get(least, 0)
    return f"{lowest:,} to {form[most]:,}{unit}" if lowest or not unit else f"up to {form[most]:,}{unit}"


def _shape(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """The keys of an object, written as people write them: {"id", "reason"?, "ends": [{…}]}."""
    whole = _resolved(schema, definitions)
    required = whole.get("required", ())
    keys = [
        f'"{name}"{"" if name in required else "?"}{_inner(inner, definitions)}'
        for name, inner in whole.get("properties", {}).items()
    ]
    return "{" + ", ".join(keys) + "}"


def _inner(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    for form in _forms(schema, definitions):
        if form.get("type") == "array":
            inner = _inner(form.get("items", {}), definitions).removeprefix(": ")
            return f": [{inner}]" if inner else ": []"
        if form.get("type") == "object" and form.get("properties"):
            return f": {_shape(form, definitions)}"
    return ""


def _forms(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The forms that a value may take, however deep they are listed."""
    whole = _resolved(schema, definitions)
    nested = whole.get("anyOf") or whole.get("oneOf")
    if not nested:
        yield whole
    for each in nested or ():
        yield from _forms(each, definitions)


def _resolved(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return schema
    return {**definitions[reference.removeprefix("#/$defs/")], **{k: v for k, v in schema.items() if k != "$ref"}}


if __name__ == "__main__":
    PAGE.write_text(page(OPERATIONS.values()), encoding="utf-8", newline="\n")
