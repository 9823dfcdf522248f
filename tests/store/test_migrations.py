"""The migrations make the tables of the schema, no more and no less."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, create_engine, text

from smeldr.store.schema import METADATA
from smeldr.store.store import Store


@pytest.fixture
def migrated(tmp_path: Path) -> Iterator[Engine]:
    Store(f"sqlite:///{tmp_path}/migrated.db").migrate()
    engine = create_engine(f"sqlite:///{tmp_path}/migrated.db")
    yield engine
    engine.dispose()


def test_a_migrated_database_is_what_the_schema_says(migrated: Engine) -> None:
    with migrated.connect() as connection:
        assert [] == compare_metadata(MigrationContext.configure(connection), METADATA)


def test_every_table_and_index_is_made_alike_down_to_its_conditions(migrated: Engine, tmp_path: Path) -> None:
    made = create_engine(f"sqlite:///{tmp_path}/made.db")
    METADATA.create_all(made)
    assert _statements(made) == _statements(migrated)
    made.dispose()


def _statements(engine: Engine) -> dict[str, list[str]]:
    """What made each table and index, its parts in the order of their text: columns may be declared in any order."""
    with engine.connect() as connection:
        rows = connection.execute(
            text("SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'alembic%' AND sql != ''")
        )
        return {name: _parts(sql) for name, sql in rows}


def _parts(statement: str) -> list[str]:
    whole = " ".join(statement.split()).removesuffix(")").rstrip()
    return sorted(re.split(r",\s(?![^(]*\))", whole))
