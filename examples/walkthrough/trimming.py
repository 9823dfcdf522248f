"""Answers, made short enough to read, saying how much was left out.

Only what is printed is trimmed; what the demo checks is the whole answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

SHOWN_ITEMS: Final = 3
SHOWN_LINES: Final = 12
SHOWN_TEXT: Final = 160


def reply_lines(reply: Mapping[str, Any], members: Sequence[str] = ()) -> Iterator[str]:
    """An answer as lines of JSON: lists of items one item a line, everything else on one line before them.

    `members` are those to show, of the answer and of each item in it; without any, all are shown.
    """
    lists = {name: value for name, value in reply.items() if _is_list_of_items(value)}
    plain = {name: value for name, value in reply.items() if name not in lists}
    if plain:
        yield _object(plain, members)
    for name, items in lists.items():
        yield f"{name}:"
        for item in items[:SHOWN_ITEMS]:
            yield f"    {_object(item, members)}"
        if len(items) > SHOWN_ITEMS:
            yield f"    … and {len(items) - SHOWN_ITEMS:,} more here"


def text_lines(text: str) -> Iterator[str]:
    """The answer of a command, line by line."""
    lines = text.rstrip().splitlines()
    yield from lines[:SHOWN_LINES]
    if len(lines) > SHOWN_LINES:
        yield f"… and {len(lines) - SHOWN_LINES:,} lines more"


def counted(number: int, word: str) -> str:
    """The number with its word: `1 item`, `1,200 items`."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _is_list_of_items(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _object(value: Mapping[str, Any], members: Sequence[str]) -> str:
    """The members to show, in their order, or all when it has none of them; and how many there are besides."""
    names = [name for name in members if name in value] or list(value)
    parts = [f'"{name}": {_value(name, value[name], members)}' for name in names]
    if left_out := len(value) - len(names):
        parts.append(f"… {left_out} more")
    return "{" + ", ".join(parts) + "}"


def _value(name: str, value: Any, members: Sequence[str]) -> str:
    if name == "token":
        return '"… (shown once, not here)"'
    if isinstance(value, dict):
        return _object(value, members)
    if isinstance(value, str) and len(value) > SHOWN_TEXT:
        value = f"{value[:SHOWN_TEXT]}… {len(value) - SHOWN_TEXT:,} characters more"
    return json.dumps(value, ensure_ascii=False)
