"""What a call leaves behind for whoever runs the server: an id in every line of the log, a last line, and a count.

The last line says how the call ended and how long it took. No line says what was asked or answered: names of tools and
parameters that nobody knows are left out too, since anything may have been pasted there. Who counts, and how, is not
known here. Source: docs/metrics.md.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextvars import copy_context
from time import perf_counter
from typing import Final, Protocol, TypeVar

import structlog
from structlog.contextvars import bind_contextvars, get_contextvars

from smeldr.model.errors import Refusal
from smeldr.operations.faults import new_id, told
from smeldr.operations.registry import OPERATIONS

OK: Final = "ok"
"""The outcome of a call that was answered; every other outcome is the code of its refusal."""

UNKNOWN: Final = "unknown"
"""What every tool that is none goes by."""

_LOG = structlog.get_logger("smeldr")
_T = TypeVar("_T")


class Observer(Protocol):
    """Hears of every call, from many threads at once. Whatever it does is quick, and never raises."""

    def called(self, tool: str, outcome: str, seconds: float) -> None:
        """A call has ended: `ok`, or with the code of its refusal. `tool` is a tool's name, or `unknown`."""

    def retried(self, tool: str) -> None:
        """A call begins anew, because the store let go of its transaction."""


class Unobserved(Observer):
    """Listens to nothing."""

    def called(self, tool: str, outcome: str, seconds: float) -> None: ...

    def retried(self, tool: str) -> None: ...


def observed(observer: Observer, name: str, job: Callable[[], _T]) -> _T:
    """Do the job as one call, under an id of its own.

    Raises:
        Refusal: the job's, and `internal` with the id in the place of anything else that it raises.
    """
    return copy_context().run(_observed, observer, name if name in OPERATIONS else UNKNOWN, job)


def caller_is(principal: str) -> None:
    """Have every later line of the call that runs here, if one does, name the principal by its id."""
    if "call" in get_contextvars():
        bind_contextvars(principal=principal)


def _observed(observer: Observer, tool: str, job: Callable[[], _T]) -> _T:
    bind_contextvars(call=new_id(), tool=tool)
    outcome, begun = "internal", perf_counter()
    try:
        with told():
            answer = job()
        outcome = OK
    except Refusal as refusal:
        outcome = refusal.code
        raise
    finally:
        seconds = perf_counter() - begun
        observer.called(tool, outcome, seconds)
        _LOG.log(_level(tool, outcome), "call", outcome=outcome, milliseconds=round(seconds * 1_000, 1))
    return answer


def _level(tool: str, outcome: str) -> int:
    """A warning for what has to be looked into, a word about every change, and the rest for whoever wants to know."""
    if outcome in ("busy", "internal"):
        return logging.WARNING
    changed = outcome == OK and OPERATIONS[tool].changes
    return logging.INFO if changed else logging.DEBUG
