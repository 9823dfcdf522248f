"""A role of PostgreSQL that is not the administrator, for as long as a test needs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy.engine import make_url


@contextmanager
def role(database: str, rights: str, *options: str) -> Iterator[str]:
    """Make a role that holds these rights over every table there; gives the URL that connects as it."""
    url = make_url(database)
    name = f"role_of_{url.database}"
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN {' '.join(options)}")
        connection.execute(f"GRANT {rights} ON ALL TABLES IN SCHEMA public TO {name}")
        try:
            yield url.set(username=name).render_as_string()
        finally:
            connection.execute(f"DROP OWNED BY {name}")
            connection.execute(f"DROP ROLE {name}")
