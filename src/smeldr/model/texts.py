"""How long the texts of the register may be, and which characters they may hold.

A text is kept as it was given: nothing is trimmed, folded or normalised. Each function here answers with why a text is
refused, or with None when it is welcome; which code a refusal has is for those who ask.
"""

from __future__ import annotations

import re
from typing import Final

MAX_TITLE: Final = 300
MAX_BODY: Final = 200_000
MAX_REASON: Final = 2_000
MAX_NAME: Final = 200
MAX_SOURCE: Final = 500
"""In characters, as Python counts them: code points."""

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")


def text_problem(text: str, longest: int) -> str | None:
    """Judge a text of many lines (a body, a reason): not blank, no NUL, no lone surrogate, not too long."""
    if len(text) > longest:
        return f"{len(text):,} characters, and {longest:,} are allowed"
    if not text.strip():
        return "it is empty"
    if "\0" in text:
        return "it holds a NUL character"
    if _SURROGATE.search(text):
        return "it holds half of a surrogate pair, which is no character"
    return None


def line_problem(text: str, longest: int) -> str | None:
    """Judge a text of one line (a title, a name, a source): as above, and no control character or line break."""
    if text.isprintable() and 0 < len(text) <= longest and not text.isspace():
        return None  # nearly every one: no need to look closer
    problem = text_problem(text, longest)
    if problem is None and (found := _CONTROL.search(text)):
        return f"it holds the control character U+{ord(found[0]):04X}"
    return problem
