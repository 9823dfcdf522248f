"""Doing a call again when the database let go of it: a few times, at random distances, within a bound.

Only Interrupted is tried again, for nothing of the call was kept then. A commit whose outcome nobody knows is not, and
neither is a store that did not answer in time: the call has waited already.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_delay, wait_random_exponential

from smeldr.store.contract import Interrupted

SECONDS: Final = 5.0
"""How long a call is tried again: long enough for a database that is restarted, and for one that takes over."""

_FIRST: Final = 0.05
_LONGEST: Final = 1.0
"""Waits grow from up to the first to up to the longest, in seconds; each is a random part of that."""

Reply = TypeVar("Reply")


def again(call: Callable[[], Reply], told: Callable[[], None]) -> Reply:
    """Make the call until it ends otherwise than by Interrupted, and tell of every time that it is made again.

    Raises:
        Interrupted: it did so to the end; nothing was changed. Whatever else the call raises.
    """

    def tell(_: RetryCallState) -> None:
        told()

    retrying = Retrying(
        retry=retry_if_exception_type(Interrupted),
        wait=wait_random_exponential(multiplier=_FIRST, max=_LONGEST),
        stop=stop_after_delay(SECONDS),
        before_sleep=tell,
        reraise=True,
    )
    return retrying(call)
