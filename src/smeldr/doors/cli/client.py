"""`smeldr-cli`: its entry point, and nothing else. What the commands are is commands.py, how they end ending.py."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from smeldr.doors.cli.ending import ended

if TYPE_CHECKING:
    import click


def main() -> int:
    """Run the command line of this process, and give its exit code."""
    return ended("smeldr-cli", _commands)


def _commands() -> click.Group:
    from smeldr.doors.cli.commands import root  # here, so that a Ctrl-C meanwhile is no traceback

    return root()


if __name__ == "__main__":
    sys.exit(main())
