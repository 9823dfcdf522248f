"""The schemas that the doors publish say the same as the operations', in fewer words."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator

from smeldr.doors.schemas import ERROR, hoist, reply_or_refusal, slim
from smeldr.model.errors import HTTP_STATUS, Refusal

NESTED: dict[str, Any] = {
    "title": "Reply",
    "type": "object",
    "properties": {
        "title": {"title": "Title", "type": "string", "default": {"title": "kept"}},
        "item": {"$ref": "#/$defs/Item"},
        "more": {"title": "More", "type": "array", "items": {"$ref": "#/$defs/Item"}},
    },
    "required": ["title"],
    "$defs": {
        "Item": {"title": "Item", "type": "object", "properties": {"inner": {"$ref": "#/$defs/Leaf"}}},
        "Leaf": {"title": "Leaf", "enum": ["title"]},
    },
}


def test_titles_are_left_out_but_a_property_of_that_name_and_data_stay() -> None:
    assert {
        "type": "object",
        "properties": {
            "title": {"type": "string", "default": {"title": "kept"}},
            "item": {"$ref": "#/$defs/Item"},
            "more": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
        },
        "required": ["title"],
        "$defs": {
            "Item": {"type": "object", "properties": {"inner": {"$ref": "#/$defs/Leaf"}}},
            "Leaf": {"enum": ["title"]},
        },
    } == slim(NESTED)


def test_what_is_said_about_one_of_two_choices_is_said_of_both() -> None:
    optional = {"anyOf": [{"description": "Why.", "type": "string"}, {"type": "null"}], "default": None}
    two = {"anyOf": [{"description": "One.", "type": "string"}, {"description": "Two.", "type": "integer"}]}

    assert {"description": "Why.", "anyOf": [{"type": "string"}, {"type": "null"}], "default": None} == slim(optional)
    assert two == slim(two)


def test_structured_content_may_be_the_reply_or_a_refusal_and_nothing_else() -> None:
    schema = Draft202012Validator(reply_or_refusal(NESTED))

    assert schema.is_valid({"title": "a", "item": {"inner": "title"}})
    assert schema.is_valid(Refusal("conflict", "no").reply())
    assert not schema.is_valid({"title": "a", "item": {"inner": "other"}})
    assert not schema.is_valid({})


def test_definitions_move_to_the_components_once() -> None:
    components: dict[str, Any] = {}

    first, second = hoist(NESTED, components, "one"), hoist(NESTED, components, "two")

    assert first == second
    assert {"$ref": "#/components/schemas/Item"} == first["properties"]["item"]
    assert "$defs" not in first
    assert ["Item", "Leaf"] == list(components)
    assert {"$ref": "#/components/schemas/Leaf"} == components["Item"]["properties"]["inner"]


def test_another_definition_of_a_taken_name_goes_by_its_owner_too() -> None:
    components: dict[str, Any] = {}
    other = {"properties": {"item": {"$ref": "#/$defs/Item"}}, "$defs": {"Item": {"type": "string"}}}

    hoist(NESTED, components, "one")
    hoisted = hoist(other, components, "two")

    assert {"$ref": "#/components/schemas/two.Item"} == hoisted["properties"]["item"]
    assert {"type": "string"} == components["two.Item"]
    assert "object" == components["Item"]["type"]


def test_the_error_schema_takes_every_refusal() -> None:
    schema = Draft202012Validator(ERROR)

    for code in HTTP_STATUS:
        fields = {"a": {"why": "it is", "valid": [1, "b"]}}
        assert schema.is_valid(Refusal(code, "no", fields=fields, rev=1, state="retired", allowed=["x"]).reply())
    assert not schema.is_valid({"error": {"code": "other", "message": "no"}})
