"""`GET /metrics` at the doors of the register, for whoever administers ROOT.

An answer waits for no call: it has threads of its own, and when the store does not say in time how it is, it says that.
Whom a token belongs to is for the store to say, so that without it nobody is answered here; metrics_listener.py asks
for no token. Which figures there are is in metrics.py.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import anyio
from anyio import CapacityLimiter, to_thread
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from smeldr.doors.calling import bearer
from smeldr.doors.metrics import Metrics
from smeldr.model.errors import Refusal
from smeldr.operations.register import Register
from smeldr.operations.state_of import State

PATIENCE: Final = 2.0
"""Seconds that the store is given; whoever scrapes waits ten for everything, unless told otherwise."""

EVERY: Final = 1.0
"""Seconds after which a worker writes down anew how many connections it holds."""

AT_ONCE: Final = 4
"""Answers that are put together at once."""


class Scrape:
    """Answers with the figures of now."""

    def __init__(self, register: Register, metrics: Metrics) -> None:
        self._register = register
        self._metrics = metrics
        self._threads = CapacityLimiter(AT_ONCE)

    async def answer_to(self, token: str | None) -> Response:
        """The figures for somebody. Raises Refusal `unauthorized` or `forbidden`, and what a failing store says."""
        await to_thread.run_sync(self._register.require_administrator, token, limiter=self._threads)
        return await self.answer()

    async def answer(self) -> Response:
        """The figures, with those of the store if it answers."""
        if not self._metrics.shared:
            self._metrics.connected(self._register.connections())
        state = await self._state()
        text = await to_thread.run_sync(self._metrics.text, state, limiter=self._threads)
        return Response(text, media_type=CONTENT_TYPE_PLAIN_0_0_4)

    async def _state(self) -> State | None:
        with anyio.move_on_after(PATIENCE):
            try:
                return await to_thread.run_sync(self._register.state, limiter=self._threads, abandon_on_cancel=True)
            except Refusal:
                pass
        return None

    @asynccontextmanager
    async def noting(self) -> AsyncIterator[None]:
        """In a worker: write down how many connections it holds, again and again while the context lasts."""
        if not self._metrics.shared:
            yield
            return
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._note)
            yield
            tasks.cancel_scope.cancel()

    async def _note(self) -> None:
        while True:
            self._metrics.connected(self._register.connections())
            await anyio.sleep(EVERY)


def routes(scrape: Scrape) -> list[Route]:
    """The route at the doors of the register."""

    async def metrics(request: Request) -> Response:
        return await scrape.answer_to(bearer(request.headers))

    return [Route("/metrics", metrics)]
