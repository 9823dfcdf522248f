"""How full a pool of connections is."""

from __future__ import annotations

from sqlalchemy import Engine, QueuePool

from smeldr.model.records import Connections


def connections_of(engine: Engine, limit: int) -> Connections:
    """The connections of an engine at this moment; `limit` is how many its pool was told to open at most."""
    pool = engine.pool
    assert isinstance(pool, QueuePool)  # noqa: S101 - what the engine files ask for
    return Connections(in_use=pool.checkedout(), idle=pool.checkedin(), limit=limit)
