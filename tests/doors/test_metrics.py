"""Figures for Prometheus: what is counted, what is read at the time, and what is left out while the store is down."""

from __future__ import annotations

import re

import pytest
from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families

from smeldr import __version__
from smeldr.doors.metrics import Metrics
from smeldr.model.records import Connections
from smeldr.operations.registry import OPERATIONS
from smeldr.operations.state_of import LastSweep, State
from tests.docs.blocks import DOCS

QUIET = State({"premise-flagged": 0, "conflict-detected": 0}, None)
SWEPT = State({"premise-flagged": 2, "conflict-detected": 0}, LastSweep(90.5, 1.25, True, 3, 4))

Samples = dict[str, float]
"""What a line says, by the line: `name{label="value"}`."""


def samples(text: bytes) -> Samples:
    """What an answer says, with the labels of each sample in the order of their names."""
    found: Samples = {}
    for family in text_string_to_metric_families(text.decode()):
        for each in family.samples:
            labels = ",".join(f'{name}="{value}"' for name, value in sorted(each.labels.items()))
            found[f"{each.name}{{{labels}}}" if labels else each.name] = each.value
    return found


def test_a_call_is_counted_by_tool_and_outcome_and_timed_by_tool() -> None:
    metrics = Metrics()

    metrics.called("whoami", "ok", 0.003)
    metrics.called("whoami", "ok", 7)
    metrics.called("whoami", "unauthorized", 0.02)

    found = samples(metrics.text(QUIET))
    assert 2 == found['smeldr_calls_total{outcome="ok",tool="whoami"}']
    assert 1 == found['smeldr_calls_total{outcome="unauthorized",tool="whoami"}']
    assert 3 == found['smeldr_call_duration_seconds_count{tool="whoami"}']
    assert 1 == found['smeldr_call_duration_seconds_bucket{le="0.005",tool="whoami"}']
    assert 2 == found['smeldr_call_duration_seconds_bucket{le="0.025",tool="whoami"}']
    assert 7.023 == pytest.approx(found['smeldr_call_duration_seconds_sum{tool="whoami"}'])


def test_what_alerts_look_for_is_there_before_it_happens() -> None:
    found = samples(Metrics().text(QUIET))

    for tool in OPERATIONS:
        assert 0 == found[f'smeldr_call_retries_total{{tool="{tool}"}}']
        for outcome in ("ok", "busy", "internal"):
            assert 0 == found[f'smeldr_calls_total{{outcome="{outcome}",tool="{tool}"}}']


def test_a_call_that_is_made_again_is_counted_by_tool() -> None:
    metrics = Metrics()

    metrics.retried("propose_decision")

    assert 1 == samples(metrics.text(QUIET))['smeldr_call_retries_total{tool="propose_decision"}']


def test_the_state_of_the_register_is_what_it_was_handed() -> None:
    found = samples(Metrics().text(SWEPT))

    assert 1 == found["smeldr_store_up"]
    assert 2 == found['smeldr_open_conditions{type="premise-flagged"}']
    assert 0 == found['smeldr_open_conditions{type="conflict-detected"}']
    assert 90.5 == found["smeldr_sweep_age_seconds"]
    assert 1.25 == found["smeldr_sweep_duration_seconds"]
    assert 1 == found["smeldr_sweep_failed"]
    assert 3 == found['smeldr_sweep_repairs{kind="opened"}']
    assert 4 == found['smeldr_sweep_repairs{kind="closed"}']


def test_before_the_first_sweep_nothing_is_said_of_one() -> None:
    assert not [name for name in samples(Metrics().text(QUIET)) if name.startswith("smeldr_sweep")]


def test_a_store_that_does_not_answer_is_down_and_nothing_is_said_of_what_it_holds() -> None:
    metrics = Metrics()
    metrics.called("whoami", "busy", 10)

    found = samples(metrics.text(None))

    assert 0 == found["smeldr_store_up"]
    assert 1 == found['smeldr_calls_total{outcome="busy",tool="whoami"}']
    assert not [name for name in found if name.startswith(("smeldr_open", "smeldr_sweep"))]


def test_the_connections_are_those_it_was_last_told_of() -> None:
    metrics = Metrics()

    metrics.connected(Connections(in_use=9, idle=9, limit=9))
    metrics.connected(Connections(in_use=1, idle=2, limit=48))

    found = samples(metrics.text(QUIET))
    assert 1 == found['smeldr_store_connections{state="in_use"}']
    assert 2 == found['smeldr_store_connections{state="idle"}']
    assert 48 == found["smeldr_store_connections_limit"]


def test_the_version_is_told() -> None:
    assert 1 == samples(Metrics().text(QUIET))[f'smeldr_build_info{{version="{__version__}"}}']


def test_every_metric_is_on_its_page_with_its_type_and_its_labels_and_no_other() -> None:
    exposed = {
        (f"{family.name}{'_total' if family.type == 'counter' else ''}", family.type, _labels(family))
        for family in text_string_to_metric_families(_everything().decode())
    }

    page = (DOCS / "metrics.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(smeldr_\w+)` \| (\w+) \|([^|]*)\|", page, re.MULTILINE)
    assert sorted(exposed) == sorted((name, kind, labels.strip()) for name, kind, labels in rows)


def test_every_metric_that_the_page_speaks_of_is_there() -> None:
    found = {name.partition("{")[0] for name in samples(_everything())} | {"smeldr_call_duration_seconds"}

    page = (DOCS / "metrics.md").read_text(encoding="utf-8")
    assert set() == set(re.findall(r"\bsmeldr_[a-z_]+", page)) - found


def _everything() -> bytes:
    metrics = Metrics()
    metrics.called("whoami", "ok", 1)
    metrics.connected(Connections(in_use=1, idle=2, limit=48))
    return metrics.text(SWEPT)


def _labels(family: Metric) -> str:
    names = {name for each in family.samples for name in each.labels} - {"le"}
    return ", ".join(f"`{name}`" for name in sorted(names))
