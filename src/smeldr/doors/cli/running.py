"""One command at work: it reads the revs that a move carries, sends one call, and shows the reply.

A change that nobody gave a key gets one here, so that sending it again is safe: for the wire, when the connection is
lost, and for the user, who is told the key when the outcome is unknown. What was typed is gathered by then; how a reply
looks is show.py.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from smeldr.doors.cli import config, revs, show
from smeldr.doors.cli.manifest import Tool
from smeldr.doors.cli.options import flag_of
from smeldr.doors.cli.screen import Screen
from smeldr.doors.cli.verbs import Verb
from smeldr.doors.cli.wire import Call, Server

_IDENTITY: Final = ("rev", "by_rev", "request_key")
"""What makes a second call the same as the first, beside what was typed."""


def run(verb: Verb, tool: Tool, arguments: Mapping[str, Any], *, as_json: bool, timeout: float) -> None:
    """Run the command of a verb. Raises Failure."""
    server = _server(timeout)

    def ask(reader: str, wanted: Mapping[str, Any]) -> Mapping[str, Any]:
        return server.call(Call(reader, wanted, changes=False)).value

    sent = {**arguments, **revs.read(tool, arguments, ask)}
    if "request_key" in tool.parameters:
        sent.setdefault("request_key", os.urandom(16).hex())
    again = " ".join(_typed(name, sent[name]) for name in _IDENTITY if name in sent)
    reply = server.call(Call(tool.name, sent, tool.changes, again))
    screen = Screen(sys.stdout)
    if as_json:
        screen.json(reply)
        return
    show.reply(verb, tool.changes, reply.value, screen)
    if sys.stderr is not None and (remark := show.remark(reply.value)):
        sys.stderr.write(f"smeldr-cli: {remark}\n")


def call(name: str, arguments: Mapping[str, Any], *, changes: bool, timeout: float) -> None:
    """Send a call as it is, and print the reply as JSON. Raises Failure."""
    Screen(sys.stdout).json(_server(timeout).call(Call(name, arguments, changes)))


def _server(timeout: float) -> Server:
    return Server(config.read(os.environ, Path.cwd()), timeout)


def _typed(name: str, value: Any) -> str:
    """An option as it would be typed, once for each value."""
    values = value if isinstance(value, list) else [value]
    return " ".join(f"{flag_of(name)} {'-' if each is None else each}" for each in values)
