"""Questions about grants and tokens that count for nobody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, exists, not_, or_, select

from smeldr.store.questions.terms import Condition, no_place
from smeldr.store.schema import grants, principals, tokens


def _nobody(principal: ColumnElement[str]) -> Condition:
    return not_(exists().where(principals.c.id == principal))


QUESTIONS: Final[Mapping[str, Sequence[Select[Any]]]] = {
    "grant-orphaned": [
        select(grants.c.id, grants.c.principal, grants.c.right, grants.c.place)
        .where(grants.c.revoked_at.is_(None), or_(no_place(grants.c.place), _nobody(grants.c.principal)))
        .order_by(grants.c.id)
    ],
    "token-orphaned": [
        select(tokens.c.id, tokens.c.principal)
        .where(tokens.c.revoked_at.is_(None), _nobody(tokens.c.principal))
        .order_by(tokens.c.id)
    ],
}
