"""Clients that are many, that leave, that dawdle: rounds in which nothing is killed."""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import suppress
from typing import Final

from tests.torture.repertoire import PROPOSALS
from tests.torture.stage import Stage

MANY: Final = 200
DAWDLERS: Final = 20
SECONDS: Final = 3.0
"""How long each of these rounds goes on."""


def crowd(stage: Stage) -> str:
    """Two hundred clients at once."""
    workers = stage.serve()
    with stage.crowd(MANY):
        time.sleep(SECONDS)
    return f"{MANY} clients at once, {_of(workers)}"


def leaving(stage: Stage) -> str:
    """Clients that hang up in the middle of a call, and ask again later.

    They only propose: a proposal cannot be refused because of what another client did meanwhile, so that it has to be
    there once in the end, although the first one may come through after the second.
    """
    workers = stage.serve()
    share = stage.chance.uniform(0.2, 0.6)
    with stage.crowd(24, PROPOSALS, leaves=share):
        time.sleep(SECONDS)
    return f"{share:.0%} of the calls left before their answer, {_of(workers)}"


def slow(stage: Stage) -> str:
    """Clients that read or send a few bytes now and then, among writers in a hurry."""
    workers = stage.serve()
    dawdlers = [threading.Thread(target=_dawdle, args=(stage, number)) for number in range(DAWDLERS)]
    with stage.writers():
        for each in dawdlers:
            each.start()
        for each in dawdlers:
            each.join()
    return f"{DAWDLERS} slow clients, {_of(workers)}"


def _dawdle(stage: Stage, number: int) -> None:
    """Make a call byte by byte, or read a long answer byte by byte; it has to be whole in the end."""
    door = stage.door(number)
    answer = b""
    with suppress(OSError), door.dialled() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        whole = door.request("list_decisions", {"limit": 200})
        step = 16 if number % 2 else len(whole)
        for start in range(0, len(whole), step):
            line.sendall(whole[start : start + step])
            time.sleep(0.05)
        while part := line.recv(2_048):
            answer += part
            time.sleep(0.0 if number % 2 else 0.05)
    door.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    with suppress(ValueError):
        if b" 200 " in head[:20] and "decisions" in json.loads(body):
            return
    stage.journal.wrong(f"a slow client got {answer[:200]!r}")


def _of(workers: int) -> str:
    return "1 worker" if workers == 1 else f"{workers} workers"
