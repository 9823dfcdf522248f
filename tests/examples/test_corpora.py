"""Public registers become import files: on small tables of our own, and on the real ones where they are at hand."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from corpora import converted, main
from registers.mapping import Converted
from registers.tables import read_table
from registers.writing import write_to
from smeldr.formats.jsonl import read_file

ROOT = Path(__file__).resolve().parents[2]
CORPORA = ROOT.parent / "shared" / "corpora"

EIPS = [
    "N\t20\tFinal\t1\t2015-11-19\tToken Standard",
    "N\t9\tLiving\t1\t2015-10-27\tHow to  write one",
    "N\t721\tReview\t0\t2018-01-24\tAnother token",
    "N\t777\tStagnant\t0\t\tA third",
    "E\t721\tgrounded_in\t20\trequires",
    "E\t721\tgrounded_in\t20\trequires",
    "E\t20\tgrounded_in\t20\trequires",
    "E\t20\tgrounded_in\t4\trequires",
    "E\t9\tlink\t20\tlink",
]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return table_of(tmp_path, *EIPS)


def table_of(folder: Path, *lines: str) -> Path:
    path = folder / "table.tsv.gz"
    path.write_bytes(gzip.compress("\n".join([*lines, ""]).encode()))
    return path


def decisions(result: Converted) -> dict[str, dict[str, Any]]:
    return {record["ref"]: record for record in result.records if record.get("type") == "Decision"}


def relations(result: Converted) -> list[tuple[str, str, str]]:
    return [
        (record["source"], record["relation"], record["target"]) for record in result.records if "relation" in record
    ]


def test_records_come_in_the_order_of_their_numbers_with_what_the_table_says(table: Path) -> None:
    result = converted("eips", table)
    assert ["EIP-9", "EIP-20", "EIP-721", "EIP-777"] == list(decisions(result))
    assert {
        "type": "Decision",
        "ref": "EIP-9",
        "title": "How to write one",
        "body": 'EIP-9 has the status "Living" in its own register. It is dated 2015-10-27.\nIts text is kept there.',
        "state": "ratified",
        "place": "eips",
        "created_at": "2015-10-27T00:00:00Z",
    } == decisions(result)["EIP-9"]


def test_what_is_in_force_is_ratified_what_waits_is_proposed_and_what_was_put_away_is_archived(table: Path) -> None:
    states = {ref: decision["state"] for ref, decision in decisions(converted("eips", table)).items()}
    assert {"EIP-9": "ratified", "EIP-20": "ratified", "EIP-721": "proposed", "EIP-777": "archived"} == states


def test_edges_stated_twice_or_to_nowhere_or_to_themselves_are_left_out_and_counted(table: Path) -> None:
    result = converted("eips", table)
    assert [("EIP-721", "grounded_in", "EIP-20")] == relations(result)
    assert {
        "stated twice": 1,
        "to itself": 1,
        "to a record that is not listed": 1,
        "link (not a relation)": 1,
    } == result.left_out


def test_only_what_was_in_force_has_replaced_anything(tmp_path: Path) -> None:
    result = converted(
        "peps",
        table_of(
            tmp_path,
            "N\t1\tSuperseded\t0\t13-Jun-2000\tOne",
            "N\t2\tFinal\t1\t13-Jun-2000\tTwo",
            "N\t3\tSuperseded\t0\t13-Jun-2000\tThree",
            "N\t4\tDraft\t0\t13-Jun-2000\tFour",
            "E\t2\tsupersedes\t1\tReplaces",
            "E\t4\tsupersedes\t2\tReplaces",
            "E\t4\tsupersedes\t3\tReplaces",
        ),
    )
    states = {ref: decision["state"] for ref, decision in decisions(result).items()}
    assert {"PEP 1": "superseded", "PEP 2": "ratified", "PEP 3": "retired", "PEP 4": "proposed"} == states
    assert [
        ("PEP 2", "supersedes", "PEP 1"),
        ("PEP 4", "addresses", "PEP 2"),
        ("PEP 4", "addresses", "PEP 3"),
    ] == relations(result)


def test_a_record_that_amends_another_addresses_it(tmp_path: Path) -> None:
    lines = ["N\t1\tUNKNOWN\t1\tApril 1969\tOne", "N\t2\tUNKNOWN\t1\t1 April 1970\tTwo", "E\t2\tamends\t1\tupdates"]
    result = converted("rfcs", table_of(tmp_path, *lines))
    assert [("RFC 2", "addresses", "RFC 1")] == relations(result)
    assert ["1969-04-01T00:00:00Z", "1970-04-01T00:00:00Z"] == [
        decision["created_at"] for decision in decisions(result).values()
    ]


def test_places_come_from_the_headers_beside_the_table(table: Path) -> None:
    archive(table.parent / "eip-front-matter.tar.gz", {"eip-9": "type: Meta", "eip-20": "status: Moved"})
    archive(table.parent / "erc-front-matter.tar.gz", {"erc-20": "type: Standards Track\ncategory: ERC"})
    result = converted("eips", table)
    assert {"EIP-9": "eips/meta", "EIP-20": "ercs", "EIP-721": "eips", "EIP-777": "eips"} == {
        ref: decision["place"] for ref, decision in decisions(result).items()
    }
    assert [
        {"type": "Domain", "ref": "eips", "name": "Ethereum Improvement Proposals"},
        {"type": "Domain", "ref": "ercs", "name": "Ethereum Requests for Comment"},
        {"type": "Area", "ref": "eips/meta", "name": "Meta", "domain": "eips"},
    ] == result.records[:3]


def archive(path: Path, headers: dict[str, str]) -> None:
    with tarfile.open(path, "w:gz") as members:
        for name, header in headers.items():
            text = f"---\n{header}\n---\n".encode()
            member = tarfile.TarInfo(f"all/{name}.md")
            member.size = len(text)
            members.addfile(member, io.BytesIO(text))


def test_what_is_written_is_what_the_import_reads(table: Path, tmp_path: Path) -> None:
    written = tmp_path / "eips.jsonl"
    assert 0 == main(["eips", str(table), "-o", str(written)])
    assert 6 == len(list(read_file(written)))
    assert not list(tmp_path.glob("*.part"))


def test_it_runs_as_a_script_from_anywhere_and_keeps_the_records_apart_from_the_report(
    table: Path, tmp_path: Path
) -> None:
    script = ROOT / "examples" / "corpora.py"
    done = subprocess.run(
        [sys.executable, str(script), "eips", str(table)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert {"smeldr": 1, "records": 6} == json.loads(done.stdout.splitlines()[0])
    assert "written: 1 Domain, 4 Decision, 1 grounded_in\nleft out: " in done.stderr


@pytest.mark.parametrize("lines", [["N\t20\tFinal"], ["N\t20\tFinal\tyes\t\tT"], ["X"]])
def test_a_line_that_is_none_of_a_table_is_named(
    tmp_path: Path, lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert 1 == main(["eips", str(table_of(tmp_path, *lines)), "-o", str(tmp_path / "out.jsonl")])
    assert "corpora: table.tsv.gz, line 1: neither a record nor a relation" in capsys.readouterr().err
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("content", [None, b"not gzip", gzip.compress(b"N\t1\tFinal\t1\t\tT\n" * 99, mtime=0)[:-9]])
def test_a_table_that_is_missing_or_broken_is_one_line_on_stderr(
    tmp_path: Path, content: bytes | None, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.tsv.gz"
    if content is not None:
        path.write_bytes(content)
    assert 1 == main(["eips", str(path), "-o", str(tmp_path / "out.jsonl")])
    assert capsys.readouterr().err.startswith("corpora: ")


# --- the real ones: the figures are those of the folder's own README

real = pytest.mark.skipif(not CORPORA.is_dir(), reason="needs ../shared/corpora")


@real
@pytest.mark.parametrize(
    "register,nodes,edges",
    [
        ("rfcs", 9_154, {"grounded_in": 38_203, "supersedes": 1_475, "amends": 1_866}),
        ("eips", 1_195, {"grounded_in": 1_677}),
        ("peps", 736, {"grounded_in": 39, "supersedes": 47}),
        ("curie-adrs", 113, {"amends": 18, "grounded_in": 2, "supersedes": 3, "link": 208}),
    ],
)
def test_a_real_register_is_read_whole_and_what_is_left_out_adds_up(
    tmp_path: Path, register: str, nodes: int, edges: dict[str, int]
) -> None:
    path = CORPORA / f"{register}.tsv.gz"
    table = read_table(path)
    assert (nodes, edges) == (len(table.nodes), Counter(edge.kind for edge in table.edges))

    result = converted(register, path)
    assert nodes == len(decisions(result))
    assert sum(edges.values()) == len(relations(result)) + result.left_out.total()

    written = tmp_path / f"{register}.jsonl"
    write_to(result.records, written)
    assert len(result.records) == len(list(read_file(written)))


@real
def test_the_ethereum_register_is_two_domains_in_one() -> None:
    result = converted("eips", CORPORA / "eips.tsv.gz")
    domains = Counter(decision["place"].partition("/")[0] for decision in decisions(result).values())
    assert {"eips": 584, "ercs": 611} == domains
    assert {"ratified": 301, "proposed": 450, "archived": 444} == Counter(
        decision["state"] for decision in decisions(result).values()
    )


@real
def test_a_proposal_that_six_others_replace_is_superseded_once_by_each() -> None:
    result = converted("rfcs", CORPORA / "rfcs.tsv.gz")
    successors = [source for source, kind, target in relations(result) if (kind, target) == ("supersedes", "RFC 2616")]
    assert 6 == len(successors)
    assert "superseded" == decisions(result)["RFC 2616"]["state"]
