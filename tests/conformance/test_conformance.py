"""The published conformance scenarios end as expected.toml says, each exception with its reason."""

from __future__ import annotations

import tomllib

from tests.conformance.run import EXPECTED, differences


def test_every_scenario_ends_as_expected() -> None:
    assert [] == differences()


def test_every_exception_has_a_reason() -> None:
    expected = tomllib.loads(EXPECTED.read_text(encoding="utf-8"))

    assert {"2025-11-25", "2026-07-28"} == expected["not_green"].keys()
    for reasons in expected["not_green"].values():
        assert all(reason.endswith(".") for reason in reasons.values())
