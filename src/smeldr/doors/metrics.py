"""The figures of a server, in Prometheus's terms: what its calls did, and what the register says when it is asked.

Calls are counted as they end. What the register holds is never kept here: it is handed in for each answer. With several
workers every process counts in files of one folder, which the environment names, and an answer sums up all of them; the
library sees to that. Who may ask is not known here. Source: docs/metrics.md, one row per metric.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector

from smeldr import __version__
from smeldr.doors.workers import FOLDER
from smeldr.model.records import Connections
from smeldr.operations.observing import OK, Observer
from smeldr.operations.registry import OPERATIONS
from smeldr.operations.state_of import LastSweep, State

BUCKETS: Final = (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60)
"""Seconds. A small read takes some milliseconds, a call that waits for the store up to ten seconds, a sweep minutes."""

_FROM_THE_START: Final = (OK, "busy", "internal")
"""Outcomes that are there with 0 before the first: what alerts look for has to rise from something."""


class Metrics(Observer):
    """The figures of one process, or its part of the figures of several."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._folder = os.environ.get(FOLDER)
        self._registry = CollectorRegistry()
        self._calls = Counter(
            "smeldr_calls",
            "Calls that have ended, by tool and outcome: ok or the code of an error.",
            ["tool", "outcome"],
            registry=self._registry,
        )
        self._durations = Histogram(
            "smeldr_call_duration_seconds",
            "How long calls took, by tool.",
            ["tool"],
            buckets=BUCKETS,
            registry=self._registry,
        )
        self._retries = Counter(
            "smeldr_call_retries",
            "Calls begun anew because the database let go of their transaction, by tool.",
            ["tool"],
            registry=self._registry,
        )
        self._connections = Gauge(
            "smeldr_store_connections",
            "Connections to the database, by state: in_use or idle.",
            ["state"],
            registry=self._registry,
            multiprocess_mode="livesum",
        )
        self._limit = Gauge(
            "smeldr_store_connections_limit",
            "The most connections to the database that there may be.",
            registry=self._registry,
            multiprocess_mode="livesum",
        )
        for tool in OPERATIONS:
            self._retries.labels(tool)
            for outcome in _FROM_THE_START:
                self._calls.labels(tool, outcome)

    @property
    def shared(self) -> bool:
        """Whether an answer sums up several processes."""
        return self._folder is not None

    def called(self, tool: str, outcome: str, seconds: float) -> None:
        self._calls.labels(tool, outcome).inc()
        self._durations.labels(tool).observe(seconds)

    def retried(self, tool: str) -> None:
        self._retries.labels(tool).inc()

    def connected(self, now: Connections) -> None:
        """Take note of the connections that this process holds."""
        self._connections.labels("in_use").set(now.in_use)
        self._connections.labels("idle").set(now.idle)
        self._limit.set(now.limit)

    def text(self, state: State | None) -> bytes:
        """Everything, as Prometheus reads it; without a state, that the store does not answer."""
        return generate_latest(_Answer(self._counted(), state))

    def _counted(self) -> list[Metric]:
        if self._folder is None:
            found = self._registry.collect()
        else:
            found = MultiProcessCollector(None, self._folder).collect()  # type: ignore[no-untyped-call]
        return sorted(found, key=lambda metric: metric.name)


class _Answer:
    """One answer, in the library's form: metrics in an order that is always the same."""

    def __init__(self, counted: list[Metric], state: State | None) -> None:
        self._counted = counted
        self._state = state

    def collect(self) -> Iterator[Metric]:
        build = GaugeMetricFamily("smeldr_build_info", "Always 1; the label says which version.", labels=["version"])
        build.add_metric([__version__], 1)
        yield build
        yield from self._counted
        yield GaugeMetricFamily("smeldr_store_up", "Whether the store answered just now.", int(self._state is not None))
        if self._state is None:
            return
        conditions = GaugeMetricFamily("smeldr_open_conditions", "Conditions that are open, by type.", labels=["type"])
        for condition, number in self._state.open_conditions.items():
            conditions.add_metric([condition], number)
        yield conditions
        if self._state.last_sweep:
            yield from _sweep(self._state.last_sweep)


def _sweep(last: LastSweep) -> Iterator[Metric]:
    yield GaugeMetricFamily("smeldr_sweep_age_seconds", "How long ago the last sweep finished.", last.age)
    yield GaugeMetricFamily("smeldr_sweep_duration_seconds", "How long the last sweep took.", last.duration)
    yield GaugeMetricFamily("smeldr_sweep_failed", "Whether the last sweep failed.", int(last.failed))
    repairs = GaugeMetricFamily(
        "smeldr_sweep_repairs", "Conditions that the last sweep opened or closed, by kind.", labels=["kind"]
    )
    repairs.add_metric(["opened"], last.opened)
    repairs.add_metric(["closed"], last.closed)
    yield repairs
