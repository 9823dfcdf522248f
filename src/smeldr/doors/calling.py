"""Every door calls the register the same way: off the event loop, and with one answer to a fault.

A call blocks on the store, so it runs in a thread. What comes back is the reply, or a `Refusal`; anything else that is
raised is a fault of ours: the log has it under an id and the caller gets `internal` with that id, never the detail.
This file knows no protocol and judges nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.datastructures import Headers

from smeldr.model.errors import Refusal
from smeldr.operations.faults import fault
from smeldr.operations.register import Register

THREADS: Final = 32
"""Calls that run at once; more wait their turn, so that a burst does not open a connection each."""

_T = TypeVar("_T")


class Calls:
    """The register, called from an event loop."""

    def __init__(self, register: Register) -> None:
        self._register = register
        self._threads = CapacityLimiter(THREADS)

    async def call(self, name: str, arguments: Mapping[str, Any], token: str | None) -> dict[str, Any]:
        """Run one operation to its end, also when the caller has gone meanwhile. Raises Refusal."""
        return await self._run("call", partial(self._register.call, name, arguments, token))

    async def authenticate(self, token: str | None) -> None:
        """Raise Refusal `unauthorized` unless the token is a live one."""
        await self._run("authenticate", partial(self._register.authenticate, token))

    async def ready(self) -> bool:
        """Whether the store answers and is at the newest revision; a fault in asking is a no."""
        try:
            return await self._run("ready", self._register.ready)
        except Refusal:
            return False

    async def _run(self, what: str, job: Callable[[], _T]) -> _T:
        try:
            return await to_thread.run_sync(job, limiter=self._threads)
        except Refusal:
            raise
        except Exception as error:
            raise fault(error, doing=what) from None


def bearer(headers: Headers) -> str | None:
    """The token of an `Authorization: Bearer` header; None when there is no such header."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None
