"""Conditions that several questions put."""

from __future__ import annotations

from typing import Final

from sqlalchemy import ColumnElement, and_, exists, not_, or_

from smeldr.model.items import ROOT, ItemType, key_range
from smeldr.store.schema import items, relations, texts

Condition = ColumnElement[bool]

_there = items.alias("there")

LIVE: Final = relations.c.ended_at.is_(None)
DOCUMENTS: Final = items.join(texts, texts.c.key == items.c.key)


def of_type(key: ColumnElement[int], *types: ItemType) -> Condition:
    """That the key is one of items of these types, whether there is such an item or not."""
    ranges = (key_range(each) for each in sorted(types))
    return or_(*(and_(key >= first, key < beyond) for first, beyond in ranges))


def is_there(key: ColumnElement[int], *types: ItemType) -> Condition:
    """That an item of these types has the key."""
    return and_(of_type(key, *types), exists().where(_there.c.key == key))


def no_place(key: ColumnElement[int]) -> Condition:
    """That the key is neither ROOT nor that of a place that is there."""
    return and_(key != ROOT, not_(is_there(key, "Area", "Domain")))
