"""Many values some at a time, none read before it is needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Value = TypeVar("Value")


def batches(values: Iterable[Value], size: int) -> Iterator[list[Value]]:
    """The values in lists of so many, the last one of what is left; none is empty."""
    remaining = iter(values)
    while some := list(islice(remaining, size)):
        yield some
