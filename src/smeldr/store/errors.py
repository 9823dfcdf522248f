"""What a driver says when the store fails, in the register's own codes.

The log is told what failed by the driver's own name for it and the statement without its values: the driver's message
may quote them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import structlog
from sqlalchemy import Connection, exc

from smeldr.model.errors import Refusal
from smeldr.store.contract import Interrupted

CodeOf = Callable[[exc.DBAPIError], str | None]
"""What the driver calls an error, by the engine of the database."""

STATEMENT: Final = 500
"""Characters of a statement that the log shows."""

_LOG = structlog.get_logger("smeldr")


def busy() -> Refusal:
    """The store did not answer in time."""
    return Refusal("busy", "the store did not answer in time; nothing was written")


def interrupted() -> Interrupted:
    """The database let go of the transaction before anything of it was kept."""
    return Interrupted("busy", "the store could not be reached or broke off; nothing was written")


def failing(why: str) -> Refusal:
    """The store fails for a reason that whoever runs the server can mend."""
    return Refusal("internal", f"the store fails: {why}; nothing was written")


@contextmanager
def translated(refusal_of: Callable[[exc.DBAPIError], Refusal | None], code_of: CodeOf) -> Iterator[None]:
    """Turn what the driver says into the refusal that the engine has for it; the rest stays what it is, a fault.

    What is no `busy` is logged, with the driver's code.
    """
    try:
        yield
    except exc.TimeoutError:
        raise busy() from None
    except exc.DBAPIError as error:
        refusal = refusal_of(error)
        if refusal is None or refusal.code == "internal":
            _log(error, code_of)
        if refusal:
            raise refusal from error
        raise


def _log(error: exc.DBAPIError, code_of: CodeOf) -> None:
    statement = " ".join((error.statement or "").split())[:STATEMENT]
    _LOG.error("the store failed", code=code_of(error), statement=statement)


def committed(connection: Connection, code_of: CodeOf) -> Iterator[Connection]:
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
        connection.invalidate(error)
        _log(error, code_of)
        raise Refusal(
            "internal",
            "whether this was written is not known: ask again with the same request_key",
        ) from error
