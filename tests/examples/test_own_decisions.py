"""A folder of MADR records becomes an import file, in the ways people write their heads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from own_decisions import OWN, converted, main
from smeldr.formats.jsonl import read_file
from smeldr.model.imported import ImportedDecision

FIRST = """\
---
status: "superseded by [ADR-0003](0003-third.md)"
date: 2026-01-05
---
# Use one file a rule

Because it can be found.
"""
SECOND = """\
# 2. Keep rules pure

* Status: accepted
* Date: 2026-01-06
* Rests on: [ADR-0003](0003-third.md), 0001
* Addresses:
  * [0004](0004-fourth.md)

## Context

See [0004](0004-fourth.md): a link is no relation.
"""
THIRD = """\
# ADR-0003: Use one folder a rule

## Status

Accepted

Supersedes: 0001
"""
FOURTH = '---\nstatus: proposed\nsupersedes: ["0003"]\ngrounded_in: ["0002", "0003"]\n---\n# Use no rules\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "adr"
    folder.mkdir()
    texts = {"0001-first.md": FIRST, "0002-second.md": SECOND, "0003-third.md": THIRD, "0004-fourth.md": FOURTH}
    for name, text in {**texts, "README.md": "# The records", "template.md": "# A template"}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def decisions(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [record for record in records if record.get("type") == "Decision"]


def test_the_status_is_read_from_front_matter_from_a_list_and_from_a_section(folder: Path) -> None:
    assert [
        ("ADR-0001", "superseded", "Use one file a rule"),
        ("ADR-0002", "ratified", "Keep rules pure"),
        ("ADR-0003", "ratified", "Use one folder a rule"),
        ("ADR-0004", "proposed", "Use no rules"),
    ] == [(each["ref"], each["state"], each["title"]) for each in decisions(converted(folder))]


def test_relations_are_those_that_a_head_states_and_a_link_in_the_text_is_none(folder: Path) -> None:
    assert [
        ("ADR-0002", "addresses", "ADR-0004"),
        ("ADR-0002", "grounded_in", "ADR-0001"),
        ("ADR-0002", "grounded_in", "ADR-0003"),
        ("ADR-0003", "supersedes", "ADR-0001"),
        ("ADR-0004", "addresses", "ADR-0003"),
        ("ADR-0004", "grounded_in", "ADR-0002"),
        ("ADR-0004", "grounded_in", "ADR-0003"),
    ] == [
        (record["source"], record["relation"], record["target"]) for record in converted(folder) if "relation" in record
    ]


def test_the_body_is_the_record_without_its_front_matter(folder: Path) -> None:
    first = decisions(converted(folder))[0]
    assert ("# Use one file a rule\n\nBecause it can be found.", "2026-01-05T00:00:00Z") == (
        first["body"],
        first["created_at"],
    )


def test_what_is_written_is_what_the_import_reads(folder: Path, tmp_path: Path) -> None:
    written = tmp_path / "own.jsonl"
    assert 0 == main([str(folder), "--domain", "Rules", "-o", str(written)])
    assert 12 == len(list(read_file(written)))


@pytest.mark.parametrize(
    "text,why",
    [
        ("---\nstatus: agreed\n---\n# T\n", "0009-ninth.md: the status 'agreed' is none of draft, proposed,"),
        ("# T\n", "0009-ninth.md: the status '' is none of"),
        ("---\nstatus: accepted\nrests on: 0007\n---\n# T\n", "record 0009 names record 0007, which is not in adr"),
    ],
)
def test_a_record_that_cannot_be_read_is_named(
    folder: Path, text: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "0009-ninth.md").write_text(text, encoding="utf-8")
    assert 1 == main([str(folder)])
    assert why in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_one_line_on_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 1 == main([str(tmp_path / "none")])
    assert capsys.readouterr().err.startswith("own_decisions: ")


@pytest.mark.skipif(not OWN.is_dir(), reason="there are no records yet")
def test_our_own_records_are_a_register_in_which_one_rests_on_another(tmp_path: Path) -> None:
    written = tmp_path / "own.jsonl"
    assert 0 == main(["-o", str(written)])
    records = list(read_file(written))
    in_force = {record.ref for record in records if isinstance(record, ImportedDecision) and record.state == "ratified"}
    premises = {record["target"] for record in converted() if record.get("relation") == "grounded_in"}
    assert in_force & premises
