"""A server that says what it is told to say, and remembers what it was asked: for the ways in which real ones fail."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Answer:
    """One answer of the stub. Without a status, the connection is cut instead."""

    body: bytes
    status: int | None = 200
    kind: str = "application/json"


def reply(value: Any, status: int = 200) -> Answer:
    """An answer in JSON."""
    return Answer(json.dumps(value, ensure_ascii=False).encode(), status)


def refusal(code: str, message: str, status: int, **more: Any) -> Answer:
    """An answer as a Smeldr server refuses."""
    return reply({"error": {"code": code, "message": message, **more}}, status)


CUT = Answer(b"", None)


@dataclass
class Asked:
    """One call that came in."""

    tool: str
    arguments: Any
    headers: dict[str, str]


@dataclass
class Stub:
    """What to say to which tool: an answer each time, or one after the other, the last for good."""

    answers: dict[str, list[Answer]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    url: str = ""
    before_answering: Callable[[], None] = field(default=lambda: None)

    def says(self, tool: str, *answers: Answer) -> None:
        """Answer that tool so from now on."""
        self.answers[tool] = list(answers)

    def calls(self, tool: str) -> list[Any]:
        """The arguments of every call of that tool."""
        return [each.arguments for each in self.asked if each.tool == tool]

    def answer(self, tool: str) -> Answer:
        """The next answer to that tool."""
        waiting = self.answers.get(tool)
        if not waiting:
            return refusal("not_found", f"the stub has no answer to {tool}", 404)
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]


@contextmanager
def running() -> Iterator[Stub]:
    """A stub that listens on a free port of this machine until the block ends."""
    stub = Stub()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            tool = self.path.removeprefix("/api/tools/")
            stub.asked.append(Asked(tool, json.loads(body), dict(self.headers)))
            stub.before_answering()
            answer = stub.answer(tool)
            if answer.status is None:
                self.close_connection = True
                return
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.kind)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        stub.url = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield stub
        finally:
            server.shutdown()
            thread.join()
