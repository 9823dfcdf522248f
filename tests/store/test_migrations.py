"""The migrations make the tables of the schema, no more and no less."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, create_engine, text

from smeldr.store.schema import METADATA
from smeldr.store.store import Store
from tests.databases import ON_A_SERVER, Databases


@pytest.fixture
def empty(databases: Databases) -> Iterator[Engine]:
    """A database with nothing in it."""
    url = databases.new()
    engine = create_engine(url)
    yield engine
    engine.dispose()
    databases.drop(url)


@pytest.fixture
def migrated(databases: Databases) -> Iterator[Engine]:
    url = databases.new()
    Store(url).migrate()
    engine = create_engine(url)
    yield engine
    engine.dispose()
    databases.drop(url)


def test_a_migrated_database_is_what_the_schema_says(migrated: Engine) -> None:
    with migrated.connect() as connection:
        assert [] == compare_metadata(MigrationContext.configure(connection), METADATA)


def test_every_table_and_index_is_made_alike_down_to_its_conditions(migrated: Engine, empty: Engine) -> None:
    METADATA.create_all(empty)
    assert _statements(empty) == _statements(migrated)


STATEMENTS = {
    "sqlite": "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'alembic%' AND sql != ''",
    "postgresql": """
        SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename NOT LIKE 'alembic%'
        UNION ALL
        SELECT conname, conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
            WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text NOT LIKE 'alembic%'
        UNION ALL
        SELECT table_name,
            string_agg(concat_ws(' ', column_name, data_type, collation_name, is_nullable, column_default), ', ')
            FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE 'alembic%'
            GROUP BY table_name""",
}


def _statements(engine: Engine) -> dict[str, list[str]]:
    """What made each table and index, its parts in the order of their text: columns may be declared in any order."""
    with engine.connect() as connection:
        return {name: _parts(sql) for name, sql in connection.execute(text(STATEMENTS[engine.dialect.name]))}


@ON_A_SERVER
def test_every_text_compares_by_its_code_points(migrated: Engine) -> None:
    with migrated.connect() as connection:
        others = connection.execute(
            text(
                "SELECT table_name, column_name FROM information_schema.columns WHERE data_type = 'text'"
                " AND table_schema = 'public' AND collation_name IS DISTINCT FROM 'C'"
            )
        )
        assert [] == others.all()


def _parts(statement: str) -> list[str]:
    whole = " ".join(statement.split()).removesuffix(")").rstrip()
    return sorted(re.split(r",\s(?![^(]*\))", whole))
