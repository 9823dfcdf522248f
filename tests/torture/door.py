"""One caller's way to a real server: asks over HTTP and gives what came back, also when nothing did."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from typing import Any, Final, Literal
from urllib.parse import urlsplit

import httpx2

PATIENCE: Final = 60.0
"""Seconds for an answer; longer than anything that the server does to a call on purpose."""

UNKNOWN: Final = "is not known"
NOTHING: Final = "nothing was written"
"""What an answer says of a change that was not made, or of which nobody knows whether it was."""

Ending = Literal["reply", "refused", "lost", "away"]


@dataclass(frozen=True)
class Answer:
    """How a call ended: with a reply, with a refusal, with no answer, or without anybody who took it."""

    ending: Ending
    reply: dict[str, Any] | None = None
    code: str = ""
    message: str = ""

    @property
    def leaves_doubt(self) -> bool:
        """Whether the call may have changed something although nobody says so."""
        return self.ending == "lost" or (self.code == "internal" and NOTHING not in self.message)

    @property
    def sort(self) -> str:
        """In a word."""
        return self.code or self.ending


class Door:
    """Not for two threads at once."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._headers = {"Authorization": f"Bearer {token}"}
        self._client = httpx2.Client(base_url=url, headers=self._headers, timeout=PATIENCE)

    def ask(self, tool: str, arguments: dict[str, Any]) -> Answer:
        """Make a call and wait for its end."""
        try:
            response = self._client.post(f"/api/tools/{tool}", json=arguments)
        except httpx2.ConnectError:
            return Answer("away")
        except httpx2.TransportError:
            return Answer("lost")
        try:
            said = response.json()
        except ValueError:
            return Answer("refused", code="no answer of ours", message=response.text[:200])
        if response.status_code == 200:
            return Answer("reply", said)
        return Answer("refused", None, said["error"]["code"], said["error"]["message"])

    def leave(self, tool: str, arguments: dict[str, Any], part: float) -> Answer:
        """Send that part of a call, 1.0 for all of it, and hang up without waiting."""
        try:
            with self.dialled() as line:
                whole = self.request(tool, arguments)
                line.sendall(whole[: round(len(whole) * part)])
        except ConnectionRefusedError:
            return Answer("away")
        except OSError:
            pass
        return Answer("lost")

    def dialled(self) -> socket.socket:
        """A connection of its own, for who does not behave as a client should."""
        address = urlsplit(self._url)
        return socket.create_connection((address.hostname, address.port), PATIENCE)

    def request(self, tool: str, arguments: dict[str, Any]) -> bytes:
        """A call as it goes over the wire, the last one on its connection."""
        body = json.dumps(arguments).encode()
        lines = [f"POST /api/tools/{tool} HTTP/1.1", f"Host: {urlsplit(self._url).netloc}", "Connection: close"]
        lines += [f"Content-Length: {len(body)}", *(f"{name}: {value}" for name, value in self._headers.items())]
        return "\r\n".join([*lines, "", ""]).encode() + body

    def close(self) -> None:
        """Let go of the connection."""
        self._client.close()
