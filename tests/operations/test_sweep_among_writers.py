"""While a sweep runs others write, and read the former counts or the new ones, never some of each."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

import pytest

from smeldr.model.errors import Refusal
from smeldr.operations.call import Policy
from smeldr.operations.register import Register
from smeldr.rules.stored_count import by_place
from smeldr.store.counts import Counts
from smeldr.store.store import Store
from tests.callers import Caller
from tests.operations.order import in_order
from tests.operations.sweeper import run as killed_while_sweeping
from tests.operations.tables import Tables
from tests.operations.watched import Told, Watched, When, nth

CHAIN = 5


class Killed(BaseException):
    """The process ends here: nothing that comes after is done."""


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("smeldr.operations.sweep.BATCH", 3)


@pytest.fixture(autouse=True)
def _chain(owner: Caller) -> None:
    """Each Decision rests on the one before: what rests on D1 is all the others."""
    owner.ratified("First")
    for number in range(1, CHAIN):
        owner.ratified("Another", grounded_in=[f"D{number}"])


@pytest.fixture
def sweeper(database: str) -> Callable[..., Register]:
    """A server of its own over the same database, which tells of its moments."""
    store = Store(database)

    def make(told: Told = lambda _: None, *, alone: bool = False) -> Register:
        return Register(Watched(store, told, alone=alone), Policy())

    return make


def turn(owner: Caller) -> int:
    """Cut the last Decision of the chain off, or join it again; gives how long the chain is then."""
    last = {"source_type": "Decision", "source_id": f"D{CHAIN}", "relation_kind": "grounded_in"}
    link = owner.call("assert_relation", **last, target_type="Decision", target_id=f"D{CHAIN - 1}")
    if link["created"]:
        return CHAIN
    owner.call("withdraw_relation", id=link["relation"]["id"], rev=link["relation"]["rev"], reason="R")
    return CHAIN - 1


def stored(owner: Caller) -> tuple[list[int], str | None]:
    """How many rest on each Decision, by the last sweep, and when that was."""
    asked = [{"type": "Decision", "id": f"D{number}"} for number in range(1, CHAIN + 1)]
    counts = owner.call("list_rest_counts", items=asked)["counts"]
    (moment,) = {each.get("counted_at") for each in counts}
    return [each["rests_on_this"]["closed"] for each in counts], moment


def expected(length: int) -> list[int]:
    """How many rest on each Decision while the chain has this length."""
    return [max(0, length - number) for number in range(1, CHAIN + 1)]


def generations(tables: Tables) -> set[int]:
    return {row["generation"] for row in tables.rows("rest_counts")}


def test_another_server_writes_between_two_transactions_of_a_sweep(
    owner: Caller, database: str, sweeper: Callable[..., Register], tables: Tables
) -> None:
    hurried = Caller(Register(Store(database, busy_seconds=0.05), Policy()), owner.token, owner.id)
    written: list[str] = []

    def write(when: When) -> None:
        if when == "between":
            written.append(hurried.call("propose_decision", title="Meanwhile", body="B")["address"])

    sweeper().sweep()
    run = sweeper(write).sweep()
    assert [f"D{CHAIN + number}" for number in range(1, len(written) + 1)] == written
    assert len(written) > 2
    assert CHAIN == run["counted"]
    in_order(owner, tables)


def test_each_transaction_of_a_sweep_writes_a_batch_and_nothing_is_walked_inside_one(
    sweeper: Callable[..., Register], monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    register = sweeper()
    add = Counts.add

    def adding(counts: Counts, generation: int, rows: list[Any]) -> None:
        sizes.append(len(rows))
        add(counts, generation, rows)

    def walking(*graph: Any) -> Any:
        assert not register.store.writing  # type: ignore[attr-defined]
        return by_place(*graph)

    monkeypatch.setattr(Counts, "add", adding)
    monkeypatch.setattr("smeldr.operations.counting.by_place", walking)
    assert CHAIN == register.sweep()["counted"]
    assert [3, 3, 2] == sizes


def test_a_reader_finds_the_former_counts_whole_until_it_finds_the_new_ones_whole(
    owner: Caller, sweeper: Callable[..., Register]
) -> None:
    owner.call("run_sweep")
    former = stored(owner)
    turn(owner)
    seen: list[tuple[list[int], str | None]] = []
    sweeper(lambda _: seen.append(stored(owner))).sweep()
    now = stored(owner)
    assert (expected(CHAIN), expected(CHAIN - 1)) == (former[0], now[0])
    turned = seen.index(now)
    assert [former] * turned + [now] * (len(seen) - turned) == seen
    assert 0 < turned < len(seen)
    assert str(former[1]) < str(now[1])


@pytest.mark.parametrize("end", [Killed, RuntimeError])
def test_a_sweep_that_ends_at_any_moment_leaves_whole_counts_and_the_next_one_cleans_up(
    owner: Caller, sweeper: Callable[..., Register], tables: Tables, end: type[BaseException]
) -> None:
    def fail() -> None:
        raise end

    owner.call("run_sweep")
    moment, come = 0, True
    while come:
        moment += 1
        former, length = stored(owner), turn(owner)
        told, has_come = nth(moment, fail)
        try:
            sweeper(told).sweep()
        except (Killed, Refusal):
            assert (end is Killed) != ("error" in owner.call("get_sweep_run"))
        come = has_come()
        assert stored(owner) == former or stored(owner)[0] == expected(length)
        run = sweeper().sweep()
        assert (0, 0) == (run["opened"], run["closed"])
        assert expected(length) == stored(owner)[0]
        assert 1 == len(generations(tables))
    assert moment > 15
    in_order(owner, tables)


@pytest.mark.parametrize("moment", [5, 9, 13])
def test_a_sweep_whose_process_is_killed_leaves_whole_counts_and_the_next_one_cleans_up(
    owner: Caller, database: str, sweeper: Callable[..., Register], tables: Tables, moment: int
) -> None:
    sweeper().sweep()
    former, length = stored(owner), turn(owner)
    assert -signal.SIGKILL == killed_while_sweeping(database, moment)
    assert {1, 2} == generations(tables)
    assert stored(owner) == former or stored(owner)[0] == expected(length)
    sweep_at_last(sweeper())
    assert expected(length) == stored(owner)[0]
    assert {3} == generations(tables)
    in_order(owner, tables)


def sweep_at_last(register: Register) -> None:
    """Sweep as soon as the database has noticed that the one who swept is gone."""
    while True:
        try:
            register.sweep()
        except Refusal as refusal:
            assert "a sweep is running already" == refusal.message
        else:
            return


def test_of_two_sweeps_that_overlap_the_counts_of_the_later_one_stand(
    owner: Caller, sweeper: Callable[..., Register], tables: Tables
) -> None:
    lengths: list[int] = []

    def overtake() -> None:
        lengths.append(turn(owner))
        sweeper(alone=True).sweep()

    moment, come, stopped = 0, True, 0
    while come:
        moment += 1
        told, has_come = nth(moment, overtake, inside=False)
        try:
            sweeper(told, alone=True).sweep()
        except Refusal as refusal:
            assert "conflict" == refusal.code
            stopped += 1
        come = has_come()
        assert expected(lengths[-1]) == stored(owner)[0]
        assert 1 == len(generations(tables))
    assert 5 < stopped < moment


def test_a_sweep_that_another_one_has_overtaken_stops_even_when_that_is_killed(
    owner: Caller, sweeper: Callable[..., Register], tables: Tables
) -> None:
    def fail() -> None:
        raise Killed

    def overtake() -> None:
        with pytest.raises(Killed):
            sweeper(nth(6, fail)[0], alone=True).sweep()

    owner.call("run_sweep")
    former = stored(owner)
    turn(owner)
    with pytest.raises(Refusal) as raised:
        sweeper(nth(4, overtake, inside=False)[0], alone=True).sweep()
    assert "another sweep has begun meanwhile" == raised.value.message
    assert former == stored(owner)
    owner.call("run_sweep")
    assert expected(CHAIN - 1) == stored(owner)[0]
    assert 1 == len(generations(tables))


def test_records_of_runs_are_kept_for_a_while_and_that_of_the_stored_counts_for_ever(
    owner: Caller, sweeper: Callable[..., Register], tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise RuntimeError

    monkeypatch.setattr("smeldr.operations.sweep.KEPT_RUNS", 2)
    for _ in range(3):
        owner.call("run_sweep")
    assert 2 == len(tables.rows("sweep_runs"))
    counted = stored(owner)
    for _ in range(4):
        with pytest.raises(Refusal):
            sweeper(nth(2, fail)[0]).sweep()
    assert 3 == len(tables.rows("sweep_runs"))
    assert counted == stored(owner)
