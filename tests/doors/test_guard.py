"""A server on this machine answers to this machine's names, and to others when it is told."""

from __future__ import annotations

import pytest
from starlette.responses import JSONResponse
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from smeldr.doors.guard import LOOPBACK, Guard, allowed_names


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    await JSONResponse({})(scope, receive, send)


def status(setting: str, bound: str, **headers: str) -> int:
    guarded = Guard(app, allowed_names(setting, bound))
    return TestClient(guarded, base_url="http://127.0.0.1:8080").get("/", headers=headers).status_code


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost", "LOCALHOST:9", "[::1]:8080"])
def test_on_a_loopback_address_the_loopback_names_are_answered(host: str) -> None:
    assert 200 == status("", "127.0.0.1", host=host)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8080", "", "[::1"])
def test_on_a_loopback_address_any_other_name_is_forbidden(host: str) -> None:
    assert 403 == status("", "127.0.0.1", host=host)


def test_a_page_from_elsewhere_is_forbidden_on_a_loopback_address() -> None:
    assert 403 == status("", "localhost", origin="https://evil.example")
    assert 403 == status("", "localhost", origin="null")
    assert 200 == status("", "localhost", origin="http://localhost:3000")


def test_a_server_that_is_told_its_names_answers_to_them_and_to_loopback() -> None:
    setting = "smeldr.example, Register.example"

    assert frozenset({"smeldr.example", "register.example"}) | LOOPBACK == allowed_names(setting, "127.0.0.1")
    assert 200 == status(setting, "127.0.0.1", host="smeldr.example")
    assert 200 == status(setting, "0.0.0.0", host="REGISTER.example:443")  # noqa: S104
    assert 403 == status(setting, "0.0.0.0", host="other.example")  # noqa: S104


def test_on_another_address_every_name_is_answered_but_no_page_from_elsewhere() -> None:
    assert 200 == status("", "0.0.0.0", host="whatever.example")  # noqa: S104
    assert 200 == status("", "0.0.0.0", host="whatever.example", origin="https://whatever.example")  # noqa: S104
    assert 403 == status("", "0.0.0.0", host="whatever.example", origin="https://evil.example")  # noqa: S104
    assert 403 == status("", "0.0.0.0", host="whatever.example", origin="http://[")  # noqa: S104


def test_a_star_switches_the_check_off() -> None:
    assert 200 == status("*", "127.0.0.1", host="whatever.example", origin="https://elsewhere.example")


def test_the_refusal_has_the_one_shape_and_names_the_setting() -> None:
    response = TestClient(Guard(app, LOOPBACK), base_url="http://evil.example").get("/")

    assert "forbidden" == response.json()["error"]["code"]
    assert "SMELDR_ALLOWED_HOSTS" in response.json()["error"]["message"]


def test_every_answer_tells_browsers_to_keep_and_guess_nothing() -> None:
    for response in (TestClient(Guard(app, names), base_url="http://x").get("/") for names in ((), LOOPBACK)):
        assert "no-store" == response.headers["cache-control"]
        assert "nosniff" == response.headers["x-content-type-options"]
        assert "no-referrer" == response.headers["referrer-policy"]
