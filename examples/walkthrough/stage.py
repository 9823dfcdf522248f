"""What the audience sees: chapters, plain words, calls, answers, and whether each answer was the one to expect.

Nothing here calls anything.
"""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

WIDTH: Final = 110
_BAR: Final = 40


class StepFailed(Exception):
    """A step did not give what the story says it gives."""


def _console() -> Console:
    """The terminal at its width; a file or a pipe has none, and gets lines that are good to read."""
    known = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(highlight=False, emoji=False, markup=False, width=None if known else WIDTH)


@dataclass
class Stage:
    """Prints on a terminal, in colour where there is one, and keeps what was found out for the end."""

    console: Console = field(default_factory=_console)
    findings: list[tuple[str, str]] = field(default_factory=list)
    chapters: int = 0

    @property
    def width(self) -> int:
        """Columns to write in."""
        return min(self.console.width, WIDTH)

    def chapter(self, title: str, words: str) -> None:
        """Open a chapter with what it is about."""
        self.chapters += 1
        self.console.print()
        heading = Text(f" {self.chapters}  {title} ", style="bold cyan")
        self.console.print(Rule(heading, align="left", style="cyan"), width=self.width)
        self.say(words)

    def say(self, words: str) -> None:
        """One or two sentences of plain explanation."""
        self.console.print()
        self._lines(textwrap.wrap(" ".join(words.split()), self.width - 2), "  ", "default")

    def call(self, who: str, call: str) -> None:
        """Who asks, and what."""
        self.console.print()
        label = f"  {who:>6} ▸ "
        first, *rest = textwrap.wrap(call, self.width - len(label), break_long_words=False, break_on_hyphens=False)
        self.console.print(Text(label, style="bold magenta" if who == "agent" else "bold green"), end="")
        self.console.print(Text(first, style="bold"), soft_wrap=True)
        self._lines(rest, " " * len(label), "bold")

    def answer(self, lines: Iterable[str]) -> None:
        """What came back."""
        for line in lines:
            indent = len(line) - len(line.lstrip())
            room = max(20, self.width - 11 - indent)
            for part in textwrap.wrap(line.strip(), room, break_on_hyphens=False) or [""]:
                self._lines([part], " " * (11 + indent), "dim")

    def holds(self, sentence: str, held: bool) -> None:
        """State what has to be so. Raises StepFailed when it is not."""
        self.console.print(Text(f"         {'✓' if held else '✗'} {sentence}", style="green" if held else "bold red"))
        if not held:
            raise StepFailed(sentence)

    def bars(self, numbers: Iterable[tuple[str, int]]) -> None:
        """Numbers as bars, the longest the full length."""
        rows = list(numbers)
        longest = max(10, min(_BAR, self.width - 30))
        most = max((number for _, number in rows), default=0) or 1
        for label, number in rows:
            bar = "█" * max(1 if number else 0, round(number / most * longest))
            self.console.print(Text(f"           {label:<8} {bar} {number:,}", style="cyan"))

    def found(self, question: str, answer: str) -> None:
        """Remember a line for the summary."""
        self.findings.append((question, answer))

    def summary(self) -> None:
        """What the audience should take home."""
        self.console.print()
        self.console.print(Rule(Text(" In short ", style="bold cyan"), align="left", style="cyan"), width=self.width)
        self.console.print()
        for question, answer in self.findings:
            self._lines(textwrap.wrap(question, self.width - 2), "  ", "bold")
            self._lines(textwrap.wrap(answer, self.width - 4), "    ", "default")

    def _lines(self, lines: Iterable[str], indent: str, style: str) -> None:
        for line in lines:
            self.console.print(Text(indent + line, style=style), soft_wrap=True)
