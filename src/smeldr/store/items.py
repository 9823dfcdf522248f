"""Items, their texts, and places: reading and writing rows. What a row means is for those who read it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, func, insert, literal, select, update

from smeldr.model.instants import Instant
from smeldr.model.items import ROOT, ItemKey, ItemType, Reference, key_of, key_range
from smeldr.model.records import Document, Item, Place, Text
from smeldr.store import contract
from smeldr.store.contract import Readable
from smeldr.store.rows import add_rows
from smeldr.store.schema import counters, items, places, texts
from smeldr.store.sets import chunks, key_set, keys_of, passed, within

_AROUND: Final = items.alias("around")
COLUMNS: Final = (
    items.c.key,
    items.c.id,
    items.c.place,
    items.c.state,
    items.c.rev,
    items.c.state_changes,
    items.c.created_at,
    items.c.state_changed_at,
)
"""What an item says of itself, in the order of `Item`; its place stands where that has a path."""

_ITEM: Final = (*COLUMNS, _AROUND.c.place.label("around"))
_ITEMS: Final = select(*_ITEM).select_from(items.outerjoin(_AROUND, _AROUND.c.key == items.c.place))
_TEXT: Final = (texts.c.title, texts.c.body, texts.c.source, texts.c.proposed_by, texts.c.ratified_by, texts.c.amends)
_DOCUMENTS: Final = select(*_ITEM, *_TEXT).select_from(
    items.join(texts, texts.c.key == items.c.key).outerjoin(_AROUND, _AROUND.c.key == items.c.place)
)
_PLACES: Final = select(*_ITEM, places.c.name).select_from(
    items.join(places, places.c.key == items.c.key).outerjoin(_AROUND, _AROUND.c.key == items.c.place)
)


_KEYS: Final = items.c.key.in_(keys_of("keys"))
_ITEMS_WITH: Final = _ITEMS.where(_KEYS)
_DOCUMENTS_WITH: Final = _DOCUMENTS.where(_KEYS)
_FIRST_AREA, _BEYOND_AREAS = key_range("Area")
_AREAS_IN: Final = select(items.c.key).where(
    items.c.place.in_(keys_of("domains")), items.c.key >= _FIRST_AREA, items.c.key < _BEYOND_AREAS
)


class Items(contract.Items):
    """The rows of one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find(self, references: Collection[Reference]) -> dict[Reference, Item]:
        keys = {each.key for each in references if each.key}
        ids = {each.id for each in references if each.id}
        found: list[Item] = list(self.get(keys).values()) if keys else []
        if ids:
            found += map(_item, self._connection.execute(_ITEMS.where(items.c.id.in_(ids))))
        by_key, by_id = {item.key: item for item in found}, {item.id: item for item in found}
        answers = {each: by_key.get(each.key) if each.key else by_id.get(each.id or "") for each in references}
        return {reference: item for reference, item in answers.items() if item}

    def get(self, keys: Collection[ItemKey]) -> dict[ItemKey, Item]:
        found: dict[ItemKey, Item] = {}
        for row in self._connection.execute(_ITEMS_WITH, {"keys": passed(keys)}).all():
            found[row[0]] = _item(row)
        return found

    def documents(self, keys: Collection[ItemKey]) -> dict[ItemKey, Document]:
        found: dict[ItemKey, Document] = {}
        for row in self._connection.execute(_DOCUMENTS_WITH, {"keys": passed(keys)}).all():
            found[row[0]] = _document(row)
        return found

    def list_documents(
        self,
        item_type: ItemType,
        where: Readable,
        *,
        state: str | None = None,
        amends: ItemKey | None = None,
        after: ItemKey | None = None,
        limit: int,
        offset: int,
    ) -> tuple[list[Document], int]:
        first, beyond = key_range(item_type)
        matching: list[ColumnElement[bool]] = [items.c.key >= first, items.c.key < beyond]
        matching += within(items.c.place, where)
        if state:
            matching.append(items.c.state == state)
        if amends:
            matching.append(texts.c.amends == amends)
        counted = select(func.count()).select_from(items.join(texts, texts.c.key == items.c.key) if amends else items)
        total = self._connection.execute(counted.where(*matching)).scalar_one()
        no_body = literal("").label("body")
        listed = select(*_ITEM, *(no_body if column is texts.c.body else column for column in _TEXT))
        listed = listed.select_from(_DOCUMENTS.get_final_froms()[0]).where(*matching)
        if after is not None:
            listed = listed.where(items.c.key > after)
        page = self._connection.execute(listed.order_by(items.c.key).limit(limit).offset(offset))
        return [_document(row) for row in page], total

    def amendments_of(self, decision: ItemKey) -> list[Item]:
        theirs = select(texts.c.key).where(texts.c.amends == decision)
        return [
            _item(row) for row in self._connection.execute(_ITEMS.where(items.c.key.in_(theirs)).order_by(items.c.key))
        ]

    def with_source(self, sources: Collection[str]) -> dict[str, list[ItemKey]]:
        found: dict[str, list[ItemKey]] = {}
        for some in chunks(sources):
            statement = select(texts.c.source, texts.c.key).where(texts.c.source.in_(some)).order_by(texts.c.key)
            for source, key in self._connection.execute(statement):
                found.setdefault(source, []).append(key)
        return found

    def places(self, keys: Readable = None) -> list[Place]:
        statement = _PLACES.where(*within(items.c.key, keys)).order_by(items.c.key)
        return [Place(_item(row), row.name) for row in self._connection.execute(statement)]

    def areas_in(self, domains: Collection[ItemKey]) -> set[ItemKey]:
        return set(self._connection.execute(_AREAS_IN, {"domains": passed(domains)}).scalars())

    def count_in(self, item_type: ItemType, where: Readable, state: str | None = None) -> dict[ItemKey, int]:
        first, beyond = key_range(item_type)
        statement = select(items.c.place, func.count()).where(
            items.c.key >= first, items.c.key < beyond, *within(items.c.place, where)
        )
        if state:
            statement = statement.where(items.c.state == state)
        return dict(self._connection.execute(statement.group_by(items.c.place)).all())

    def holds_any(self, place: ItemKey) -> bool:
        first, beyond = key_range("Area")
        is_area = (items.c.key >= first) & (items.c.key < beyond)
        statement = select(items.c.key).where(items.c.place == place, ~is_area | (items.c.state == "live"))
        return self._connection.execute(statement.limit(1)).first() is not None

    def next_keys(self, item_type: ItemType, count: int = 1) -> list[ItemKey]:
        statement = update(counters).where(counters.c.name == item_type).values(value=counters.c.value + count)
        last = self._connection.execute(statement.returning(counters.c.value)).scalar_one()
        return [key_of(item_type, number) for number in range(last - count + 1, last + 1)]

    def numbers_given(self) -> dict[str, int]:
        return dict(self._connection.execute(select(counters.c.name, counters.c.value)).all())

    def add(self, new: Iterable[Item]) -> None:
        rows = [
            {
                "key": each.key,
                "id": each.id,
                "place": each.place,
                "state": each.state,
                "rev": each.rev,
                "state_changes": each.state_changes,
                "created_at": each.created_at,
                "state_changed_at": each.state_changed_at,
            }
            for each in new
        ]
        add_rows(self._connection, items, rows)

    def add_texts(self, new: Iterable[tuple[ItemKey, Text]]) -> None:
        rows = [
            {
                "key": key,
                "title": each.title,
                "body": each.body,
                "source": each.source,
                "proposed_by": each.proposed_by,
                "ratified_by": each.ratified_by,
                "amends": each.amends,
            }
            for key, each in new
        ]
        add_rows(self._connection, texts, rows)

    def add_place(self, key: ItemKey, name: str) -> None:
        self._connection.execute(insert(places).values(key=key, name=name))

    def rename_place(self, key: ItemKey, name: str) -> None:
        self._connection.execute(update(places).where(places.c.key == key).values(name=name))

    def set_state(self, keys: Sequence[ItemKey], state: str, at: Instant, *, raise_rev: bool = True) -> None:
        statement = update(items).values(
            state=state,
            state_changed_at=at,
            state_changes=items.c.state_changes + 1,
            **({"rev": items.c.rev + 1} if raise_rev else {}),
        )
        self._connection.execute(statement.where(items.c.key.in_(key_set(keys))))

    def set_place(self, keys: Sequence[ItemKey], place: ItemKey, *, raise_rev: bool) -> None:
        statement = update(items).values(place=place, **({"rev": items.c.rev + 1} if raise_rev else {}))
        self._connection.execute(statement.where(items.c.key.in_(key_set(keys))))

    def raise_rev(self, key: ItemKey) -> None:
        self._connection.execute(update(items).where(items.c.key == key).values(rev=items.c.rev + 1))

    def set_text(self, key: ItemKey, *, title: str, body: str) -> None:
        self._connection.execute(update(texts).where(texts.c.key == key).values(title=title, body=body))

    def set_ratified_by(self, keys: Sequence[ItemKey], principal: str) -> None:
        self._connection.execute(update(texts).where(texts.c.key.in_(keys)).values(ratified_by=principal))


def _path(place: int, around: int | None) -> tuple[ItemKey, ...]:
    if place == ROOT:
        return (ROOT,)
    return (ItemKey(place), ROOT) if not around else (ItemKey(place), ItemKey(around), ROOT)


def _item(row: Row[*tuple[Any, ...]]) -> Item:
    key, id_, place, state, rev, state_changes, created_at, state_changed_at, around = row[:9]
    return Item(key, id_, _path(place, around), state, rev, state_changes, created_at, state_changed_at)


def _document(row: Row[*tuple[Any, ...]]) -> Document:
    return Document(_item(row), Text(*row[9:15]))
