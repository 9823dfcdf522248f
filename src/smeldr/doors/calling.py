"""Every door calls the register the same way: off the event loop, and with one answer to a fault.

A call blocks on the store, so it runs in a thread, when one is free for it; a call that got none in time has not begun.
What comes back is the reply, or a `Refusal`; anything else that is raised is a fault of ours: the log has it under an
id and the caller gets `internal` with that id, never the detail. This file knows no protocol and judges nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, TypeVar

from anyio import CapacityLimiter, Semaphore, fail_after, to_thread
from starlette.datastructures import Headers

from smeldr.model.errors import Refusal
from smeldr.operations.faults import fault
from smeldr.operations.register import Register

THREADS: Final = 32
"""Calls that run at once; more wait their turn, so that a burst does not open a connection each."""

TURN_SECONDS: Final = 10.0
"""How long a call waits for its turn before it is `busy`."""

READY_SECONDS: Final = 2.0
"""How long the store is given to say that it is ready: whoever asks has other servers."""

_T = TypeVar("_T")


class Calls:
    """The register, called from an event loop."""

    def __init__(self, register: Register) -> None:
        self._register = register
        self._turns = Semaphore(THREADS, fast_acquire=True)
        self._threads = CapacityLimiter(THREADS + 1)  # one more, for looking whether the store is ready
        self._looking: asyncio.Task[bool] | None = None

    async def call(self, name: str, arguments: Mapping[str, Any], token: str | None) -> dict[str, Any]:
        """Run one operation to its end, also when the caller has gone meanwhile. Raises Refusal."""
        return await self._run("call", partial(self._register.call, name, arguments, token))

    async def authenticate(self, token: str | None) -> None:
        """Raise Refusal `unauthorized` unless the token is a live one."""
        await self._run("authenticate", partial(self._register.authenticate, token))

    async def aside(self, work: Callable[[], _T]) -> _T:
        """Do what takes long in a thread, when its turn comes. Raises Refusal `busy`, and whatever the work raises."""
        try:
            with fail_after(TURN_SECONDS):
                await self._turns.acquire()
        except TimeoutError:
            raise Refusal("busy", "the server has too much to do; nothing was written") from None
        try:
            return await to_thread.run_sync(work, limiter=self._threads)
        finally:
            self._turns.release()

    async def ready(self) -> bool:
        """Whether the store answers in time and is at the newest revision; a fault in asking is a no.

        One look serves all who ask while it lasts: one at a store that hangs holds up a single thread and connection.
        """
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        seen, _ = await asyncio.wait({self._looking}, timeout=READY_SECONDS)
        return any(look.result() for look in seen)

    async def _look(self) -> bool:
        try:
            return await to_thread.run_sync(self._register.ready, limiter=self._threads)
        except Exception as error:
            fault(error, doing="ready")
            return False

    async def _run(self, what: str, job: Callable[[], _T]) -> _T:
        try:
            return await self.aside(job)
        except Refusal:
            raise
        except Exception as error:
            raise fault(error, doing=what) from None


def bearer(headers: Headers) -> str | None:
    """The token of an `Authorization: Bearer` header; None when there is no such header."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None
