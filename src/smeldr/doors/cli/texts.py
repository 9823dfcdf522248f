"""Text from a file or from standard input, as people's editors and shells write it: UTF-8, with or without a BOM.

Windows PowerShell writes UTF-16 when it redirects; its BOM says so, and it is read too. Line breaks stay as they are.
"""

from __future__ import annotations

import codecs
import sys
from pathlib import Path


def decoded(data: bytes) -> str:
    """Decode UTF-8, or UTF-16 behind its BOM; the BOM is no part of the text. Raises UnicodeError for anything else."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16")
    return data.removeprefix(codecs.BOM_UTF8).decode("utf-8")


def given(value: str) -> str:
    """The text that a value stands for: itself, `@file`, or `-` for standard input.

    Raises:
        ValueError: the file cannot be read, or what it holds is no UTF-8. The message is for the user.
    """
    if value == "-":
        name, data = "standard input", _standard_input()
    elif value.startswith("@"):
        name = value[1:]
        try:
            data = Path(name).read_bytes()
        except OSError as error:
            raise ValueError(f"cannot read {name!r}: {error.strerror or error}") from None
    else:
        return value
    try:
        return decoded(data)
    except UnicodeError:
        raise ValueError(f"{name} is not UTF-8 text") from None


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise ValueError("there is no standard input")
    return sys.stdin.buffer.read()
