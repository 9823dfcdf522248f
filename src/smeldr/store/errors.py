"""What a driver says when the store fails, in the register's own codes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, exc

from smeldr.model.errors import Refusal


def busy() -> Refusal:
    """The store did not answer in time."""
    return Refusal("busy", "the store did not answer in time; nothing was written")


@contextmanager
def translated(is_busy: Callable[[exc.DBAPIError], bool]) -> Iterator[None]:
    """Turn 'the store did not answer in time' into `busy`; everything else stays what it is, a fault."""
    try:
        yield
    except exc.TimeoutError:
        raise busy() from None
    except exc.OperationalError as error:
        if is_busy(error):
            raise busy() from error
        raise


def committed(connection: Connection) -> Iterator[Connection]:
    """Give the connection inside a transaction and commit it at the end, or undo it when the block fails.

    Raises:
        Refusal: `internal` when the commit itself failed, for then nobody knows whether it was written.
    """
    transaction = connection.begin()
    try:
        yield connection
    except BaseException:
        transaction.rollback()
        raise
    try:
        transaction.commit()
    except exc.DBAPIError as error:
        raise Refusal(
            "internal",
            "whether this was written is not known: ask again with the same request_key",
        ) from error
