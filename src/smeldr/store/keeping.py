"""A register moved to another database, backed up into a file, and put back from one.

All three are one thing: a snapshot here, copied (copying.py) in one transaction there, in which it is compared before
it is kept. Whenever that ends, nothing is left half done. What is said to whoever asked for it is not decided here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from sqlalchemy import Connection

from smeldr.model.errors import conflict
from smeldr.store.contract import StoreUnusable
from smeldr.store.copying import Progress, TableSum, clear, compare_rows, copy_rows, is_empty, register_in
from smeldr.store.engines import IN_A_FILE
from smeldr.store.store import Store, newest_revision

UNFINISHED: Final = ".smeldr-unfinished-"
"""What the name of a folder begins with in which a file is made, until it is whole; a killed process leaves it."""


@dataclass(frozen=True, slots=True)
class Copy:
    """What was copied, in that order, and the backup of what a restored register has replaced."""

    tables: Sequence[TableSum]
    former: Path | None = None


def copy(source: str, target: str, progress: Progress) -> Copy:
    """Copy the register of one database into another, which is empty.

    Raises:
        Refusal: `conflict` when there is a register in the target, which may be the source; `busy`; `internal` when
            the copy differs or cannot be written. The target has no register then that it did not have.
        StoreUnusable: the source holds no register of this version, or the target cannot hold one.
    """
    with ExitStack() as stack:
        with _told_as("FROM"):
            old = stack.enter_context(closing(Store(source, at_rest=True)))
            old.check()
        with _told_as("TO"):
            if _holds_register(target):
                raise conflict("there is a register in TO already; nothing was copied")
            new = stack.enter_context(closing(Store(target)))
            new.migrate()
        place = stack.enter_context(new.replacing())
        if not is_empty(place):
            raise conflict("there is a register in TO by now; nothing was copied")
        return Copy(_copied(old.reading(), place, progress))


def back_up(database: str, file: Path, *, force: bool, progress: Progress) -> Copy:
    """Copy the register, as it is at this moment, into a file that only its owner can read.

    With `force`, a file of that name that is there is replaced, once the new one is whole.

    Raises:
        Refusal: `conflict` when the file is there, or is a database in use; `busy`; `internal` as in `copy`.
        StoreUnusable: the database holds no register of this version, or there is no such folder.
    """
    with closing(Store(database, at_rest=True)) as store:
        store.check()
        _refuse_itself(file, database)
        if file.exists() and not force:
            raise conflict(f"{file} is there already: give another name, or --force to replace it")
        return Copy(_into_file(store.reading(), file, progress))


def restore(file: Path, database: str, *, replace: bool, discard: bool, progress: Progress) -> Copy:
    """Put the register of a backup in the place of what the database holds: all of it, at one moment.

    What it replaces is backed up beside the file first, unless `discard`; a register with another id than the one of
    the backup is replaced only with `replace`.

    Raises:
        Refusal: `conflict` when it is another register, or a sweep runs; `busy`; `internal` as in `copy`. The database
            is as it was then.
        StoreUnusable: the file is no backup that this version can read, or the database is no register of this version.
    """
    _refuse_itself(file, database)
    with _brought_forward(file) as backup, closing(Store(database)) as store:
        if _holds_register(database):
            store.check()
        else:
            store.migrate()
        with backup.reading() as rows:
            wanted = register_in(rows)
        with store.sweeping() as alone:
            if not alone:
                raise conflict("a sweep is running, and would count what is replaced: restore again when it has ended")
            with store.replacing() as place:
                here = register_in(place)
                if here not in (None, wanted) and not replace:
                    raise conflict("the database holds another register than the backup: say --replace to replace it")
                with _aside(place, file, progress) if here and not discard else nullcontext() as former:
                    clear(place)
                    return Copy(_copied(backup.reading(), place, progress), former)


@contextmanager
def _told_as(name: str) -> Iterator[None]:
    """Say which of several databases it is that cannot be used."""
    try:
        yield
    except StoreUnusable as unusable:
        raise StoreUnusable(f"{name}: {unusable}") from unusable


def _holds_register(url: str) -> bool:
    """Whether there is a register, found out without leaving a trace."""
    with closing(Store(url, at_rest=True)) as store:
        return store.holds_register()


def _refuse_itself(file: Path, database: str) -> None:
    path = IN_A_FILE.path_of(database)
    if path and path.exists() and file.exists() and file.samefile(path):
        raise conflict(f"{file} is the register itself")


@contextmanager
def _brought_forward(file: Path) -> Iterator[Store]:
    """The register of a backup; one of an earlier version is brought to this one, in a copy."""
    url = IN_A_FILE.url_of(file)
    with ExitStack() as stack:
        with _told_as(str(file)):
            if not _holds_register(url):
                raise StoreUnusable("there is no register in it")
            if damage := IN_A_FILE.damage(file):
                raise StoreUnusable(f"it is damaged: {damage}")
            backup = stack.enter_context(closing(Store(url, at_rest=True)))
            found = backup.revision()
        if found != newest_revision():
            copied = Path(stack.enter_context(TemporaryDirectory(prefix=UNFINISHED))) / "register.db"
            IN_A_FILE.copy(file, copied)
            backup = stack.enter_context(closing(Store(IN_A_FILE.url_of(copied), at_rest=True)))
            backup.migrate()
        yield backup


@contextmanager
def _aside(place: Connection, file: Path, progress: Progress) -> Iterator[Path]:
    """Back up what is about to be replaced; when the block fails nothing is, and the backup goes again."""
    former = file.with_name(f"{file.name}.replaced-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}.db")
    try:
        _into_file(nullcontext(place), former, progress)
    except (OSError, StoreUnusable) as why:
        message = f"what is there cannot be backed up beside {file} first: {why}; --discard restores without that"
        raise StoreUnusable(message) from why
    try:
        yield former
    except BaseException:
        former.unlink(missing_ok=True)
        raise


def _into_file(reading: AbstractContextManager[Connection], file: Path, progress: Progress) -> list[TableSum]:
    with _whole(file) as part, closing(Store(IN_A_FILE.url_of(part), at_rest=True)) as store:
        store.migrate()
        with store.replacing() as place:
            return _copied(reading, place, progress)


def _copied(reading: AbstractContextManager[Connection], place: Connection, progress: Progress) -> list[TableSum]:
    """Copy and compare. The snapshot is let go of in between: holding it costs its database room."""
    with reading as rows:
        sums = copy_rows(rows, place, progress)
    compare_rows(place, sums, progress)
    return sums


@contextmanager
def _whole(file: Path) -> Iterator[Path]:
    """Give a file to write to, which takes this one's name when the block ends well and all of it is on the disk."""
    folder = file.absolute().parent
    if not folder.is_dir():
        raise StoreUnusable(f"the folder of {file} does not exist")
    if logs := IN_A_FILE.beside(file):
        raise conflict(f"{file} is in use as a database, or was: {logs[0].name} is beside it")
    with TemporaryDirectory(prefix=UNFINISHED, dir=folder) as unfinished:
        part = Path(unfinished) / "register.db"
        part.touch(0o600)
        yield part
        with part.open("rb+") as written:
            os.fsync(written.fileno())
        part.replace(file)
    if os.name == "posix":  # elsewhere a folder cannot be opened
        _name_on_disk(folder)


def _name_on_disk(folder: Path) -> None:
    """Wait until a power cut would not take away what the folder says of its files."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
