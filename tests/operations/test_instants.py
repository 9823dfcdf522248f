"""An instant is RFC 3339 and nothing beside it."""

from __future__ import annotations

import pytest

from tests.callers import Caller


@pytest.mark.parametrize(
    "text", ["2999-W01-1T00:00:00Z", "29990101T000000Z", "2999-01-01", "2999-01-01T00:00Z", "2999-01-01T00:00:00", "T"]
)
def test_what_is_not_rfc_3339_is_no_expiry(owner: Caller, text: str) -> None:
    someone = owner.call("create_principal", name="Someone", **{"class": "person"})["id"]
    refusal = owner.refused(
        "validation_failed", "grant_right", principal=someone, right="read", place="ROOT", expires_at=text
    )
    assert "expires_at" in (refusal.fields or {})


@pytest.mark.parametrize("text", ["2999-01-01T00:00:00Z", "2999-01-01T01:00:00.5+01:00", "2999-01-01t00:00:00z"])
def test_every_spelling_of_rfc_3339_is_one_instant(owner: Caller, text: str) -> None:
    someone = owner.call("create_principal", name="Someone", **{"class": "person"})["id"]
    grant = owner.call("grant_right", principal=someone, right="read", place="ROOT", expires_at=text)
    assert grant["expires_at"].startswith("2999-01-01T00:00:00.")
    assert grant["expires_at"].endswith("Z")
