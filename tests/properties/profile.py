"""How many examples the property tests play: few and always the same, unless the environment asks for more."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

EXAMPLES = os.environ.get("SMELDR_PROPERTY_EXAMPLES")


def bounded(few: int) -> settings:
    """The same few examples on every run; with SMELDR_PROPERTY_EXAMPLES that many, and others each time."""
    return settings(
        max_examples=int(EXAMPLES or few),
        stateful_step_count=40,
        derandomize=EXAMPLES is None,
        database=None,
        deadline=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
