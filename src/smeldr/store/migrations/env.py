"""Runs the migrations on the connection that the store hands over, inside its transaction."""

from __future__ import annotations

from alembic import context

from smeldr.store.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    transactional_ddl=False,
    render_as_batch=True,
)
context.run_migrations()
