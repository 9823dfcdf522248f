"""Somebody who follows a page of the documentation to the letter, in a folder of their own.

They have what a checkout has (`.venv`, the `smeldr-cli` scripts) and nothing else of it. Where a page says port 8080,
or another one, they use a free one; where it says `DATABASE`, a database of the server that they were given. What they
do with which block is said in blocks.py.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from tests.cluster import Cluster
from tests.docs import configuration
from tests.docs.blocks import ROOT, Block

ANYTHING: Final = "…"
_ADDRESS: Final = "127.0.0.1:8080"
_ADDRESSES: Final = re.compile(r"127\.0\.0\.1:(\d{4})\b")
DATABASE: Final = "postgresql://smeldr@db.example.com/smeldr"
_PLACEHOLDER: Final = re.compile(r"<(\w+)>")
_OPEN: Final = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
_SECONDS: Final = 60


class Reader:
    """Follows the blocks of one page in their order; a context that stops what it started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._addresses: dict[str, str] = {}
        self._cluster: Cluster | None = None
        self.address = self._here(_ADDRESS)
        self.seen: dict[str, str] = {}
        self.last: Any = None
        self.status = 0
        self._servers: list[subprocess.Popen[bytes]] = []
        self._environment = {name: value for name, value in os.environ.items() if not _ours(name)}
        self._environment["SMELDR_URL"] = f"http://{self.address}"
        self._environment["COLUMNS"] = "120"
        self._environment["PYTHONWARNINGS"] = "error"
        (folder / ".venv").symlink_to(sys.prefix, target_is_directory=True)
        for script in ROOT.glob("smeldr-cli*"):
            shutil.copy(script, folder)

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._servers:
            if server.poll() is None:
                os.killpg(server.pid, signal.SIGTERM)
        for server in self._servers:
            try:
                server.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, signal.SIGKILL)
                server.wait()

    def follow(self, block: Block) -> None:
        """Do what the page says, and hold what comes of it against what the page says of that."""
        text = self._filled(block.text)
        match block.language, *block.words:
            case ["sh", "setup"] | ["powershell"] | [""]:
                pass
            case ["sh", "server"]:
                self.serve(text.strip())
            case ["sh"]:
                for line in filter(None, map(str.strip, block.text.splitlines())):
                    self._run(self._filled(line))
                    assert self.status == 0, f"{block}: {line}: {self.last}"
            case ["console"]:
                self._console(block)
            case ["json", "reply"]:
                assert self.status in (0, 200), f"{block}: refused: {self.last}"
                _assert_says(json.loads(text), self.last, str(block))
            case ["json", "refused"]:
                assert self.status not in (0, 200), f"{block}: not refused: {self.last}"
                _assert_says(json.loads(text), self.last, str(block))
                self.status = 0
            case ["json", "file", name]:
                json.loads(text)
                (self.folder / name).write_text(text, encoding="utf-8")
            case ["json", tool]:
                assert self.status in (0, 200), f"before {block}: {self.last}"
                self.call(tool, json.loads(text))
            case ["json"]:
                _parse(text)
            case ["sql"] if self._cluster:
                for statement in filter(None, map(str.strip, text.split(";"))):
                    self._cluster.tell(statement)
            case [language] if language in configuration.LANGUAGES:
                configuration.check(language, text)
            case _:
                raise AssertionError(f"{block}: nobody knows what to do with a block like this")

    def given(self, database: str, token: str) -> None:
        """Start with that register and its owner's token, as after `smeldr init --save`, and serve it."""
        self._environment["SMELDR_DATABASE"] = database
        (self.folder / ".smeldr-cli.env").write_text(f"SMELDR_TOKEN={token}\n", encoding="utf-8")
        self.serve(".venv/bin/smeldr serve")

    def administers(self, cluster: Cluster) -> None:
        """Start with that database server, whose administrator they are."""
        self._cluster = cluster

    def serve(self, command: str) -> None:
        """Start a server as the command says, on a free port, and wait until it is ready."""
        command, _, named = command.partition(" --port ")
        address = self._here(f"127.0.0.1:{named or 8080}")
        log = (self.folder / "server.log").open("wb")
        server = subprocess.Popen(
            ["bash", "-c", f"exec {self._here(command)} --port {address.partition(':')[2]}"],
            cwd=self.folder,
            env=self._environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        log.close()
        self._servers.append(server)
        pause = threading.Event()
        for _ in range(_SECONDS * 10):
            assert server.poll() is None, (self.folder / "server.log").read_text(encoding="utf-8")
            with suppress(OSError), _OPEN(f"http://{address}/ready", timeout=5):
                return
            pause.wait(0.1)
        raise AssertionError(f"{command}: not ready after {_SECONDS} s")

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Send one call with the token that `smeldr init --save` left, and keep what comes back."""
        saved = (self.folder / ".smeldr-cli.env").read_text(encoding="utf-8")
        token = dict(line.partition("=")[::2] for line in saved.splitlines())["SMELDR_TOKEN"].strip("\"'")
        request = urllib.request.Request(
            f"http://{self.address}/api/tools/{tool}",
            json.dumps(arguments).encode(),
            {"Content-Type": "application/json", "Authorization": f"Bearer {token}"},
        )
        try:
            with _OPEN(request, timeout=_SECONDS) as response:
                self.status, self.last = response.status, json.loads(response.read())
        except urllib.error.HTTPError as refused:
            self.status, self.last = refused.code, json.loads(refused.read())
        self._remember(self.last)
        reply: dict[str, Any] = self.last
        return reply

    def _run(self, line: str) -> str:
        """Run one line in bash, keep what it printed, and give it."""
        done = subprocess.run(
            ["bash", "-c", self._here(line)],
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        printed = done.stdout + done.stderr
        self.status, self.last = done.returncode, printed
        with suppress(ValueError):
            self.last = json.loads(done.stdout)
            self._remember(self.last)
        return printed

    def _console(self, block: Block) -> None:
        """Run the lines that start with `$ `, and hold what they print against the lines that follow."""
        for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            printed = self._run(self._filled(command)).replace(self.address, _ADDRESS)
            pattern = ".*".join(map(re.escape, _trimmed(expected).split(ANYTHING)))
            assert re.fullmatch(pattern, _trimmed(printed), re.DOTALL), f"{block}: {command} printed:\n{printed}"
            self.status = 0

    def _here(self, text: str) -> str:
        """The text with the addresses and the database that there are here."""
        if self._cluster:
            text = text.replace(DATABASE, self._cluster.url("smeldr").replace("postgres@", "smeldr@"))
        return _ADDRESSES.sub(lambda found: self._addresses.setdefault(found[0], _free_address()), text)

    def _remember(self, answer: Any) -> None:
        """Keep, of every name in the answer, its first value."""
        found: dict[str, str] = {}
        for name, value in _leaves(answer):
            found.setdefault(name, value)
        self.seen.update(found)

    def _filled(self, text: str) -> str:
        def value(found: re.Match[str]) -> str:
            return self.seen.get(found[1], found[0])

        return _PLACEHOLDER.sub(value, text)


def _free_address() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


def _ours(name: str) -> bool:
    return name.startswith(("SMELDR_", "ENABLE_STRUCTURAL", "STRUCTURAL_SWEEP", "ALLOW_AGENT"))


def _leaves(answer: Any) -> Iterator[tuple[str, str]]:
    inner = answer.items() if isinstance(answer, dict) else ((None, each) for each in answer)
    for name, value in inner if isinstance(answer, dict | list) else ():
        if isinstance(value, dict | list):
            yield from _leaves(value)
        elif name is not None:
            yield name, str(value)


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def _assert_says(expected: Any, answer: Any, where: str) -> None:
    """The answer says at least what is expected: lists entry by entry, objects key by key."""
    if expected == ANYTHING:
        return
    if isinstance(expected, dict) and isinstance(answer, dict):
        for name, value in expected.items():
            assert name in answer, f"{where}: no {name!r} in {answer}"
            _assert_says(value, answer[name], f"{where}.{name}")
    elif isinstance(expected, list) and isinstance(answer, list):
        assert len(expected) == len(answer), f"{where}: {answer}"
        for index, (value, given) in enumerate(zip(expected, answer, strict=True)):
            _assert_says(value, given, f"{where}[{index}]")
    else:
        assert expected == answer, where


def _parse(text: str) -> None:
    """An example of a format: one JSON value, or one a line."""
    try:
        json.loads(text)
    except ValueError:
        for line in text.splitlines():
            json.loads(line)
