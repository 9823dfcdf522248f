"""How the model refuses: an error code, and nothing changed."""

from __future__ import annotations


class ModelRefusal(Exception):
    """A call that the model refuses; `code` is one of the contract's error codes."""

    def __init__(self, code: str, why: str = "") -> None:
        super().__init__(f"{code}: {why}")
        self.code = code
        self.why = why
