"""Every refusal has a stable code; this file is their one list.

It does not decide when a refusal is due (rules and operations do) and does not render it (doors do).
Source: docs/errors.md, one row per code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

HTTP_STATUS: Final[Mapping[str, int]] = {
    "validation_failed": 422,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "conflict": 409,
    "rev_conflict": 409,
    "too_large": 413,
    "busy": 503,
    "internal": 500,
}
"""Every error code and the HTTP status it travels under."""

MAX_BODY_BYTES: Final = 4 * 1024 * 1024
"""A request body over this many bytes is `too_large`."""


@dataclass(eq=False)
class Refusal(Exception):
    """A call that was refused and has changed nothing.

    `fields` maps a parameter to `{"why": ..., "valid"?: ...}`; `rev` is the current one of a `rev_conflict`;
    `state` and `allowed` say what a `conflict` found and which moves that state allows.
    """

    code: str
    message: str
    fields: Mapping[str, Mapping[str, Any]] | None = None
    rev: int | None = None
    state: str | None = None
    allowed: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if self.code not in HTTP_STATUS:
            raise ValueError(f"{self.code!r} is not an error code")
        super().__init__(f"{self.code}: {self.message}")

    @property
    def status(self) -> int:
        """The HTTP status the code travels under."""
        return HTTP_STATUS[self.code]

    def reply(self) -> dict[str, Any]:
        """The one shape of an error at every door: `{"error": {"code", "message", ...}}`."""
        optional = {"fields": self.fields, "rev": self.rev, "state": self.state, "allowed": self.allowed}
        return {
            "error": {
                "code": self.code,
                "message": self.message,
                **{name: value for name, value in optional.items() if value is not None},
            }
        }


def validation_failed(field: str, why: str, valid: Any = None) -> Refusal:
    """Refuse one parameter: which, why and, where there is a list of them, the valid values."""
    entry: dict[str, Any] = {"why": why} if valid is None else {"why": why, "valid": valid}
    return Refusal("validation_failed", f"{field}: {why}", fields={field: entry})


def not_found(what: str) -> Refusal:
    """Refuse an item that is absent or hidden: one text for both."""
    return Refusal("not_found", f"there is no {what}")


def forbidden(message: str) -> Refusal:
    """Refuse a caller who may know of the item but lacks the right."""
    return Refusal("forbidden", message)


def conflict(message: str, *, state: str | None = None, allowed: Sequence[str] | None = None) -> Refusal:
    """Refuse because the state does not allow it."""
    return Refusal("conflict", message, state=state, allowed=allowed)


def rev_conflict(address: str, rev: int) -> Refusal:
    """Refuse a stale `rev`; carries the current one."""
    return Refusal("rev_conflict", f"{address} was changed by someone else: it is at rev {rev} now", rev=rev)
