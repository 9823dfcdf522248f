"""What the documentation tells a reader to do works: commands are run, calls are made, answers are compared."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from smeldr.serving import GRACE
from tests.cluster import Cluster
from tests.conftest import Fresh
from tests.databases import ON_FILES
from tests.docs.blocks import DOCS, ROOT, Block, blocks, pages, start
from tests.docs.reader import Reader
from tests.starts import STARTS

_NOT_IN_POWERSHELL = ("&&", "||", "'", "$", "`", "\\", " < ", "2>")


def _followed(page: Path) -> list[Block]:
    return [block for block in blocks(page) if block.language != "powershell"]


WITH_BLOCKS = [page for page in pages() if _followed(page)]


def _starting(*names: str | None) -> pytest.MarkDecorator:
    """The pages that start from one of these."""
    found = [page for page in WITH_BLOCKS if start(page) in names]
    return pytest.mark.parametrize("page", found, ids=lambda page: str(page.relative_to(ROOT)))


def test_every_page_starts_from_something_that_there_is() -> None:
    assert {start(page) for page in WITH_BLOCKS} <= {None, "postgresql", *STARTS}


@_starting(None)
def test_a_reader_can_follow_a_page_that_starts_from_nothing(page: Path, tmp_path: Path) -> None:
    with Reader(tmp_path) as reader:
        _follow(reader, page)


@ON_FILES
@_starting(*STARTS)
def test_a_reader_who_has_the_register_of_the_page_can_follow_it(
    page: Path, fresh: Fresh, database: str, tmp_path: Path
) -> None:
    with Reader(tmp_path) as reader:
        reader.given(database, fresh.token)
        _build(reader, start(page) or "")
        _follow(reader, page)


@_starting("postgresql")
def test_a_reader_who_has_a_database_server_can_follow_the_page(page: Path, cluster: Cluster, tmp_path: Path) -> None:
    try:
        with Reader(tmp_path) as reader:
            reader.administers(cluster)
            _follow(reader, page)
    finally:
        cluster.drop("smeldr")
        cluster.tell("DROP ROLE IF EXISTS smeldr")


def _follow(reader: Reader, page: Path) -> None:
    for block in _followed(page):
        reader.follow(block)
    assert reader.status in (0, 200), f"the last call of {page.name}: {reader.last}"


def _build(reader: Reader, prepared: str) -> None:
    def call(tool: str, **arguments: object) -> dict[str, object]:
        reply = reader.call(tool, arguments)
        assert reader.status == 200, reply
        return reply

    STARTS[prepared](call)
    reader.seen.clear()


@pytest.mark.claim("contradiction-18")
def test_commands_of_the_client_run_unchanged_in_powershell() -> None:
    lines = [
        (str(block), line)
        for page in WITH_BLOCKS
        for block in blocks(page)
        if block.language in ("sh", "console")
        for line in block.text.splitlines()
        if line.removeprefix("$ ").startswith("./smeldr-cli")
    ]
    assert lines
    assert [] == [
        (where, line) for where, line in lines if any(sign in line.removeprefix("$ ") for sign in _NOT_IN_POWERSHELL)
    ]


def test_a_powershell_block_says_what_the_sh_block_before_it_says() -> None:
    for page in WITH_BLOCKS:
        before: Block | None = None
        for block in blocks(page):
            if block.language == "powershell":
                assert before is not None, block
                assert _plain(before.text) == _plain(block.text), block
            before = block


def test_every_make_target_of_the_documentation_is_there() -> None:
    setups = [block.text for page in WITH_BLOCKS for block in blocks(page) if block.words == ("setup",)]
    asked = set(re.findall(r"^make (\w+)", "".join(setups), re.MULTILINE))
    assert {"demo", "test"} <= asked
    assert set() == asked - set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def _plain(text: str) -> str:
    """The same commands, whichever shell they are written for."""
    for windows, other in ((".venv\\Scripts\\", ".venv/bin/"), (".exe", ""), ("py -3.11 ", "python3 "), ("\\", "/")):
        text = text.replace(windows, other)
    return text


def test_what_stops_a_server_gives_it_the_time_that_it_takes() -> None:
    text = (DOCS / "many-servers.md").read_text(encoding="utf-8")
    drain = {int(found) for found in re.findall(r"SMELDR_DRAIN_SECONDS(?:=|, value: \")(\d+)", text)}
    given = {int(found) for found in re.findall(r"(?:TimeoutStopSec=|terminationGracePeriodSeconds: )(\d+)", text)}
    assert (1, 1) == (len(drain), len(given))
    assert max(drain) + GRACE < min(given)
