"""A fault of ours: the log has it whole under an id, and whoever called gets the id and never the detail."""

from __future__ import annotations

from uuid import uuid4

import structlog

from smeldr.model.errors import Refusal

_LOG = structlog.get_logger("smeldr")


def fault(error: BaseException, what: str) -> Refusal:
    """Log what happened with its traceback under a new id, and make the `internal` that carries the id."""
    incident = uuid4().hex
    _LOG.error("fault", incident=incident, what=what, exc_info=error)
    return Refusal("internal", f"something went wrong on this side; the log has it as {incident}")
