"""`GET /metrics` is for whoever administers ROOT, waits for nobody, and works while the store does not."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from typing import cast

import httpx2
import pytest
from starlette.testclient import TestClient

from smeldr.doors import metrics_http
from smeldr.doors.app import build_app
from smeldr.doors.calling import THREADS
from smeldr.doors.logs import log_to_stderr
from smeldr.doors.metrics import Metrics
from smeldr.doors.metrics_http import Scrape
from smeldr.doors.metrics_listener import alone, listening
from smeldr.model.errors import Refusal
from smeldr.operations.call import Policy
from smeldr.operations.register import Register
from smeldr.operations.state_of import State
from smeldr.settings import Settings
from tests.callers import Caller
from tests.conftest import MakeCaller
from tests.doors.serving import serving
from tests.doors.stubs import StubRegister, client
from tests.doors.test_metrics import Samples, samples
from tests.operations.failing import failing

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@pytest.fixture
def watched(owner: Caller) -> Iterator[tuple[Caller, str]]:
    """The owner of a register that is observed, and the address of a real server over it."""
    metrics = Metrics()
    register = Register(owner.register.store, Policy(), observer=metrics)
    with serving(build_app(register, Settings(), metrics=metrics)) as url:
        yield Caller(register, owner.token, owner.id), url


def scraped(url: str, token: str) -> Samples:
    response = httpx2.get(f"{url}/metrics", headers={"Authorization": f"Bearer {token}"})
    assert (200, CONTENT_TYPE) == (response.status_code, response.headers["content-type"])
    return samples(response.content)


def code(response: httpx2.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def lone(register: StubRegister, metrics: Metrics | None = None) -> TestClient:
    """The app that answers to `/metrics` alone."""
    scrape = Scrape(cast(Register, register), metrics or Metrics())
    return TestClient(alone(scrape, "127.0.0.1"), base_url="http://127.0.0.1", raise_server_exceptions=False)


def test_the_figures_are_those_of_the_calls_and_of_the_register(watched: tuple[Caller, str]) -> None:
    owner, url = watched
    before = scraped(url, owner.token)

    owner.ratified("Premise")
    owner.ratified("Dependent", grounded_in=["D1"])
    owner.call("retire_decision", decision="D1", reason="R")
    owner.call("run_sweep")
    owner.refused("conflict", "retire_decision", decision="D1", reason="R")
    owner.refused("not_found", "smeldr_a_token")

    found = scraped(url, owner.token)
    assert 2 == found['smeldr_calls_total{outcome="ok",tool="ratify_decision"}']
    assert 1 == found['smeldr_calls_total{outcome="conflict",tool="retire_decision"}']
    assert 1 == found['smeldr_calls_total{outcome="not_found",tool="unknown"}']
    assert 2 == found['smeldr_call_duration_seconds_count{tool="retire_decision"}']
    assert (0, 1) == tuple(each['smeldr_open_conditions{type="premise-flagged"}'] for each in (before, found))
    assert (0, 0) == (found["smeldr_sweep_failed"], found['smeldr_sweep_repairs{kind="opened"}'])
    assert 0 < found["smeldr_sweep_duration_seconds"]
    assert 0 <= found["smeldr_sweep_age_seconds"] < 3_600
    assert found['smeldr_store_connections{state="idle"}'] >= 1
    assert "smeldr_sweep_failed" not in before
    assert not [name for name in found if "smeldr_a_token" in name]


def test_without_a_token_that_counts_it_is_unauthorized(watched: tuple[Caller, str]) -> None:
    _, url = watched

    for headers in ({}, {"Authorization": "Bearer former"}):
        assert (401, "unauthorized") == code(httpx2.get(f"{url}/metrics", headers=headers))


def test_whoever_does_not_administer_root_is_forbidden(watched: tuple[Caller, str], caller: MakeCaller) -> None:
    owner, url = watched
    owner.call("create_domain", name="Domain")
    for name, rights in (("Reader", {"ROOT": ["read", "author", "ratify"]}), ("Keeper", {"DOM1": ["administer"]})):
        token = caller(name, rights=rights).token
        response = httpx2.get(f"{url}/metrics", headers={"Authorization": f"Bearer {token}"})
        assert (403, "forbidden") == code(response)


def test_an_agent_is_forbidden_whatever_it_was_granted(watched: tuple[Caller, str], owner: Caller) -> None:
    trusting = Caller(Register(owner.register.store, Policy(allow_agent_ratify=True)), owner.token, owner.id)
    agent = trusting.call("create_principal", name="Agent", **{"class": "agent"})["id"]
    trusting.call("grant_right", principal=agent, right="administer", place="ROOT")
    token = trusting.call("create_token", principal=agent)["token"]

    response = httpx2.get(f"{watched[1]}/metrics", headers={"Authorization": f"Bearer {token}"})

    assert (403, "forbidden") == code(response)


@pytest.mark.parametrize("failed", ["busy", "internal"])
def test_a_store_that_cannot_say_who_asks_is_a_refusal_at_the_doors(
    failed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    register = StubRegister()

    def down(_: object) -> None:
        raise Refusal(failed, "the store is down")

    monkeypatch.setattr(register, "require_administrator", down)

    assert failed == code(client(register).get("/metrics"))[1]


def test_on_a_listener_of_its_own_nobody_is_asked_for_a_token() -> None:
    response = lone(StubRegister()).get("/metrics")

    assert (200, CONTENT_TYPE) == (response.status_code, response.headers["content-type"])
    assert 2 == samples(response.content)['smeldr_open_conditions{type="premise-flagged"}']


def test_on_a_listener_of_its_own_a_store_that_is_down_is_told_as_a_figure() -> None:
    metrics = Metrics()
    metrics.called("whoami", "busy", 10)

    for error in (Refusal("busy", "late"), Refusal("internal", "broken")):
        found = samples(lone(StubRegister(raises=error), metrics).get("/metrics").content)
        assert 0 == found["smeldr_store_up"]
        assert 1 == found['smeldr_calls_total{outcome="busy",tool="whoami"}']
        assert 3 == found["smeldr_store_connections_limit"]


def test_a_register_whose_database_has_gone_is_told_as_a_figure_too(register: Register, database: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("smeldr.store.conditions.Conditions.count_open", failing(RuntimeError()))
        found = samples(lone(cast(StubRegister, register)).get("/metrics").content)

    assert 0 == found["smeldr_store_up"]


def test_a_store_that_hangs_keeps_neither_the_answer_nor_a_call_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics_http, "PATIENCE", 0.01)
    released = threading.Event()

    class Hanging(StubRegister):
        def state(self) -> State:
            released.wait()
            return super().state()

    with serving(build_app(cast(Register, Hanging()), Settings())) as url:
        headers = {"Authorization": "Bearer live"}
        for _ in range(metrics_http.AT_ONCE + 1):
            found = samples(httpx2.get(f"{url}/metrics", headers=headers).content)
            assert 0 == found["smeldr_store_up"]
        assert 200 == httpx2.post(f"{url}/api/tools/echo", headers=headers).status_code
        released.set()


def test_calls_that_all_hang_do_not_keep_the_figures_waiting() -> None:
    released, there = threading.Event(), threading.Semaphore(0)

    class Hanging(StubRegister):
        def call(self, *_: object) -> dict[str, object]:
            there.release()
            released.wait()
            return {}

    headers = {"Authorization": "Bearer live"}
    with serving(build_app(cast(Register, Hanging()), Settings())) as url:
        posted = [threading.Thread(target=httpx2.post, args=(f"{url}/api/tools/echo",)) for _ in range(THREADS)]
        for each in posted:
            each.start()
        for _ in posted:
            assert there.acquire(timeout=30)
        assert 1 == samples(httpx2.get(f"{url}/metrics", headers=headers).content)["smeldr_store_up"]
        released.set()
        for each in posted:
            each.join()


@pytest.mark.parametrize("path", ["/", "/health", "/api/tools/whoami", "/metrics/"])
def test_a_listener_of_its_own_has_nothing_else(path: str) -> None:
    assert (404, "not_found") == code(lone(StubRegister()).get(path))


def test_a_listener_of_its_own_answers_to_its_names_alone() -> None:
    response = lone(StubRegister()).get("/metrics", headers={"Host": "evil.example"})

    assert (403, "forbidden") == code(response)


def test_an_address_that_cannot_be_had_is_told_in_one_line() -> None:
    scrape = Scrape(cast(Register, StubRegister()), Metrics())
    with serving(alone(scrape, "127.0.0.1")) as url:
        port = int(url.rpartition(":")[2])
        with pytest.raises(SystemExit, match="SMELDR_METRICS_PORT: cannot listen on"):
            listening(scrape, "127.0.0.1", port).__enter__()


def test_a_listener_of_its_own_lasts_as_long_as_its_context(capsys: pytest.CaptureFixture[str]) -> None:
    log_to_stderr("info")
    with listening(Scrape(cast(Register, StubRegister()), Metrics()), "127.0.0.1", 0):
        [url] = re.findall(r"Metrics on (http://127\.0\.0\.1:\d+/metrics)", capsys.readouterr().err)
        assert 200 == httpx2.get(url).status_code
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(url)
