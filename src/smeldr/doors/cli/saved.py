"""The settings of `smeldr-cli`, written to a file that only its owner reads.

The file is taken before the register is made and given its lines after, so that neither a token is lost nor a register
made for nothing. A file that is there already is never written over: it holds somebody's token.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from smeldr.doors.cli.failure import Failure


@contextmanager
def taken(path: Path) -> Iterator[Callable[[Mapping[str, str]], None]]:
    """Take a new file, and give what writes settings to it; it is gone again when the block fails.

    Raises:
        Failure: `bad_settings`, when the file is there already or cannot be made.
    """
    try:
        file = os.fdopen(
            os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8", newline="\n"
        )
    except FileExistsError:
        message = f"{path.name} is here already and may hold a token: move it away, or leave out --save"
        raise Failure("bad_settings", message) from None
    except OSError as error:
        raise Failure("bad_settings", f"cannot write {path.name} here: {error.strerror or error}") from None

    def write(settings: Mapping[str, str]) -> None:
        file.writelines(f"{key}={value}\n" for key, value in settings.items())
        file.flush()

    try:
        with file:
            yield write
    except BaseException:
        path.unlink(missing_ok=True)
        raise
