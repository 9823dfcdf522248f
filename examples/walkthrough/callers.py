"""The two who call: an agent over MCP and a person at the command line.

The agent is the MCP SDK's own client over streamable HTTP. The person runs `smeldr-cli`. Neither knows anything about
the register that the server did not tell them.
"""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from walkthrough.server import CannotRun, command, environment
from walkthrough.stage import Stage
from walkthrough.trimming import reply_lines, text_lines

Reply = dict[str, Any]
_TIMEOUT: Final = 120.0
_COMMAND_SHOWN: Final = "smeldr-cli"


@dataclass(frozen=True)
class Agent:
    """Calls tools over MCP, with a token of its own."""

    stage: Stage
    client: Client
    portal: BlockingPortal

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None, members: Sequence[str] = ()) -> Reply:
        """Call the tool and show both sides; `members` are those to show of the answer and of each item in it."""
        self.stage.call("agent", f"{tool} {json.dumps(arguments or {}, ensure_ascii=False)}")
        reply = self.quietly(tool, arguments)
        self.stage.answer(reply_lines(reply, members))
        return reply

    def quietly(self, tool: str, arguments: Mapping[str, Any] | None = None) -> Reply:
        """Call the tool; a refusal is a reply too: `{"error": ...}`."""
        result = self.portal.call(self.client.call_tool, tool, dict(arguments or {}))
        if not isinstance(result.structured_content, dict):
            raise CannotRun(f"{tool} answered without structured content")
        return result.structured_content


@contextmanager
def connected_agent(stage: Stage, url: str, token: str) -> Iterator[Agent]:
    """An agent at the server's MCP address."""
    with start_blocking_portal() as portal:
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=_TIMEOUT, trust_env=False)
        client = Client(streamable_http_client(f"{url}/mcp", http_client=http))
        connections = ExitStack()
        try:
            connections.enter_context(portal.wrap_async_context_manager(http))
            connections.enter_context(portal.wrap_async_context_manager(client))
            yield Agent(stage, client, portal)
        finally:
            connections.close()  # in order, whatever ended the story: a Ctrl-C is not for the connection


@dataclass(frozen=True)
class Person:
    """Runs the command line, with the owner's token."""

    stage: Stage
    url: str
    token: str
    folder: Path

    def run(self, *words: str) -> str:
        """Run the command and show both sides: what a person reads."""
        self.stage.call("person", shlex.join([_COMMAND_SHOWN, *words]))
        text = self._output(words)
        self.stage.answer(text_lines(text))
        return text

    def ask(self, *words: str, members: Sequence[str] = ()) -> Reply:
        """Run the command with --json and show both sides: what a program reads."""
        self.stage.call("person", shlex.join([_COMMAND_SHOWN, *words, "--json"]))
        reply = self.quietly(*words)
        self.stage.answer(reply_lines(reply, members))
        return reply

    def quietly(self, *words: str) -> Reply:
        """Run the command with --json."""
        reply: Reply = json.loads(self._output([*words, "--json"]))
        return reply

    def _output(self, words: Sequence[str]) -> str:
        done = subprocess.run(
            [str(command(_COMMAND_SHOWN)), *words],
            cwd=self.folder,
            env=environment(
                {"SMELDR_URL": self.url, "SMELDR_TOKEN": self.token, "COLUMNS": str(self.stage.width - 11)}
            ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        if done.returncode:
            raise CannotRun(f"{shlex.join([_COMMAND_SHOWN, *words])}\n{done.stderr.strip()}")
        return done.stdout
