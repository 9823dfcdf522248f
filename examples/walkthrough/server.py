"""A register of the demo's own, in a scratch folder, and the real server on it.

The server is `smeldr serve` in a process of its own, on a free port of this machine, and is gone with the folder when
the demo ends, however it ends.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

_SETTINGS: Final = ("SMELDR_", "ENABLE_STRUCTURAL_SWEEP", "STRUCTURAL_SWEEP_SCHEDULE", "ALLOW_AGENT_RATIFY")
_START: Final = 60.0
_STOP: Final = 15.0
_BETWEEN: Final = 0.05


class CannotRun(Exception):
    """The register could not be opened, filled or served; the message is for people."""


def command(name: str) -> Path:
    """Where the installed command is. Raises CannotRun when this Python has none."""
    folder = Path(sysconfig.get_path("scripts"))
    for candidate in (folder / name, folder / f"{name}.exe"):
        if candidate.is_file():
            return candidate
    raise CannotRun(f"{name} is not installed for {sys.executable}: `make demo` sets it up")


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without any setting of Smeldr: the demo speaks to its own register only."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_SETTINGS)}
    return {**kept, "PYTHONUTF8": "1", "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1", **(more or {})}


def new_register(folder: Path) -> dict[str, str]:
    """Make a register in the folder; its `database`, and the `token` of its owner."""
    words = [str(command("smeldr")), "init", "--owner", "Owner", "--json"]
    done = subprocess.run(
        words, cwd=folder, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8"
    )
    if done.returncode:
        raise CannotRun(f"smeldr init failed: {done.stderr.strip()}")
    made: dict[str, Any] = json.loads(done.stdout)
    return {name: made[name] for name in ("database", "token")}


def import_file(folder: Path, file: Path) -> None:
    """Import the file, its progress shown where this process shows things."""
    words = [str(command("smeldr")), "import", str(file)]
    if subprocess.run(words, cwd=folder, env=environment(), stdin=subprocess.DEVNULL).returncode:
        raise CannotRun(f"{file.name} could not be imported: the line above says why")


@contextmanager
def running_server(folder: Path) -> Iterator[str]:
    """Serve the folder's register; the URL is one that answers. Raises CannotRun when the server does not come up."""
    url = f"http://127.0.0.1:{_free_port()}"
    words = [str(command("smeldr")), "serve", "--port", url.rpartition(":")[2]]
    log = folder / "serve.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            words,
            cwd=folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # a Ctrl-C is for the demo, which then stops the server in order
        )
    try:
        _wait_until_ready(process, url, log)
        yield url
    finally:
        _stop(process)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_ready(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + _START
    while not _ready(url):
        try:
            process.wait(_BETWEEN)
        except subprocess.TimeoutExpired:
            if time.monotonic() < deadline:
                continue
            raise CannotRun(f"the server was not ready after {_START:.0f} seconds") from None
        last = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-5:]
        raise CannotRun("the server ended at once:\n" + "\n".join(last))


def _ready(url: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{url}/ready", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_STOP)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
