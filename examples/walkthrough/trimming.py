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
    """An answer as lines of JSON: lists item by item, the rest on one line.

    `members` are those to show of each item of a list; without any, all are shown.
    """
    plain = {name: value for name, value in reply.items() if not _is_list_of_items(value)}
    lists = {name: value for name, value in reply.items() if name not in plain}
    for name, items in lists.items():
        yield f'"{name}": ['
        for item in items[:SHOWN_ITEMS]:
            yield f"    {_item(item, members)}"
        if len(items) > SHOWN_ITEMS:
            yield f"    … and {len(items) - SHOWN_ITEMS:,} more here"
        yield "]"
    if plain:
        yield _json(plain)[1:-1]


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


def _item(item: Mapping[str, Any], members: Sequence[str]) -> str:
    kept = {name: item[name] for name in members if name in item} or item
    left_out = len(item) - len(kept)
    return f"{_json(kept)[:-1]}, … {left_out} more}}" if left_out else _json(kept)


def _json(value: object) -> str:
    return json.dumps(_short(value), ensure_ascii=False)


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: "… (shown once, not here)" if name == "token" else _short(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_short(each) for each in value]
    if isinstance(value, str) and len(value) > SHOWN_TEXT:
        return f"{value[:SHOWN_TEXT]}… {len(value) - SHOWN_TEXT:,} characters more"
    return value
