"""Tool calls over HTTP, plain and as MCP messages, held against bare servers that answer the same without a register.

The caller writes ready bytes to a kept connection and reads the answer, so that it costs little beside what it
measures: one connection for how long a call takes, several for how many there are in a second.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from typing import Any, Final

from benchmarks import servers
from benchmarks.results import Figure
from benchmarks.stage import Stage
from benchmarks.timing import Times, in_turn, percentile
from smeldr.model.items import address_of

CONNECTIONS: Final = 4
STARTED_WITHIN: Final = 30
"""Seconds; reached only when something is wrong."""


def measure(stage: Stage, bursts: int, calls: int) -> Iterator[Figure]:
    """Read one Decision over and over through both doors: `calls` one by one, and in bursts of as many."""
    arguments = {"id": address_of(stage.graph.ordinary)}
    call = {"name": "get_decision", "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    answer = stage.call("owner", "get_decision", **arguments)
    with ExitStack() as stack:
        register = stack.enter_context(servers.running("served_register", str(stage.file)))
        constant = stack.enter_context(servers.running("served_constant", answer=answer))
        sdk = stack.enter_context(servers.running("served_sdk", answer=answer))
        ours = register()
        for path, body, against, theirs in (
            ("/api/tools/get_decision", arguments, "bare Starlette", constant()),
            ("/mcp", message, "bare MCP SDK", sdk()),
        ):
            doors = [Door(port, path, body, stage.tokens["owner"]) for port in (ours, theirs)]
            yield from _figures(path, against, doors, answer, bursts, calls)


class Door:
    """One path of one server, and the one request that is sent there."""

    def __init__(self, port: int, path: str, body: dict[str, Any], token: str) -> None:
        sent = json.dumps(body).encode()
        head = [
            f"POST {path} HTTP/1.1",
            f"Host: 127.0.0.1:{port}",
            f"Authorization: Bearer {token}",
            "Accept: application/json, text/event-stream",
            "Content-Type: application/json",
            f"Content-Length: {len(sent)}",
        ]
        self.port = port
        self.request = "\r\n".join([*head, "", ""]).encode() + sent

    def enter(self) -> Connection:
        """A connection, as soon as the server listens."""
        until = time.monotonic() + STARTED_WITHIN
        while True:
            try:
                return Connection(socket.create_connection(("127.0.0.1", self.port)), self.request)
            except ConnectionRefusedError:
                assert time.monotonic() < until, "the server did not start"
                time.sleep(0.05)


class Connection:
    """A connection that is kept. `ask` sends the request and gives the answer's body."""

    def __init__(self, connected: socket.socket, request: bytes) -> None:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket, self._request = connected, request

    def ask(self) -> bytes:
        self._socket.sendall(self._request)
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._more()
        head, _, body = received.partition(b"\r\n\r\n")
        assert b" 200 " in head.splitlines()[0], received
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        while len(body) < length:
            body += self._more()
        return body

    def _more(self) -> bytes:
        received = self._socket.recv(65_536)
        assert received, "the server closed the connection"
        return received

    def close(self) -> None:
        self._socket.close()


def _figures(
    path: str, against: str, doors: list[Door], answer: dict[str, Any], bursts: int, calls: int
) -> Iterator[Figure]:
    def check(*bodies: bytes) -> None:
        for body in bodies:
            reply = json.loads(body)
            assert answer == reply.get("result", {}).get("structuredContent", reply), reply

    with ExitStack() as stack:
        ours, theirs = [stack.enter_context(closing(door.enter())) for door in doors]
        times = in_turn(ours.ask, theirs.ask, calls, check, by=time.perf_counter)
    notes = {"p99": f"{percentile(times[0].seconds, 99) * 1e3:.1f} ms"}
    yield Figure(f"a call, {path}", "owner", times[0], against, times[1], notes)
    our_calls, their_calls = Times(), Times()
    for _ in range(bursts):
        for door, per_call in zip(doors, (our_calls, their_calls), strict=True):
            per_call.seconds.append(_burst(door, calls))
    notes = {"calls a second": f"{1 / our_calls.median:,.0f} to {1 / their_calls.median:,.0f}"}
    yield Figure(f"{CONNECTIONS} callers, {path}", "owner", our_calls, against, their_calls, notes)


def _burst(door: Door, calls: int) -> float:
    """Seconds for each call, when several callers ask at once."""
    with ExitStack() as stack:
        callers = [stack.enter_context(closing(door.enter())) for _ in range(CONNECTIONS)]
        each = range(calls // CONNECTIONS)
        with ThreadPoolExecutor(CONNECTIONS) as threads:
            start = time.perf_counter()
            list(threads.map(lambda caller: [caller.ask() for _ in each], callers))
            return (time.perf_counter() - start) / (len(each) * CONNECTIONS)
