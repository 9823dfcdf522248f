"""Write the manifest that the command line is derived from: `python -m smeldr.doors.manifest`.

It stands outside `smeldr.doors.cli` because it imports the operations, which nothing in there may. It decides nothing
about the commands; `smeldr.doors.cli.manifest` says what the description holds.
"""

from __future__ import annotations

import smeldr.operations  # noqa: F401  (registers every operation)
from smeldr.doors.cli.manifest import PATH, described
from smeldr.operations.registry import OPERATIONS


def text() -> str:
    """What the manifest has to say for the operations as they are."""
    return described(OPERATIONS.values())


def main() -> None:
    """Write it."""
    PATH.write_text(text(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
