"""A request body is JSON text of at most 4 MiB, and it says one thing.

What two readers could read differently is refused before anyone acts on it: a key given twice, NaN, half a surrogate
pair, bytes that are no UTF-8. This file does not know what the JSON is about, and it reads no more of a body than it
needs to see that it is too large.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from starlette.requests import ClientDisconnect, Request

from smeldr.model.errors import MAX_BODY_BYTES, Refusal, validation_failed
from smeldr.model.members import each_once

LARGE: Final = 64 * 1024
"""Bytes of a body from which on it is read in a thread, and for callers with a live token only."""

MAX_DIGITS: Final = 100
MAX_DEPTH: Final = 64
"""Objects and lists inside one another; what a tool takes is never deeper than a few."""

_SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")


async def read_body(request: Request) -> bytes:
    """Read the whole body.

    Raises:
        Refusal: `too_large`, as soon as the declared or the received length shows it.
    """
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > MAX_BODY_BYTES:
        raise _too_large()
    received = bytearray()
    try:
        async for chunk in request.stream():
            received += chunk
            if len(received) > MAX_BODY_BYTES:
                raise _too_large()
    except ClientDisconnect:
        raise validation_failed("arguments", "the body ended early") from None
    return bytes(received)


def parse_json(body: bytes) -> Any:
    """Read one JSON value. Raises ValueError with a text for the caller, which quotes nothing of the body but a key."""
    try:
        text = body.decode("utf-8")
        value = json.loads(text, object_pairs_hook=each_once, parse_constant=_no_constant, parse_int=_whole)
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise ValueError(f"nested more than {MAX_DEPTH} deep") from None
    if _SURROGATE_ESCAPE.search(text):
        _refuse_lone_surrogates(value)
    _refuse_depth(value)
    return value


def parse_arguments(body: bytes) -> dict[str, Any]:
    """Read the arguments of a call: a JSON object; no body at all is none.

    Raises:
        Refusal: `validation_failed`, with `arguments` as its field.
    """
    if not body.strip():
        return {}
    try:
        value = parse_json(body)
    except ValueError as error:
        raise validation_failed("arguments", str(error)) from None
    if not isinstance(value, dict):
        raise validation_failed("arguments", "not a JSON object")
    return value


def _too_large() -> Refusal:
    return Refusal("too_large", f"the body is over {MAX_BODY_BYTES:,} bytes")


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number of {len(digits):,} digits")
    return int(digits)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _refuse_lone_surrogates(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("it holds half of a surrogate pair, which is no character") from None


def _refuse_depth(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [inner for outer in level if isinstance(outer, dict | list) for inner in _inside(outer)]
        if not level:
            return
    raise ValueError(f"nested more than {MAX_DEPTH} deep")


def _inside(outer: dict[str, Any] | list[Any]) -> list[Any]:
    return list(outer.values()) if isinstance(outer, dict) else outer
