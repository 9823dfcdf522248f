"""The JSON schemas of the operations, as the doors publish them.

Both doors say the same, in as few words as it can be said: a model's titles repeat its names, so they are left out,
and a definition that several tools share is written once where the format allows that (OpenAPI) and once a tool where
it does not (MCP). No schema is written by hand here but the error's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from smeldr.model.errors import HTTP_STATUS

Schema = dict[str, Any]

ERROR: Final[Schema] = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "code": {"type": "string", "enum": list(HTTP_STATUS)},
                "message": {"type": "string"},
                "fields": {
                    "type": "object",
                    "additionalProperties": {
                        "type": "object",
                        "properties": {"why": {"type": "string"}, "valid": {"type": "array", "items": {}}},
                        "required": ["why"],
                    },
                },
                "rev": {"type": "integer"},
                "state": {"type": "string"},
                "allowed": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["code", "message"],
        }
    },
    "required": ["error"],
}
"""The one shape of every refusal."""

_REFUSED: Final[Schema] = {"properties": {"error": {"type": "object"}}, "required": ["error"]}
_NAMES_TO_SCHEMAS: Final = frozenset({"properties", "$defs", "patternProperties", "dependentSchemas"})
_DATA: Final = frozenset({"default", "const", "enum", "examples", "required"})


def slim(schema: Mapping[str, Any]) -> Schema:
    """The same schema without titles, and with what is said about a choice said once, where readers look for it.

    A property that is called `title` stays.
    """
    return _rewritten(schema, _slimmer)


def reply_or_refusal(schema: Mapping[str, Any]) -> Schema:
    """The schema of a tool's structured content, which is the reply or, when the call was refused, the error.

    Clients are not agreed on whether a refusal is held against the output schema; this one allows both.
    """
    reply = slim(schema)
    definitions = reply.pop("$defs", None)
    both: Schema = {"type": "object", "anyOf": [reply, _REFUSED]}
    return {**both, "$defs": definitions} if definitions else both


def hoist(schema: Mapping[str, Any], components: dict[str, Schema], owner: str) -> Schema:
    """Move a schema's definitions into `components` and point to them there.

    A definition whose name is taken by another one goes by its owner's name and its own.
    """
    slimmed = slim(schema)
    definitions: dict[str, Schema] = slimmed.pop("$defs", {})
    names = {name: name for name in definitions}

    def pointed(name: str) -> Schema:
        return _rewritten(definitions[name], lambda node: _pointing(node, names))

    for name in definitions:
        if components.get(name, pointed(name)) != pointed(name):
            names[name] = f"{owner}.{name}"
    for name in definitions:
        components[names[name]] = pointed(name)
    return _rewritten(slimmed, lambda node: _pointing(node, names))


def _slimmer(node: Schema) -> Schema:
    kept = {key: value for key, value in node.items() if key != "title"}
    described = [choice for choice in kept.get("anyOf", ()) if "description" in choice]
    if len(described) == 1 and "description" not in kept:
        plain = [{key: value for key, value in choice.items() if key != "description"} for choice in kept["anyOf"]]
        return {"description": described[0]["description"], **kept, "anyOf": plain}
    return kept


def _pointing(node: Schema, names: Mapping[str, str]) -> Schema:
    target = node.get("$ref")
    if not isinstance(target, str):
        return node
    return {**node, "$ref": f"#/components/schemas/{names[target.removeprefix('#/$defs/')]}"}


def _rewritten(schema: Mapping[str, Any], change: Callable[[Schema], Schema]) -> Schema:
    """Apply a change to a schema and to every schema inside it, but never to the data that it holds."""

    def inside(key: str, value: Any) -> Any:
        if key in _DATA:
            return value
        if key in _NAMES_TO_SCHEMAS:
            return {name: each(inner) for name, inner in value.items()}
        return each(value)

    def each(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: inside(key, inner) for key, inner in change(value).items()}
        return [each(inner) for inner in value] if isinstance(value, list) else value

    rewritten: Schema = each(dict(schema))
    return rewritten
