"""The commands are derived from the operations: nothing is stale, nothing is out of reach, and little is imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from smeldr.doors import manifest as writer
from smeldr.doors.cli.manifest import PATH, Parameter, described, tools
from smeldr.doors.cli.verbs import ALONE, GROUPS, ONLY_BY_CALL
from tests.doors.cli.conftest import Cli

VERBS = {f"{group} {name}": verb for group, (_, verbs) in GROUPS.items() for name, verb in verbs.items()}
VERBS |= ALONE


def test_the_manifest_says_what_the_operations_say() -> None:
    assert writer.text() == PATH.read_text(encoding="utf-8"), "stale: python -m smeldr.doors.manifest"


def test_every_tool_has_a_verb_or_is_deliberately_only_called_by_name() -> None:
    with_verb = [verb.tool for verb in VERBS.values()]
    assert sorted(tools()) == sorted([*with_verb, *ONLY_BY_CALL])


def test_no_tool_has_two_verbs() -> None:
    assert len(VERBS) == len({verb.tool for verb in VERBS.values()})


@pytest.mark.parametrize("name", VERBS)
def test_what_stands_by_position_is_a_parameter_of_the_tool(name: str) -> None:
    parameters = tools()[VERBS[name].tool].parameters
    assert set() == set(VERBS[name].positions) - parameters.keys()
    assert not any(parameters[each].is_list for each in VERBS[name].positions[:-1])


@pytest.mark.parametrize("name", VERBS)
def test_the_help_of_a_verb_names_its_tool_and_every_parameter(name: str, command: Cli) -> None:
    ended = command(*name.split(), "--help")
    assert 0 == ended.code
    assert f"Tool: {VERBS[name].tool}." in ended.out
    for parameter in tools()[VERBS[name].tool].parameters:
        assert f"--{parameter.replace('_', '-')}" in ended.out


def test_every_change_that_can_carry_a_key_takes_one() -> None:
    changing = [VERBS[name] for name in VERBS if tools()[VERBS[name].tool].changes]
    assert changing
    assert all("request_key" in tools()[verb.tool].parameters for verb in changing)


def test_the_help_of_call_names_every_tool(command: Cli) -> None:
    out = " ".join(command("call", "--help").out.split())
    assert all(name in out for name in tools())


def test_a_description_keeps_types_choices_bounds_and_defaults() -> None:
    class Sample:
        name, description, right, changes = "sample", "Do it.\n\nMore.", "any", True
        input_schema = {  # noqa: RUF012 - the shape of an operation
            "$defs": {"Colour": {"enum": ["red", "blue"], "type": "string"}},
            "properties": {
                "colour": {"anyOf": [{"$ref": "#/$defs/Colour"}, {"type": "null"}], "default": None},
                "size": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3, "description": "How big."},
                "by": {"anyOf": [{"type": "string"}, {"items": {"type": "string"}, "type": "array"}]},
                "exact": {"const": "yes"},
            },
            "required": ["by"],
        }

    text = described([Sample()])
    assert text.endswith("}\n")
    colour, size, by, exact = json.loads(text)["sample"]["parameters"]
    assert {"name": "colour", "types": ["string"], "choices": ["red", "blue"]} == colour
    assert {
        "name": "size",
        "types": ["integer"],
        "default": 3,
        "least": 1,
        "most": 9,
        "description": "How big.",
    } == size
    assert {"name": "by", "types": ["string", "array"], "items": ["string"], "required": True} == by
    assert {"name": "exact", "types": ["string"], "choices": ["yes"]} == exact
    assert Parameter("by", ("string", "array"), ("string",)).is_list


def test_the_client_imports_neither_models_nor_store_nor_protocol_nor_tables() -> None:
    program = (
        "import sys; sys.argv = ['smeldr-cli', 'decision', 'list']\n"
        "from smeldr.doors.cli.client import main\n"
        "main()\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"SMELDR_URL": "http://127.0.0.1:1", "SMELDR_TOKEN": "x", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    imported = set(done.stdout.split())
    assert "click" in imported
    assert set() == imported & {
        "pydantic",
        "pydantic_core",
        "sqlalchemy",
        "mcp",
        "starlette",
        "rich",
        "asyncio",
    }


def test_the_root_lists_every_group_and_verb(command: Cli) -> None:
    out = command("--help").out
    assert [] == [name for name in [*GROUPS, *ALONE, "call"] if f"\n  {name} " not in out]
