"""The fenced blocks of the documentation, and what a reader does with each.

    ```sh                     commands, run line by line
    ```sh server              one command that keeps running: started, waited for, left running for the page
    ```sh setup               commands for the checkout itself: not run here; their make targets exist
    ```console                commands after `$ ` and what they print; `…` stands for anything
    ```json TOOL              the arguments of one call of that tool
    ```json reply             what the call or the command before answered: at least this; "…" stands for anything
    ```json refused           the call before is refused, with at least this
    ```json file NAME         the contents of a file, written to NAME
    ```json                   an example of a format, parsed line by line
    ```sql                    statements for whoever administers the database server, run one after the other
    ```ini, yaml, nginx, …    configuration for another program: read as in configuration.py says, and no more

`<name>` in a command or a call stands for the last value that an answer on the page gave under that name. A page says
what its register holds at its start: `<!-- starts from: five-decisions -->`; a page that starts from `postgresql` has
no register but a database server. Nothing here runs a block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
DOCS: Final = ROOT / "docs"
_FENCE: Final = re.compile(r"^```(\S*)[ \t]*(.*?)[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_START: Final = re.compile(r"<!-- starts from: ([\w-]+) -->")


@dataclass(frozen=True)
class Block:
    """One fenced block; `words` is what stands after the language."""

    page: Path
    line: int
    language: str
    words: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        page = self.page.relative_to(ROOT) if self.page.is_relative_to(ROOT) else self.page
        return f"{page}:{self.line}"


def pages() -> list[Path]:
    """The pages of the documentation, in the order of their paths."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]


def blocks(page: Path) -> Iterator[Block]:
    """The page's blocks in their order."""
    text = page.read_text(encoding="utf-8")
    for found in _FENCE.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        yield Block(page, line, found[1], tuple(found[2].split()), found[3])


def start(page: Path) -> str | None:
    """What the page's register holds at its start; None when the page makes its own."""
    found = _START.search(page.read_text(encoding="utf-8"))
    return found[1] if found else None


def without_blocks(page: Path) -> str:
    """The page's running text."""
    return _FENCE.sub("", page.read_text(encoding="utf-8"))
