"""One call over the wire: a POST of the arguments, and the reply or the refusal that came back.

It goes straight to the server (no proxy of the environment is used, so that a token for this machine stays on it) and
follows no redirect. It sends a call a second time in one case only: the connection was lost after the call had been
sent, and the call reads, or carries a `request_key`, so that it cannot happen twice. What a refusal means is for the
caller.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from smeldr import __version__
from smeldr.doors.cli.config import Config
from smeldr.doors.cli.failure import Failure, Refused

MAX_ANSWER: Final = 64 * 1024 * 1024
"""Bytes of an answer; no reply comes near it."""


class Call(NamedTuple):
    """A tool and its arguments; `again` are the options that make the same command the same call."""

    tool: str
    arguments: Mapping[str, Any]
    changes: bool
    again: str = ""

    @property
    def repeatable(self) -> bool:
        """Whether sending it twice does nothing twice."""
        return not self.changes or bool(self.arguments.get("request_key"))

    @property
    def unknown(self) -> tuple[str, ...]:
        """What to say of it when nobody knows whether it was done."""
        if not self.changes:
            return ()
        if not self.repeatable:
            return ("it may or may not have been done: look before you send it again",)
        return (
            f"it may or may not have been done; sent again with {self.again or 'its request_key'}, it is not repeated",
        )


class Reply(NamedTuple):
    """What a tool answered: the text as it came, and the object that it says."""

    text: str
    value: dict[str, Any]


class _Answer(NamedTuple):
    status: int
    reason: str
    kind: str
    data: bytes


class _Lost(Failure):
    """The call was sent, and the connection ended before an answer was there."""


class Server:
    """A running server, as one caller reaches it. `timeout` is in seconds, for each wait on the network."""

    def __init__(self, config: Config, timeout: float) -> None:
        self._config = config
        self._timeout = timeout

    def call(self, call: Call) -> Reply:
        """Call a tool once, or twice where that is safe.

        Raises:
            Refused: the server refused the call; it has changed nothing, unless it says so.
            Failure: no server, no answer, or none of a Smeldr server.
        """
        try:
            answer = self._send(call)
        except _Lost as lost:
            if not call.repeatable:
                raise
            try:
                answer = self._send(call)
            except Failure:
                raise lost from None
        return self._read(answer, call)

    def _send(self, call: Call) -> _Answer:
        connection = self._connection()
        headers = {
            "Authorization": f"Bearer {self._config.token}",
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": f"smeldr-cli/{__version__}",
        }
        path = f"{self._config.prefix}/api/tools/{quote(call.tool, safe='')}"
        try:
            with suppress(BrokenPipeError, ConnectionResetError):  # it may answer before it has read everything
                connection.request("POST", path, json.dumps(call.arguments).encode("ascii"), headers)
            return _whole(connection.getresponse())
        except TimeoutError:
            message = f"no answer from {self._config.url} within {self._timeout:g} seconds (see --timeout)"
            raise Failure("timeout", message, call.unknown) from None
        except (HTTPException, OSError) as error:
            message = f"the connection to {self._config.url} was lost before the answer came: {_said(error)}"
            raise _Lost("unreachable", message, call.unknown) from None
        finally:
            connection.close()

    def _connection(self) -> HTTPConnection:
        kind = HTTPSConnection if self._config.secure else HTTPConnection
        try:
            connection = kind(self._config.host, self._config.port, timeout=self._timeout)
            connection.connect()
        except TimeoutError:
            raise Failure("timeout", f"no connection to {self._config.url} within {self._timeout:g} seconds") from None
        except (OSError, UnicodeError, HTTPException) as error:
            hint = "is `smeldr serve` running there, and is SMELDR_URL right?"
            raise Failure("unreachable", f"cannot reach {self._config.url}: {_said(error)}", (hint,)) from None
        return connection

    def _read(self, answer: _Answer, call: Call) -> Reply:
        try:
            text = answer.data.decode("utf-8")
            value = json.loads(text)
        except (ValueError, RecursionError):
            text, value = "", None
        if isinstance(value, dict):
            error = value.get("error")
            if answer.status == 200 and "error" not in value:
                return Reply(text, value)
            if answer.status >= 400 and isinstance(error, dict) and isinstance(error.get("code"), str):
                raise Refused(error, call.unknown if error["code"] == "internal" else ())
        what = f"{answer.status} {answer.reason}".strip() + f" with {answer.kind}"
        message = f"{self._config.url} answered {what}, which is not how a Smeldr server answers"
        raise Failure("bad_answer", message, call.unknown if answer.status >= 500 or answer.status < 300 else ())


def _whole(response: HTTPResponse) -> _Answer:
    data = response.read(MAX_ANSWER)
    if response.read(1):
        raise HTTPException("the answer does not end")
    return _Answer(response.status, response.reason, response.headers.get_content_type(), data)


def _said(error: BaseException) -> str:
    """What went wrong, in the words of whoever noticed, on one line."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(str(text).split())[:300]
