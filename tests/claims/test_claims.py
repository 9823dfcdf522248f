"""Every claim of the pages has a test, and every test that says it proves a claim names one that exists."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


def _claims() -> list[str]:
    table = tomllib.loads((TESTS / "claims" / "claims.toml").read_text(encoding="utf-8"))
    return [claim["id"] for claim in table["claim"]]


def _marked() -> Iterator[str]:
    """The claims that tests say they prove."""
    for file in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for mark in node.decorator_list:
                    if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.claim":
                        yield from (str(ast.literal_eval(argument)) for argument in mark.args)


def test_every_claim_has_an_id_of_its_own() -> None:
    assert sorted(set(_claims())) == sorted(_claims())


def test_every_claim_is_proved_by_a_test_and_every_proof_is_of_a_claim() -> None:
    assert set(_claims()) == set(_marked())
