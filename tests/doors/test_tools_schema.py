"""Every tool says what it does, what it takes, within which bounds, and what it answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from smeldr.doors.mcp import tool
from smeldr.model.errors import Refusal
from smeldr.operations.registry import OPERATIONS, Operation

LONGEST_LIST = 100_000
"""Bytes that a list of tools may take, since an agent has to read it."""

every_tool = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS.keys())


def published(operation: Operation) -> dict[str, Any]:
    return tool(operation).model_dump(mode="json", by_alias=True, exclude_none=True)


def resolved(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref")
    return root["$defs"][reference.removeprefix("#/$defs/")] if reference else schema


def choices(schema: dict[str, Any], root: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The schemas of which a value has to fit one, each with what holds for all of them."""
    schema = resolved(schema, root)
    shared = {key: value for key, value in schema.items() if key not in {"anyOf", "oneOf"}}
    inner = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    for each in inner:
        yield from choices({**shared, **resolved(each, root)}, root)
    if not inner:
        yield schema


def unbounded(schema: dict[str, Any], root: dict[str, Any], path: str) -> Iterator[str]:
    """Where a schema takes a value of any length or size."""
    for choice in choices(schema, root):
        if "enum" in choice or "const" in choice:
            continue
        match choice.get("type"):
            case "string" if "maxLength" not in choice:
                yield f"{path}: a string without maxLength"
            case "integer" | "number" if not {"minimum", "maximum"} <= choice.keys():
                yield f"{path}: a number without minimum and maximum"
            case "array":
                if "maxItems" not in choice:
                    yield f"{path}: an array without maxItems"
                yield from unbounded(choice["items"], root, f"{path}[]")
            case "object":
                if choice.get("additionalProperties") is not False:
                    yield f"{path}: an object that takes any property"
                for name, inner in choice.get("properties", {}).items():
                    yield from unbounded(inner, root, f"{path}.{name}")
            case None:
                yield f"{path}: anything at all"


def test_there_are_tools() -> None:
    assert OPERATIONS


@every_tool
def test_a_tool_has_a_title_a_description_and_both_schemas(operation: Operation) -> None:
    described = published(operation)

    assert described["title"]
    assert operation.summary.endswith(".")
    assert operation.right
    for schema in (described["inputSchema"], described["outputSchema"]):
        Draft202012Validator.check_schema(schema)
        assert "object" == schema["type"]
    assert "$ref" in operation.output_schema or operation.output_schema.get("properties"), "a reply says what is in it"


@every_tool
def test_every_parameter_has_a_description_and_bounds(operation: Operation) -> None:
    schema = published(operation)["inputSchema"]

    for name, parameter in schema["properties"].items():
        assert parameter.get("description"), name
        assert [] == list(unbounded(parameter, schema, name))


@every_tool
def test_hints_tell_readers_from_changes(operation: Operation) -> None:
    hints = published(operation)["annotations"]

    assert {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} <= hints.keys()
    assert hints["readOnlyHint"] is not operation.changes
    assert operation.changes or not operation.destructive
    assert ("request_key" in operation.input_schema["properties"]) is operation.changes


@every_tool
def test_an_unknown_parameter_is_refused_by_naming_the_valid_ones(operation: Operation) -> None:
    with pytest.raises(Refusal) as refused:
        operation.read({"nonesuch": 1})

    assert "validation_failed" == refused.value.code
    entry = (refused.value.fields or {})["nonesuch"]
    assert list(operation.input_schema["properties"]) == entry["valid"]


def test_the_list_of_tools_is_short_enough_to_be_read_and_always_the_same() -> None:
    listed = [json.dumps([published(each) for each in OPERATIONS.values()], ensure_ascii=False) for _ in range(2)]

    assert listed[0] == listed[1]
    assert len(listed[0].encode()) < LONGEST_LIST
