"""Whatever is public is documented, every link leads somewhere, and what is generated is current."""

from __future__ import annotations

import ast
import importlib.util
import re
import tomllib
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import smeldr.operations  # noqa: F401  (registers every operation)
from smeldr.__main__ import _commands as build_smeldr
from smeldr.doors.cli.verbs import ALONE, GROUPS
from smeldr.model.errors import HTTP_STATUS
from smeldr.model.findings import FINDINGS, MAX_LISTED, REPAIRABLE
from smeldr.model.kinds import KINDS
from smeldr.model.rights import RIGHTS
from smeldr.model.states import DECISION_MOVES, MOVES, STATES
from smeldr.operations.registry import OPERATIONS
from smeldr.settings import Settings
from tests.docs.blocks import DOCS, ROOT, pages, without_blocks

SOURCE = ROOT / "src" / "smeldr"
RULES = sorted(path.stem for path in (SOURCE / "rules").glob("[!_]*.py"))
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+?)[ \t]*$", re.MULTILINE)
_TICKED = re.compile(r"`([^`\n]+)`")


def _ticked(page: str) -> set[str]:
    """What the page's text names as code."""
    return set(_TICKED.findall((DOCS / page).read_text(encoding="utf-8")))


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_tools", DOCS / "generate_tools.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _anchors(page: Path) -> set[str]:
    """The anchors of the page's headings, as the usual renderers make them."""
    headings = _HEADING.findall(without_blocks(page))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_tools_page_is_what_the_generator_writes() -> None:
    generator = _generator()
    assert generator.page(OPERATIONS.values()) == generator.PAGE.read_text(encoding="utf-8"), (
        "stale: python docs/generate_tools.py"
    )


def test_every_tool_has_a_section_in_the_tools_page() -> None:
    assert set() == set(OPERATIONS) - _anchors(DOCS / "tools.md")


def test_every_setting_is_in_the_settings_page() -> None:
    names = {str(field.validation_alias or f"smeldr_{name}").upper() for name, field in Settings.model_fields.items()}
    assert set() == names - _ticked("settings.md")


def test_every_setting_has_its_default_in_the_settings_page() -> None:
    text = (DOCS / "settings.md").read_text(encoding="utf-8")
    for field in Settings.model_fields.values():
        default = "off" if field.default is False else f"`{field.default}`" if field.default else ""
        assert f"| `{field.validation_alias}` | {default}".rstrip() in text


@pytest.mark.parametrize("rule", RULES)
def test_every_number_that_a_rule_promises_is_on_its_page(rule: str) -> None:
    text = (DOCS / "rules" / f"{rule.replace('_', '-')}.md").read_text(encoding="utf-8")
    names = vars(import_module(f"smeldr.rules.{rule}"))
    promised = {name: f"{value:,}" for name, value in names.items() if name.startswith(("MAX_", "DEFAULT_"))}
    assert [] == [name for name, number in promised.items() if not re.search(rf"\b{number}\b", text)]


def test_every_command_is_in_the_page_on_the_command_line_with_its_tool() -> None:
    text = (DOCS / "command-line.md").read_text(encoding="utf-8")
    grouped = {f"{group} {name}": verb for group, (_, verbs) in GROUPS.items() for name, verb in verbs.items()}
    commands = {name: [*map(str.upper, verb.positions)] for name, verb in {**grouped, **ALONE}.items()}
    rows = {" ".join(["smeldr-cli", name, *words]) for name, words in commands.items()}
    assert set() == rows - set(_TICKED.findall(text))
    assert [] == [verb.tool for verb in {**grouped, **ALONE}.values() if f"](tools.md#{verb.tool}) |" not in text]


def test_every_command_of_smeldr_is_in_the_page_on_the_command_line_with_its_options() -> None:
    text = (DOCS / "command-line.md").read_text(encoding="utf-8")
    for name, command in build_smeldr().commands.items():
        row = next(line for line in text.splitlines() if line.startswith(f"| `smeldr {name}"))
        assert [] == [
            option for each in command.params for option in each.opts if option[0] == "-" and option not in row
        ]


def test_every_error_code_is_in_the_errors_page_with_its_status() -> None:
    text = (DOCS / "errors.md").read_text(encoding="utf-8")
    assert [] == [code for code, status in HTTP_STATUS.items() if f"| `{code}` | {status} |" not in text]


def test_every_code_of_the_doctor_is_in_its_page_with_what_to_do_and_no_other() -> None:
    rows = re.findall(
        r"^\| `([a-z-]+)` \| .+ \| (.+) \|$", (DOCS / "doctor.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert list(FINDINGS) == [code for code, _ in rows]
    assert list(REPAIRABLE) == [code for code, remedy in rows if remedy.startswith("`--repair` ")]
    assert f"first {MAX_LISTED:,} of each" in (DOCS / "doctor.md").read_text(encoding="utf-8")


def test_every_kind_of_relation_is_in_the_page_on_relations() -> None:
    assert set() == set(KINDS) - _ticked("content-relations.md")


def test_every_move_is_in_the_page_on_moves() -> None:
    assert set() == set(MOVES) - _ticked("rules/moves.md")


def test_every_state_and_every_move_of_a_decision_is_told_as_a_story() -> None:
    text = (DOCS / "how-a-decision-moves.md").read_text(encoding="utf-8")
    assert [] == [word for word in (*STATES, *DECISION_MOVES) if word not in text]


def test_every_right_is_in_the_page_on_rights() -> None:
    assert set() == set(RIGHTS) - _ticked("rules/access.md")


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_has_a_page_and_a_test_of_its_name_and_stands_in_the_index(rule: str) -> None:
    page = f"rules/{rule.replace('_', '-')}.md"
    assert (DOCS / page).is_file()
    assert f"({page})" in (DOCS / "index.md").read_text(encoding="utf-8")
    assert f"src/smeldr/rules/{rule}.py" in (DOCS / page).read_text(encoding="utf-8")
    assert f"docs/{page}" in (SOURCE / "rules" / f"{rule}.py").read_text(encoding="utf-8")
    assert f"`{rule}`" in (SOURCE / "rules" / "__init__.py").read_text(encoding="utf-8")
    assert (ROOT / "tests" / "rules" / f"test_{rule}.py").is_file()


@pytest.mark.parametrize(
    "page", [*pages(), *sorted((ROOT / "examples").glob("*.md"))], ids=lambda path: str(path.relative_to(ROOT))
)
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = []
    for link in _LINK.findall(without_blocks(page)):
        target, _, anchor = link.partition("#")
        if re.match(r"https?:", target):
            continue
        path = (page.parent / target).resolve() if target else page
        if not path.exists() or (anchor and anchor not in _anchors(path)):
            broken.append(link)
    assert [] == broken


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        targets = (link.partition("#")[0] for link in _LINK.findall(without_blocks(page)))
        found = {
            (page.parent / target).resolve() for target in targets if target.endswith(".md") and "://" not in target
        }
        waiting += found - reached
    assert set() == {page for page in pages() if page.is_relative_to(DOCS)} - reached


def test_every_dependency_is_in_the_record_about_them() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = [
        *project["dependencies"],
        *(each for extra in project["optional-dependencies"].values() for each in extra),
    ]
    record = (DOCS / "adr" / "0012-dependencies-and-their-worth.md").read_text(encoding="utf-8")
    names = {re.split(r"[<>=\[]", each)[0].strip() for each in needed}
    assert set() == {name for name in names - {project["name"]} if not re.search(rf"\b{name}\b", record)}


def test_every_decision_record_is_in_the_list_with_its_title() -> None:
    index = (DOCS / "adr" / "index.md").read_text(encoding="utf-8")
    for record in sorted((DOCS / "adr").glob("0*.md")):
        title = _HEADING.findall(record.read_text(encoding="utf-8"))[0]
        assert f"| [{record.name[:4]}]({record.name}) | {title} |" in index


def test_every_module_says_what_it_is_for() -> None:
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")}
    assert [] == [path for path, tree in trees.items() if tree.body and not ast.get_docstring(tree)]


def test_every_public_function_says_what_it_does() -> None:
    assert [] == [
        f"{module.relative_to(SOURCE)}: {node.name}"
        for module in sorted(SOURCE.rglob("*.py"))
        if "migrations" not in module.parts
        for node in ast.parse(module.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
    ]
