"""`smeldr`, and `python -m smeldr`: its commands, joined to what wiring.py does."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from smeldr.doors.cli.ending import ended

if TYPE_CHECKING:
    import click

    from smeldr.doors.cli.admin import Progress
    from smeldr.settings import Settings


def main() -> int:
    """Run the command line of this process, and give its exit code."""
    return ended("smeldr", _commands)


def _commands() -> click.Group:
    """Join them; imported here, since that takes a second in which Ctrl-C must be no traceback."""
    from smeldr import wiring
    from smeldr.doors.cli.admin import Commands, build
    from smeldr.doors.cli.doctor import doctor
    from smeldr.doors.cli.keeping import Keeping, keeping
    from smeldr.doors.logs import log_nothing
    from smeldr.store.contract import StoreUnusable

    log_nothing()  # until a server sets it up

    def import_file(database: str | None, path: Path, progress: Progress) -> Mapping[str, Any]:
        return asdict(wiring.import_file(_settings(database), path, progress))

    kept = Keeping(
        copy=wiring.copy,
        back_up=lambda database, *how: wiring.back_up(_settings(database), *how),
        restore=lambda database, *how: wiring.restore(_settings(database), *how),
    )
    return build(
        Commands(
            initialise=lambda database, owner: wiring.initialise(_settings(database), owner),
            serve=lambda database, *where: wiring.serve(_settings(database), *where),
            serve_stdio=lambda database, token: wiring.serve_stdio(_settings(database), token),
            migrate=lambda database: wiring.migrate(_settings(database)),
            import_file=import_file,
            recover_owner=lambda database, *who: wiring.recover_owner(_settings(database), *who),
            known={StoreUnusable: "store_unusable"},
        ),
        [*keeping(kept), doctor(lambda database, repair: wiring.examine(_settings(database), repair))],
    )


def _settings(database: str | None) -> Settings:
    """The settings, with this database if one was named. Raises Failure `bad_settings`."""
    from pydantic import ValidationError

    from smeldr.doors.cli.failure import Failure
    from smeldr.settings import Settings

    try:
        settings = Settings()
    except ValidationError as error:
        wrong = "; ".join(f"{problem['loc'][0]}: {problem['msg']}" for problem in error.errors())
        raise Failure("bad_settings", wrong) from None
    return settings if database is None else settings.model_copy(update={"database": database})


if __name__ == "__main__":
    sys.exit(main())
