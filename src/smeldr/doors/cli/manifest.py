"""What the commands are derived from: every tool with its parameters, read from manifest.json beside this file.

`described` makes that description from the operations; `python -m smeldr.doors.manifest` writes it, and a test fails
when it is stale. Nothing here imports an operation, which is the point: a command must not wait for one second of
imports. It keeps of a schema what a command needs, and judges no value.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

PATH: Final = Path(__file__).with_name("manifest.json")


class Parameter(NamedTuple):
    """One parameter of a tool.

    `types` are the JSON types it takes, `items` those inside when it takes an array; `choices` the values, where they
    are listed; `least` and `most` the bounds of a number.
    """

    name: str
    types: tuple[str, ...]
    items: tuple[str, ...] = ()
    required: bool = False
    default: Any = None
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    description: str = ""

    @property
    def is_list(self) -> bool:
        """Whether it takes several plain values."""
        return "array" in self.types and bool(self.items) and "object" not in (*self.types, *self.items)


class Tool(NamedTuple):
    """One tool of the server; `right` says in words who may call it."""

    name: str
    description: str
    right: str
    changes: bool
    parameters: Mapping[str, Parameter]


class Described(Protocol):
    """What the description is made from: an operation of the registry, as far as it matters here."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def right(self) -> str: ...
    @property
    def changes(self) -> bool: ...
    @property
    def input_schema(self) -> dict[str, Any]: ...


def tools() -> dict[str, Tool]:
    """Every tool by its name, as the manifest has them."""
    return {
        name: Tool(
            name=name,
            description=entry["description"],
            right=entry["right"],
            changes=entry["changes"],
            parameters={each["name"]: _parameter(each) for each in entry["parameters"]},
        )
        for name, entry in json.loads(PATH.read_text(encoding="utf-8")).items()
    }


def _parameter(entry: Mapping[str, Any]) -> Parameter:
    fields: dict[str, Any] = {key: tuple(each) if isinstance(each, list) else each for key, each in entry.items()}
    return Parameter(**fields)


def described(operations: Iterable[Described]) -> str:
    """The text of the manifest: ordered by name, ending in a line break, the same for the same operations."""
    entries = {
        each.name: {
            "description": each.description,
            "right": each.right,
            "changes": each.changes,
            "parameters": _parameters(each.input_schema),
        }
        for each in sorted(operations, key=lambda each: each.name)
    }
    return json.dumps(entries, indent=1, ensure_ascii=False) + "\n"


def _parameters(schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    required = schema.get("required", ())
    return [
        {"name": name, **_shape(each, schema.get("$defs", {})), **({"required": True} if name in required else {})}
        for name, each in schema.get("properties", {}).items()
    ]


def _shape(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Keep of a parameter's schema what an option shows: its types, choices, bounds, default and description."""
    whole = _resolved(schema, definitions)
    forms = [form for form in _forms(whole, definitions) if form.get("type") != "null"]
    arrays = [form for form in forms if form.get("type") == "array"]
    items = [inner for array in arrays for inner in _forms(_resolved(array.get("items", {}), definitions), definitions)]
    numbers = [form for form in forms if form.get("type") == "integer"]
    kept: dict[str, Any] = {
        "types": _types(forms),
        "items": _types(items),
        "default": whole.get("default"),
        "choices": [value for form in [*forms, *items] for value in _choices(form)],
        "least": next((form["minimum"] for form in numbers if "minimum" in form), None),
        "most": next((form["maximum"] for form in numbers if "maximum" in form), None),
        "description": whole.get("description") or "",
    }
    return {key: value for key, value in kept.items() if value not in (None, [], "")}


def _choices(form: Mapping[str, Any]) -> list[Any]:
    return [form["const"]] if "const" in form else list(form.get("enum", ()))


def _forms(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The forms that a value may take: one, or each that the schema lists, however deep."""
    nested = schema.get("anyOf") or schema.get("oneOf")
    if not nested:
        return [schema]
    return [form for each in nested for form in _forms(_resolved(each, definitions), definitions)]


def _resolved(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in schema:
        return schema
    return {**definitions[schema["$ref"].removeprefix("#/$defs/")], **{k: v for k, v in schema.items() if k != "$ref"}}


def _types(forms: Iterable[Mapping[str, Any]]) -> list[str]:
    """Their JSON types, each once, in order; a form that states none may be anything."""
    return list(dict.fromkeys(form.get("type", "string" if _choices(form) else "object") for form in forms))
