"""What a driver says when the store fails, in the register's own codes. The only place that reads driver errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, exc

from smeldr.model.errors import Refusal

BUSY = Refusal("busy", "the store did not answer in time; nothing was written")
_BUSY_SIGNS = ("database is locked", "database table is locked", "database schema is locked")


class StoreUnusable(Exception):
    """The store cannot be opened or is not one of ours; the message is one line for whoever runs the server."""


@contextmanager
def translated() -> Iterator[None]:
    """Turn 'the store did not answer in time' into `busy`; everything else stays what it is, a fault."""
    try:
        yield
    except exc.TimeoutError:
        raise Refusal(BUSY.code, BUSY.message) from None
    except exc.OperationalError as error:
        if any(sign in str(error.orig) for sign in _BUSY_SIGNS):
            raise Refusal(BUSY.code, BUSY.message) from error
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
