"""Serve the app on an address until told to stop, and sweep on schedule meanwhile.

On SIGTERM it leaves as leaving.py says: in the end no new call is taken, those that run are answered, and the process
ends with 0. With several workers the sweep's schedule stays with the first process, so that it runs once. This file
opens no register: with several workers, each opens its own, through `factory`, with what was handed over to it.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final

import uvicorn

from smeldr.doors.app import build_app
from smeldr.doors.leaving import cut_off
from smeldr.doors.logs import log_to_stderr
from smeldr.doors.metrics import Metrics
from smeldr.doors.metrics_http import Scrape
from smeldr.doors.metrics_listener import listening
from smeldr.doors.workers import Workers
from smeldr.jobs.sweep_schedule import SweepSchedule
from smeldr.operations.register import Register
from smeldr.settings import Settings

GRACE: Final = 30
"""Seconds that a call which runs at the stop is given to end, and a busy worker to show that it lives."""

KEEP_ALIVE: Final = 75
"""Seconds that a connection without a call stays open: longer than proxies keep theirs (60 is usual), since one that
sends a call into a connection that is being closed gets no answer to it."""

_HANDED_OVER: Final = "SMELDR_HANDED_OVER"
"""Between a server and its workers: what the environment alone does not say."""


def serve(
    register: Register,
    settings: Settings,
    host: str,
    port: int,
    workers: int = 1,
    factory: str | None = None,
    metrics: Metrics | None = None,
) -> None:
    """Answer until SIGTERM or SIGINT.

    `factory` names (`module:function`) what builds the app in a worker process; several workers need it. `metrics` is
    what observes the register.

    Raises:
        SystemExit: the schedule of the sweep is none, or the address cannot be had.
    """
    options: dict[str, Any] = {
        "host": host,
        "port": port,
        "access_log": False,
        "lifespan": "on",
        "log_config": None,
        "log_level": settings.log_level.lower(),
        "server_header": False,
        "timeout_graceful_shutdown": GRACE,
        "timeout_keep_alive": KEEP_ALIVE,
        "timeout_worker_healthcheck": GRACE,
        "ws": "none",
    }
    log_to_stderr(settings.log_level, settings.log_format)
    metrics = metrics or Metrics()
    with ExitStack() as stack:
        stack.callback(cut_off)
        stack.enter_context(_ending_with_0())
        if settings.enable_structural_sweep:
            stack.enter_context(_schedule(register, settings))
        if settings.metrics_port is not None:
            stack.enter_context(listening(Scrape(register, metrics), settings.metrics_host, settings.metrics_port))
        if workers > 1 and factory is not None:
            os.environ[_HANDED_OVER] = json.dumps({"settings": settings.model_dump(), "host": host})
            config = uvicorn.Config(factory, factory=True, workers=workers, **options)
            Workers(config, [listener_of(config)]).run()
        else:
            uvicorn.run(build_app(register, settings, host, metrics), **options)


def listener_of(config: uvicorn.Config) -> socket.socket:
    """The socket that workers share, with no waiting for more to send: each answer would wait 40 ms for it.

    A single server sees to that itself; a socket that was bound before, it leaves as it is.
    """
    listener = config.bind_socket()
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def handed_over() -> tuple[Settings, str]:
    """In a worker process: the settings of the server that started it, and the address that it listens on."""
    given = json.loads(os.environ[_HANDED_OVER])
    settings = Settings(**given["settings"])
    log_to_stderr(settings.log_level, settings.log_format)
    _end_with_the_server()
    return settings, given["host"]


def _end_with_the_server() -> None:
    """Stop this worker at once when the process that started it is gone: it keeps the address from the next one."""
    server = multiprocessing.parent_process()
    if server is None:
        return

    def wait() -> None:
        server.join()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=wait, name="smeldr-server", daemon=True).start()


def _schedule(register: Register, settings: Settings) -> SweepSchedule:
    try:
        return SweepSchedule(register.sweep, settings.structural_sweep_schedule)
    except ValueError as error:
        raise SystemExit(f"smeldr: STRUCTURAL_SWEEP_SCHEDULE: {error}") from None


@contextmanager
def _ending_with_0() -> Iterator[None]:
    """Let a SIGTERM unwind the process: the server hands the signal on when it has shut down."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
