"""Where one database differs from another is said in its engine file; operations and rules know the contract alone."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import smeldr
from smeldr.store import contract
from smeldr.store.engines import ENGINES
from smeldr.store.unit import Unit

SOURCE = Path(smeldr.__file__).parent
PARTS = ("items", "relations", "walks", "conditions", "access", "counts", "history", "keys", "integrity")


def imports(file: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
            found.update(f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            found.update(name.name for name in node.names)
    return found


@pytest.mark.parametrize("package", ["model", "rules", "operations", "doors", "jobs", "formats"])
def test_nothing_above_the_store_knows_more_of_it_than_its_contract(package: str) -> None:
    for file in (SOURCE / package).rglob("*.py"):
        known = {each for each in imports(file) if each.startswith("smeldr.store.")}
        assert all(each.startswith("smeldr.store.contract") for each in known), file


def test_the_contract_knows_no_driver() -> None:
    known = {each for file in (SOURCE / "store" / "contract").glob("*.py") for each in imports(file)}
    assert {"__future__", "collections", "contextlib", "typing", "smeldr"} == {each.partition(".")[0] for each in known}
    store = {each for each in known if each.startswith("smeldr.store.")}
    assert all(each.startswith("smeldr.store.contract.") for each in store)


def test_a_database_is_named_in_its_own_file_and_where_the_url_is_read() -> None:
    allowed = {"engines.py", *(f"{name}.py" for name in ENGINES)}
    for file in (SOURCE / "store").rglob("*.py"):
        named = [each for each in ("sqlite", "postgres") if each in file.read_text("utf-8").lower()]
        assert not named or file.name in allowed, file


@pytest.mark.parametrize("part", PARTS)
def test_every_method_of_the_contract_is_there(part: str) -> None:
    implementation = getattr(Unit, part).func.__annotations__["return"]
    module = vars(__import__("smeldr.store.unit", fromlist=["unit"]))
    promised = vars(getattr(contract, implementation))
    made = vars(module[implementation])
    assert {name for name in promised if not name.startswith("_")} <= made.keys()


def test_every_method_of_the_contract_says_what_it_promises() -> None:
    for name, kind in vars(contract).items():
        if isinstance(kind, type):
            assert kind.__module__.startswith(contract.__name__)
            assert kind.__doc__, name
            methods = [each for each in vars(kind).items() if not each[0].startswith("_") and callable(each[1])]
            assert all(method.__doc__ for _, method in methods), name
