"""The log goes to standard error: an event a line, for people to read or as one JSON object.

It shows nothing that people wrote. Of an exception it shows what it is and where it passed: messages may quote a text,
and variables may hold a token. Of a library it shows where it spoke, since nobody here knows what it says; of the web
server, which speaks of processes and addresses, also what. What is worth a line is decided where it happens.
"""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Iterator
from typing import Any, Final, TextIO

import structlog
from structlog.typing import EventDict, Processor

OURS: Final = "smeldr"
"""What our handler goes by, and our loggers."""

_WEB_SERVER: Final = "uvicorn"
"""It is heard at the level that is asked for, `.error` being what it says of everything. Other libraries warn only."""


def log_to_stderr(level: str, log_format: str = "text") -> None:
    """Say from now on what is at least as grave as `level` (debug, info, warning, error), as `text` or as `json`."""
    number = logging.getLevelNamesMapping()[level.upper()]
    common: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.ExceptionRenderer(lambda exc_info: "\n".join(passage(exc_info[1]))),
    ]
    structlog.configure(
        processors=[*common, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.stdlib.LoggerFactory(),
    )
    handler = _Stderr(sys.stderr)
    handler.set_name(OURS)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[_heard, *common],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _renderer(log_format)],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [*(each for each in root.handlers if each.get_name() != OURS), handler]
    for name in (OURS, f"{_WEB_SERVER}.error"):
        logging.getLogger(name).setLevel(number)


def log_nothing() -> None:
    """Keep quiet, for a command that serves nobody: it says itself what went wrong, and its output is its own."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL),
        logger_factory=structlog.ReturnLoggerFactory(),
    )


class _Stderr(logging.StreamHandler[TextIO]):
    """A line that cannot be written, on a full disk or to a pipe that nobody reads, is lost; the call goes on."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        pass


def passage(error: BaseException | None, seen: frozenset[int] = frozenset()) -> Iterator[str]:
    """What an exception is and where it passed, line by line, after those that led to it. Without any message."""
    if error is None or id(error) in seen:
        return
    seen |= {id(error)}
    led = error.__cause__ if error.__suppress_context__ else error.__context__
    for each in (led, *(error.exceptions if isinstance(error, BaseExceptionGroup) else ())):
        yield from passage(each, seen)
    yield from "".join(traceback.format_tb(error.__traceback__)).splitlines()
    yield f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")


def _renderer(log_format: str) -> Processor:
    if log_format == "json":
        return structlog.processors.JSONRenderer()
    return structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback, pad_event_to=0
    )


def _heard(_: Any, __: str, event: EventDict) -> EventDict:
    record: logging.LogRecord = event["_record"]
    if record.name.partition(".")[0] == _WEB_SERVER:
        event["event"] = event["event"].strip()
    else:
        event["event"] = f"{record.name} spoke at {record.filename}:{record.lineno}"
    return event
