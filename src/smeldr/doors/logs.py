"""The log goes to standard error: a line an event, and a fault with its plain traceback.

A traceback shows no values of variables, among which there may be a token. What is worth a line is decided where it
happens.
"""

from __future__ import annotations

import logging
import sys

import structlog


def log_to_stderr(level: str) -> None:
    """Say from now on what is at least as grave as `level` (`debug`, `info`, `warning`, `error`)."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
            ),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
