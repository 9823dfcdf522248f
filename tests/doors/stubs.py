"""A register that does as a test says, for what a real one does not do on demand: a fault, a store that is busy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from starlette.applications import Starlette
from starlette.testclient import TestClient

from smeldr.doors.app import build_app
from smeldr.model.errors import Refusal, forbidden, not_found
from smeldr.model.records import Connections
from smeldr.operations.register import Register
from smeldr.operations.state_of import State
from smeldr.serving import handed_over
from smeldr.settings import Settings

TOKEN = "live"


class StubRegister:
    """Knows one token and two tools: `echo` answers with its arguments or raises what it was given to raise, `wait`
    opens the pipe that it is told of and answers when that was closed at the other end."""

    def __init__(self, raises: Exception | None = None, ready: bool = True, administers: bool = True) -> None:
        self.raises = raises
        self.administers = administers
        self.is_ready = ready

    def authenticate(self, token: str | None) -> None:
        if token != TOKEN:
            raise Refusal("unauthorized", "no live token")

    def call(self, name: str, arguments: Mapping[str, Any], token: str | None) -> dict[str, Any]:
        self.authenticate(token)
        if self.raises is not None:
            raise self.raises
        if name == "wait":
            return {"read": Path(arguments["pipe"]).read_text()}
        if name != "echo":
            raise not_found(f"tool {name}")
        return {"echo": dict(arguments)}

    def require_administrator(self, token: str | None) -> None:
        self.authenticate(token)
        if not self.administers:
            raise forbidden("this takes the right to administer over ROOT")

    def state(self) -> State:
        if self.raises is not None:
            raise self.raises
        return State({"premise-flagged": 2, "conflict-detected": 0}, None)

    def connections(self) -> Connections:
        return Connections(in_use=1, idle=2, limit=3)

    def ready(self) -> bool:
        return self.is_ready

    def sweep(self) -> dict[str, Any]:
        return {}


def client(register: StubRegister | None = None, token: str | None = TOKEN) -> TestClient:
    """The whole app over a stub register, spoken to without a network."""
    app = build_app(cast(Register, register or StubRegister()), Settings())
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return TestClient(app, base_url="http://127.0.0.1", headers=headers, raise_server_exceptions=False)


def worker() -> Starlette:
    """The app of a worker process, over a stub register."""
    return build_app(cast(Register, StubRegister()), *handed_over())
