"""Servers of one database answer as one; when one leaves, or its database goes away, what was acknowledged stays."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import pytest

from smeldr.model.errors import Refusal
from smeldr.settings import Settings
from smeldr.wiring import initialise, open_register
from tests.callers import Caller, principal
from tests.cluster import Cluster
from tests.conftest import Fresh
from tests.databases import Databases
from tests.operations.order import in_order
from tests.operations.tables import Tables
from tests.operations.test_concurrency import ENDS, RACES, Race, at_once
from tests.servers import Balanced, as_register, environment, smeldr, started, until

CLIENTS: Final = 200
SLOW: Final = 40
"""Slow readers at once: more than a server has threads or connections."""

LONG: Final = "\N{CJK UNIFIED IDEOGRAPH-6C7A}" * 200_000
DRAIN: Final = {"SMELDR_DRAIN_SECONDS": "1"}


@dataclass(frozen=True)
class Pair:
    """The owner of one register, at two servers; `url` is that of the first."""

    database: str
    one: Caller
    other: Caller
    url: str

    @property
    def tables(self) -> Tables:
        return Tables(self.database)

    def numbers(self) -> dict[str, int]:
        """How many Decisions, Signals and Domains there are."""
        places = self.one.call("list_places", limit=200)["places"]
        return {
            "D": self.one.call("list_decisions")["total"],
            "SIG": self.one.call("list_signals", state="all")["total"],
            "DOM": sum(place["type"] == "Domain" for place in places),
        }


@pytest.fixture(scope="module")
def pair(databases: Databases, fresh: Fresh) -> Iterator[Pair]:
    """Two servers of one register that all tests of this file share."""
    database = databases.copy(fresh.database)
    with started(smeldr(), smeldr(), environment=environment(SMELDR_DATABASE=database)) as servers:
        one, other = (Caller(as_register(each.remote), fresh.token, fresh.owner_id) for each in servers)
        yield Pair(database, one, other, servers[0].url)
    databases.drop(database)


def test_what_one_server_acknowledged_the_other_shows_at_once(pair: Pair) -> None:
    for here, there in ((pair.one, pair.other), (pair.other, pair.one)):
        made = here.call("propose_decision", title="T", body="B")
        assert made == there.call("get_decision", id=made["address"])
        there.call("ratify_decision", decision=made["address"])
        assert here.call("get_decision", id=made["address"])["in_force"]
        agent = principal(here, "Agent", "agent", {"ROOT": ["author"]})
        guest = Caller(there.register, agent.token, agent.id)
        assert agent.id == guest.call("whoami")["principal"]["id"]
        here.call("deactivate_principal", principal=agent.id, reason="R")
        guest.refused("unauthorized", "whoami")


def renumbered(value: Any, before: dict[str, int]) -> Any:
    """The same arguments in a register that held so much before: `D1` is the next Decision there."""
    if isinstance(value, str) and (found := re.fullmatch(r"(D|SIG|DOM)(\d+)", value)):
        return f"{found[1]}{before[found[1]] + int(found[2])}"
    if isinstance(value, list):
        return [renumbered(each, before) for each in value]
    return {name: renumbered(each, before) for name, each in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("race", RACES.values(), ids=RACES)
def test_two_calls_at_once_to_two_servers_end_as_if_one_came_after_the_other(pair: Pair, race: Race) -> None:
    before = pair.numbers()
    for tool, arguments in race.before:
        pair.one.call(tool, **renumbered(arguments, before))
    (one, its), (other, others) = race.one, race.other
    outcomes = at_once(
        lambda: pair.one.call(one, **renumbered(its, before)),
        lambda: pair.other.call(other, **renumbered(others, before)),
    )
    assert list(race.outcomes) == outcomes
    in_order(pair.one, pair.tables)


def test_a_relation_is_withdrawn_at_one_of_two_servers(pair: Pair) -> None:
    one, other = (pair.one.ratified("T") for _ in range(2))
    made = pair.one.call("assert_relation", **ENDS, source_id=one, target_id=other)["relation"]
    ending = {"id": made["id"], "rev": made["rev"], "reason": "R"}
    outcomes = at_once(*(lambda at=at: at.call("withdraw_relation", **ending) for at in (pair.one, pair.other)))
    assert ["conflict", "done"] == outcomes
    in_order(pair.one, pair.tables)


def test_one_request_key_sent_to_two_servers_at_once_does_one_thing(pair: Pair) -> None:
    before = pair.numbers()["D"]
    replies: list[dict[str, Any]] = []

    def propose(at: Caller) -> None:
        replies.append(at.call("propose_decision", title="T", body="B", request_key="once"))

    assert ["done", "done"] == at_once(*(lambda at=at: propose(at) for at in (pair.one, pair.other)))
    assert replies[0] == replies[1]
    assert before + 1 == pair.numbers()["D"]


def test_the_last_two_administrators_cannot_both_leave_through_two_servers(pair: Pair) -> None:
    other = principal(pair.other, "Other", rights={"ROOT": ["administer"]})

    def own(who: Caller) -> str:
        grants = who.call("whoami")["grants"]
        return str(next(grant["id"] for grant in grants if grant["right"] == "administer"))

    leaving = [(who, own(who)) for who in (pair.one, other)]
    outcomes = at_once(*(lambda who=who, its=its: who.call("revoke_grant", id=its, reason="R") for who, its in leaving))
    assert ["conflict", "done"] == outcomes
    if not any(grant["right"] == "administer" for grant in pair.one.call("whoami")["grants"]):
        other.call("grant_right", principal=pair.one.id, right="administer", place="ROOT")
    in_order(pair.one, pair.tables)


def test_one_sweep_runs_at_a_time_whichever_server_is_asked(pair: Pair) -> None:
    with closing(open_register(Settings(database=pair.database)).store) as store, store.sweeping():
        pair.one.refused("conflict", "run_sweep")
        pair.other.refused("conflict", "run_sweep")
    pair.other.call("run_sweep")


def test_everybody_of_many_clients_at_once_is_answered_and_what_was_acknowledged_is_there(pair: Pair) -> None:
    before = pair.numbers()["D"]
    given: list[str] = []

    def write(at: Caller) -> None:
        given.append(at.call("propose_decision", title="T", body="B")["address"])

    at = [pair.one, pair.other] * (CLIENTS // 2)
    outcomes = at_once(*(lambda each=each: write(each) for each in at))

    assert CLIENTS == len(outcomes)
    assert {"done"} <= set(outcomes) <= {"done", "busy"}
    assert outcomes.count("done") == len(set(given)) == pair.numbers()["D"] - before


def sent(url: str, token: str, tool: str, arguments: dict[str, Any], part: float = 1, buffer: int = 0) -> socket.socket:
    """A connection into which a call, or that part of it, was written."""
    where = urlsplit(url)
    connection = socket.socket()
    connection.settimeout(60)
    if buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    connection.connect((where.hostname, where.port))
    body = json.dumps(arguments)
    call = (
        f"POST /api/tools/{tool} HTTP/1.1\r\nHost: {where.netloc}\r\nAuthorization: Bearer {token}\r\n"
        f"Connection: close\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    )
    connection.sendall(call.encode()[: round(len(call) * part)])
    return connection


def test_callers_who_read_their_answers_slowly_hold_nobody_up(pair: Pair) -> None:
    long = pair.one.call("propose_decision", title="T", body=LONG)["address"]
    with ExitStack() as stack:
        slow = [
            stack.enter_context(sent(pair.url, pair.one.token, "get_decision", {"id": long}, buffer=4_096))
            for _ in range(SLOW)
        ]
        first = [reader.recv(1) for reader in slow]
        address = pair.one.ratified("T")
        assert pair.one.call("get_decision", id=address)["in_force"]
        answers = [start + b"".join(_bytes(reader)) for start, reader in zip(first, slow, strict=True)]

    for answer in answers:
        assert LONG == json.loads(answer.partition(b"\r\n\r\n")[2])["body"]


def _bytes(reader: socket.socket) -> Iterator[bytes]:
    """The next bytes one by one, then the rest in pieces."""
    for _ in range(2_000):
        yield reader.recv(1)
    while piece := reader.recv(65_536):
        yield piece


def test_a_caller_who_goes_amid_a_call_leaves_the_whole_of_it_or_nothing(pair: Pair) -> None:
    before = pair.numbers()["D"]
    whole = {"title": "Whole", "body": "Text " * 200}
    for part in (0.5, 1, 0.9, 1) * 10:
        sent(pair.url, pair.one.token, "propose_decision", whole, part).close()

    last = pair.one.call("propose_decision", title="Last", body="B")["address"]
    found = pair.one.call("list_decisions", after=f"D{before}", limit=200)["decisions"] if before else []
    texts = [pair.one.call("get_decision", id=each["address"]) for each in found if each["address"] != last]
    assert [("Whole", whole["body"])] * len(texts) == [(each["title"], each["body"]) for each in texts]
    assert len(texts) <= 20
    in_order(pair.one, pair.tables)


def test_a_killed_worker_is_replaced_and_no_call_fails_while_its_server_leaves_for_another(
    database: str, fresh: Fresh
) -> None:
    acknowledged: list[str] = []
    failed: list[object] = []
    enough = threading.Event()

    def work(caller: Caller) -> None:
        try:
            while not enough.is_set():
                made = caller.call("propose_decision", title="T", body="B")
                acknowledged.append(caller.call("get_decision", id=made["address"])["address"])
        except Exception as error:
            failed.append(error)

    named = "--database", database
    elsewhere = environment(SMELDR_DATABASE="sqlite:///nonesuch.db", **DRAIN)
    with started(smeldr(*named, "--workers", "2"), smeldr(*named), environment=elsewhere) as [leaver, stayer]:
        leaver.says("startup complete", times=2)
        os.kill(int(leaver.says(r"Started server process \[(\d+)\]")[0]), signal.SIGKILL)
        leaver.says("startup complete", times=3)
        balanced = as_register(Balanced(leaver.remote, stayer.remote))
        owner = Caller(balanced, fresh.token, fresh.owner_id)
        threads = [threading.Thread(target=work, args=(owner,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        until(lambda: len(acknowledged) > 20)
        ended = leaver.told(signal.SIGTERM)
        after = len(acknowledged)
        until(lambda: len(acknowledged) > after + 20 or bool(failed))
        enough.set()
        for thread in threads:
            thread.join()

        assert [] == failed
        assert 0 == ended
        assert len(acknowledged) == len(set(acknowledged)) == owner.call("list_decisions")["total"]
        in_order(owner, Tables(database))


@pytest.fixture
def mortal() -> Iterator[Cluster]:
    """A server of PostgreSQL that may be killed, and keeps what it acknowledged."""
    cluster = Cluster(durable=True)
    yield cluster
    cluster.remove()


def test_a_server_outlives_its_database_and_goes_on_with_it_without_help(mortal: Cluster) -> None:
    database = mortal.url(mortal.create())
    made = initialise(Settings(database=database), "Owner")
    acknowledged: list[str] = []
    refused: list[Refusal] = []

    def work() -> None:
        while not refused:
            try:
                acknowledged.append(owner.call("propose_decision", title="T", body="B")["address"])
            except Refusal as refusal:
                refused.append(refusal)

    with started(smeldr(), environment=environment(SMELDR_DATABASE=database)) as [server]:
        remote = server.remote
        owner = Caller(as_register(remote), made["token"], made["principal"])
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        until(lambda: len(acknowledged) > 20)
        mortal.kill()
        for thread in threads:
            thread.join()
        assert not remote.ready()
        assert 200 == remote.client.get("/health").status_code
        owner.refused("busy", "propose_decision", title="T", body="B")

        mortal.start()
        until(remote.ready)
        assert set(acknowledged) <= {f"D{n}" for n in range(1, owner.call("list_decisions")["total"] + 1)}
        owner.ratified("T")
        in_order(owner, Tables(database))
    assert {refusal.code for refusal in refused} <= {"busy", "internal"}
