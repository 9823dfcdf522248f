"""How a command line ends: with its exit code, one line on standard error when it failed, and never a traceback.

Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 130 stopped from the keyboard. Everything but the interpreter's
own is imported inside, so that a Ctrl-C finds it prepared however early it comes. Which commands there are is told to
it; what failures are called is failure.py.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from io import StringIO, TextIOWrapper
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    import click

FAILED: Final = 1
WRONG_USAGE: Final = 2
INTERRUPTED: Final = 130


def ended(program: str, make: Callable[[], click.Group]) -> int:
    """Run the command line of this process with the commands that `make` gives, and give its exit code."""
    try:
        if sys.stdout is None:  # closed by whoever started us
            sys.stdout = StringIO()
        for stream in (sys.stdout, sys.stderr):
            _prepare(stream)
        code = _run(program, make)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return _said(program, "interrupted", "stopped", code=INTERRUPTED)
    except BrokenPipeError:
        _discard_output()
        return FAILED
    except OSError as error:
        _discard_output()
        file = f": {error.filename}" if error.filename else ""
        return _said(program, "io", f"{error.strerror or error}{file}")
    except Exception as fault:
        return _said(program, "internal", f"{type(fault).__name__}: {fault}")


def _run(program: str, make: Callable[[], click.Group]) -> int:
    import click

    from smeldr.doors.cli.failure import Failure

    words = [_read(word) for word in sys.argv[1:]]
    try:
        return int(make().main(words, prog_name=program, standalone_mode=False) or 0)
    except click.exceptions.NoArgsIsHelpError as help_wanted:
        click.echo(help_wanted.message, err=True)
        return WRONG_USAGE
    except click.UsageError as error:
        hint = (f"see `{error.ctx.command_path} --help`",) if error.ctx else ()
        return _said(program, "usage", error.format_message(), hint, code=WRONG_USAGE)
    except click.Abort:
        raise KeyboardInterrupt from None
    except Failure as failure:
        return _said(program, failure.code, failure.message, failure.details)


def _said(program: str, code_name: str, message: str, details: Sequence[str] = (), code: int = FAILED) -> int:
    """Say on standard error why, and give the exit code."""
    if sys.stderr is not None:
        from smeldr.doors.cli.screen import shown

        lines = [f"{program}: {code_name}: {' '.join(message.split())}", *(f"  {line}" for line in details)]
        sys.stderr.write("".join(f"{shown(line)}\n" for line in lines))
    return code


def _prepare(stream: TextIO | None) -> None:
    """Let every character through: an ASCII locale gets UTF-8, another one escapes for what it does not have."""
    if not isinstance(stream, TextIOWrapper):
        return
    encoding = stream.encoding.lower().replace("_", "-")
    if encoding in ("ascii", "us-ascii", "ansi-x3.4-1968", "646"):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    elif encoding not in ("utf-8", "utf8"):
        stream.reconfigure(errors="backslashreplace")


def _read(word: str) -> str:
    """A word of the command line; where the locale made nothing of its bytes, they are taken for UTF-8."""
    try:
        word.encode("utf-8")
    except UnicodeEncodeError:
        return os.fsencode(word).decode("utf-8", "surrogateescape")
    return word


def _discard_output() -> None:
    """Standard output is gone: let nothing be written to it when the process ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        return
