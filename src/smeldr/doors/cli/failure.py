"""How a command fails: a stable code, one message, and lines of detail under it.

The server's refusals keep their own code; the few that arise on this side of the wire are listed here. How a failure
is written and which exit code it has is ending.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

LOCAL_CODES: Final[Mapping[str, str]] = {
    "bad_answer": "what answered does not speak as a Smeldr server does",
    "bad_settings": "the address, the token or the settings file cannot be used",
    "interrupted": "stopped from the keyboard; the exit code is 130",
    "io": "the machine refused to read or write something",
    "not_installed": "a checkout without its environment",
    "store_unusable": "the database cannot be opened, or is none of ours (`smeldr` only)",
    "timeout": "no answer in time",
    "unreachable": "no connection to the server, or a broken one",
    "usage": "the command was written wrongly; the exit code is 2",
}
"""Every code that the server does not have. `internal` is shared: here it is a fault of the command itself.

Source: docs/errors.md.
"""


class Failure(Exception):
    """The command did not do what was asked."""

    def __init__(self, code: str, message: str, details: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details


class Refused(Failure):
    """The server understood the call and refused it."""

    def __init__(self, error: Mapping[str, Any], more: tuple[str, ...] = ()) -> None:
        super().__init__(str(error.get("code")), str(error.get("message")), (*_details(error), *more))


def _details(error: Mapping[str, Any]) -> list[str]:
    fields = error.get("fields")
    lines = [_field(name, entry) for name, entry in fields.items()] if isinstance(fields, Mapping) else []
    lines += [f"{key}: {error[key]}" for key in ("rev", "state") if key in error]
    if isinstance(allowed := error.get("allowed"), list):
        lines.append(f"allowed: {', '.join(map(str, allowed)) or 'nothing'}")
    return lines


def _field(name: str, entry: Any) -> str:
    if not isinstance(entry, Mapping):
        return f"{name}: {entry}"
    valid = entry.get("valid")
    listed = f" (valid: {', '.join(map(str, valid))})" if isinstance(valid, list) and valid else ""
    return f"{name}: {entry.get('why')}{listed}"
