"""How a server leaves: it says so first, goes on answering while those who send it calls look elsewhere, then stops.

On SIGTERM, and for as long as it was told to wait, `/ready` is a no and each answer ends its connection; then the web
server hears of the signal and does what it always did: it takes no more, and answers what it has begun. A signal meant
for several processes reaches each of them, and the workers get one from the process that started them as well: to a
worker the second SIGTERM is the first one, and that process says `NOW` when there is to be no more waiting. What waits
is a process and not a call: nothing here knows of calls. Source: docs/adr/0030-how-a-server-leaves.md.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing import parent_process
from multiprocessing.connection import wait
from typing import Any, Final

import structlog
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.supervisors import Multiprocess

from smeldr.doors.refusing import refused
from smeldr.model.errors import Refusal

NOW: Final = getattr(signal, "SIGUSR1", None)
"""From the first process to a worker that is leaving: wait no longer. A system without that signal waits."""

TICK: Final = 0.5
"""Seconds between two looks of the first process at the signals that have come."""

_CUT_OFF: Final = Refusal(
    "internal",
    "the server stopped before this call had ended; if it was a change, ask again with the same request_key",
)
_LOG = structlog.get_logger("smeldr")


class Leaving:
    """Whether this server has begun to leave; `seconds` is how long it goes on answering then."""

    def __init__(self, seconds: float = 0) -> None:
        self.begun = False
        self._seconds = seconds
        self._stop: Callable[[], object] = lambda: None

    @contextmanager
    def heeding(self) -> Iterator[None]:
        """Hear of the signals before the web server does, while the context lasts; entered in its event loop.

        Where that loop runs in another thread than the main one no signal arrives, and nothing is done.
        """
        theirs = signal.getsignal(signal.SIGTERM)
        if threading.current_thread() is not threading.main_thread() or not callable(theirs):
            yield
            return
        loop, worker = asyncio.get_running_loop(), parent_process() is not None
        self._stop = lambda: theirs(signal.SIGTERM, None)
        if self._seconds:
            told = partial(self._told, loop, ends_the_wait=not worker)
            signal.signal(signal.SIGTERM, lambda *_: loop.call_soon_threadsafe(told))
        if worker and NOW is not None:
            signal.signal(NOW, lambda *_: loop.call_soon_threadsafe(self._now))
        try:
            yield
        finally:
            signal.signal(signal.SIGTERM, theirs)
            if worker and NOW is not None:
                signal.signal(NOW, signal.SIG_IGN)

    def closing(self, app: ASGIApp) -> ASGIApp:
        """The app, whose answers end their connections once this server has begun to leave.

        A call that the web server gives up on, since it has not ended long after the stop, is answered all the same.
        """

        async def closing(scope: Scope, receive: Receive, send: Send) -> None:
            answered = False

            async def last(message: Message) -> None:
                nonlocal answered
                answered = True
                if self.begun and message["type"] == "http.response.start":
                    MutableHeaders(scope=message)["connection"] = "close"
                await send(message)

            try:
                await app(scope, receive, last)
            except asyncio.CancelledError:
                if answered or scope["type"] != "http":
                    raise
                await refused(_CUT_OFF)(scope, receive, send)

        return closing

    def _told(self, loop: asyncio.AbstractEventLoop, *, ends_the_wait: bool) -> None:
        if not self.begun:
            self.begun = True
            _LOG.info("leaving", seconds=self._seconds)
            loop.call_later(self._seconds, self._stop)
        elif ends_the_wait:
            self._stop()

    def _now(self) -> None:
        self.begun = True
        self._stop()


class Supervisor(Multiprocess):
    """The first process of several: starts the workers, keeps them running, and hurries them when it is hurried."""

    def __init__(self, *how: Any) -> None:
        super().__init__(*how)
        self._hurry = False

    def handle_term(self) -> None:
        """Stop; the second time without waiting."""
        self._hurry = self.should_exit.is_set()
        super().handle_term()

    def handle_int(self) -> None:
        """Stop without waiting."""
        self._hurry = True
        super().handle_int()

    def join_all(self) -> None:
        """Wait for the workers to end, and hurry them when another signal comes meanwhile."""
        for each in self.sockets:
            each.close()  # or whoever calls after the workers have stopped listening would wait for nobody
        while running := [each.process for each in self.processes if each.process.is_alive()]:
            self._hurry |= not {signal.SIGTERM, signal.SIGINT}.isdisjoint(self.signal_queue)
            if self._hurry and NOW is not None:
                for pid in (process.pid for process in running if process.pid is not None):
                    os.kill(pid, NOW)
            self._hurry = False
            self.signal_queue.clear()
            wait([process.sentinel for process in running], TICK)
        super().join_all()


def cut_off() -> None:
    """End the process although calls still wait for a store that hangs; otherwise Python would wait with them.

    Their callers have had an answer. What such a call was writing is kept as a whole or not at all.
    """
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and not thread.daemon:
            thread.join(TICK)
            if thread.is_alive():
                _LOG.warning("calls that did not end were cut off")
                os._exit(0)
