"""A fault of ours: the log has it under an id, and whoever called gets the id and never the detail.

Inside a call that is the call's own id (observing.py), so that all its lines are found by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import structlog
from structlog.contextvars import get_contextvars

from smeldr.model.errors import Refusal

_LOG = structlog.get_logger("smeldr")


def new_id() -> str:
    """An id that the log knows a call by."""
    return uuid4().hex


def fault(error: BaseException, **where: str) -> Refusal:
    """Log that this happened, and make the `internal` that carries the id.

    An `internal` that was made below keeps what it says, and says it to the log too: such texts are ours alone.
    `where` is for the log, and holds nothing that a caller wrote.
    """
    call = get_contextvars().get("call") or new_id()
    said = error.message if isinstance(error, Refusal) else "something went wrong on this side"
    _LOG.error("fault", call=call, said=said, exc_info=error, **where)
    return Refusal("internal", f"{said}; the log has it as {call}")


@contextmanager
def told(**where: str) -> Iterator[None]:
    """Turn whatever goes wrong inside into a refusal: a fault into the `internal` that carries an id.

    Raises:
        Refusal: any that is raised inside; an `internal` with the id.
    """
    try:
        yield
    except Refusal as refusal:
        if refusal.code == "internal":
            raise fault(refusal, **where) from refusal
        raise
    except Exception as error:
        raise fault(error, **where) from error
