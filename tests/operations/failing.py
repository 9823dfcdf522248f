"""Ways for a call to fail inside, on purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest

from smeldr.model.items import ItemKey
from smeldr.model.records import Text
from smeldr.store.items import Items


def failing(error: BaseException) -> Callable[..., Any]:
    """A function that takes anything and raises this."""

    def fail(*_: Any, **__: Any) -> Any:
        raise error

    return fail


def keep_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the database refuse every new text: a row that lacks what it must have."""
    add = Items.add_texts

    def incomplete(items: Items, new: Iterable[tuple[ItemKey, Text]]) -> None:
        add(items, [(key, replace(text, proposed_by=None)) for key, text in new])  # type: ignore[arg-type]

    monkeypatch.setattr(Items, "add_texts", incomplete)
