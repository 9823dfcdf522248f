"""Bad input gets a clear answer and changes nothing: what every tool refuses, parameter by parameter, by its schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest

from smeldr.model.errors import Refusal
from smeldr.operations.registry import OPERATIONS
from tests.callers import Caller, principal
from tests.databases import Databases
from tests.operations.calls import CALLS, LONE
from tests.operations.clock import Clock
from tests.operations.tables import Tables


@pytest.fixture
def database(furnished: str, databases: Databases) -> Iterator[str]:
    """A copy of the furnished register, of this test's own."""
    copy = databases.copy(furnished)
    yield copy
    databases.drop(copy)


def fields(refusal: Refusal) -> set[str]:
    """The parameters that a refusal blames."""
    return set(refusal.fields or ())


def test_every_tool_is_held_to_this() -> None:
    assert OPERATIONS.keys() == CALLS.keys()


@pytest.mark.parametrize("tool", CALLS)
def test_an_unknown_parameter_is_refused_by_naming_the_valid_ones(owner: Caller, tables: Tables, tool: str) -> None:
    with tables.unchanged():
        refusal = owner.refused("validation_failed", tool, **CALLS[tool], reasn="R")
    assert {"reasn": {"why": "unknown parameter", "valid": OPERATIONS[tool].parameter_names}} == refusal.fields


@pytest.mark.parametrize("tool", CALLS)
def test_a_missing_parameter_is_refused_by_name(owner: Caller, tables: Tables, tool: str) -> None:
    with tables.unchanged():
        for name in OPERATIONS[tool].input_schema.get("required", ()):
            others = {key: value for key, value in CALLS[tool].items() if key != name}
            assert {name} == fields(owner.refused("validation_failed", tool, **others))


WRONG_SOMEWHERE: Final[tuple[object, ...]] = (7.5, {"a": 1}, [[]], True, 3, "7", "")


@pytest.mark.parametrize("tool", CALLS)
def test_a_value_of_a_wrong_type_is_refused_by_the_name_of_its_parameter(
    owner: Caller, tables: Tables, tool: str
) -> None:
    with tables.unchanged():
        for name in OPERATIONS[tool].parameter_names:
            for value in WRONG_SOMEWHERE:
                if accepts(tool, name, value):
                    continue
                refusal = owner.refused("validation_failed", tool, **{**CALLS[tool], name: value})
                assert {name} == fields(refusal), value


def accepts(tool: str, name: str, value: object) -> bool:
    """Whether the declared type of the parameter takes the value."""
    schema = OPERATIONS[tool].input_schema["properties"][name]
    choices = [schema, *schema.get("anyOf", ())]
    types = {choice.get("type") for choice in choices}
    if isinstance(value, bool):
        return "boolean" in types
    if isinstance(value, int):
        return "integer" in types
    free = any("string" == each.get("type") and not {"pattern", "enum", "format"} & each.keys() for each in choices)
    return value == "7" and free and "enum" not in schema and "const" not in schema


@pytest.mark.parametrize("tool", CALLS)
def test_a_number_out_of_range_is_refused_and_never_clamped(owner: Caller, tables: Tables, tool: str) -> None:
    with tables.unchanged():
        for name, schema in OPERATIONS[tool].input_schema["properties"].items():
            for choice in (schema, *schema.get("anyOf", ())):
                if choice.get("type") == "integer":
                    for number in (choice["minimum"] - 1, choice["maximum"] + 1, -(10**30), 10**30):
                        refusal = owner.refused("validation_failed", tool, **{**CALLS[tool], name: number})
                        assert {name} == fields(refusal), number


TEXTS: Final = {
    "empty": "",
    "blank": " \t\n",
    "NUL": "a\0b",
    "a lone surrogate": f"a{LONE}",
    "a low surrogate": "\udfffa",
}
LONGEST: Final = {"title": 300, "body": 200_000, "reason": 2_000, "name": 200, "source": 500, "request_key": 64}


@pytest.mark.parametrize("tool", CALLS)
def test_a_text_that_is_empty_too_long_or_no_text_is_refused(owner: Caller, tables: Tables, tool: str) -> None:
    with tables.unchanged():
        for name in LONGEST.keys() & set(OPERATIONS[tool].parameter_names):
            for text in (*TEXTS.values(), "x" * (LONGEST[name] + 1)):
                refusal = owner.refused("validation_failed", tool, **{**CALLS[tool], name: text})
                assert {name} == fields(refusal), text[:10]


@pytest.mark.parametrize(
    "token", [None, "", "smeldr_unknown", LONE, "a\0"], ids=["none", "empty", "unknown", "half", "NUL"]
)
def test_a_token_that_does_not_count_is_refused_before_anything_else(
    owner: Caller, tables: Tables, token: str | None
) -> None:
    nobody = Caller(owner.register, token, "")  # type: ignore[arg-type]
    with tables.unchanged():
        for tool, arguments in CALLS.items():
            nobody.refused("unauthorized", tool, **arguments)
            nobody.refused("unauthorized", tool, nonsense=1)
        nobody.refused("unauthorized", "no_such_tool")


def test_an_expired_and_a_revoked_token_are_refused_like_an_unknown_one(
    timed: Caller, clock: Clock, tables: Tables
) -> None:
    made = timed.call("create_token", principal=timed.id, expires_in_days=1)
    expired = Caller(timed.register, made["token"], timed.id)
    revoked = principal(timed, "Revoked")
    revoked.call("revoke_token", id=revoked.call("list_tokens")["tokens"][0]["id"])
    clock.forward(days=1)
    unknown = Caller(timed.register, "smeldr_unknown", "")
    with tables.unchanged():
        told = [each.refused("unauthorized", "create_domain", name="N").reply() for each in (expired, revoked, unknown)]
    assert [told[-1]] * 3 == told


@pytest.mark.parametrize("name", ["no_such_tool", "", "Propose_Decision", "x" * 10_000, LONE])
def test_an_unknown_tool_is_not_found(owner: Caller, tables: Tables, name: str) -> None:
    with tables.unchanged():
        refusal = owner.refused("not_found", name)
    assert len(refusal.message) < 200


@pytest.mark.parametrize("name", [LONE, "a\0", "x" * 10_000])
def test_an_unknown_parameter_of_any_name_is_refused_briefly(owner: Caller, name: str) -> None:
    refusal = owner.refused("validation_failed", "whoami", **{name: 1})
    assert len(str(refusal.reply())) < 1_000
