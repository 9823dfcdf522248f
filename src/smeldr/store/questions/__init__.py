"""What can be asked about damage, as statements: each finds the rows that a code of the doctor is about.

They take the register for what it may be, so each says what becomes of a row whose other side is missing. What is told
of a row, and what is done about it, is not for here. A file for each subject; those that stand in several are terms.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Select

from smeldr.store.questions import conditions, items, kept, people, relations, told

QUESTIONS: Final[Mapping[str, Sequence[Select[Any]]]] = {
    **conditions.QUESTIONS,
    **relations.QUESTIONS,
    **items.QUESTIONS,
    **told.QUESTIONS,
    **people.QUESTIONS,
    **kept.QUESTIONS,
}
"""By code, the statements whose rows together are the answer. The columns are in the contract."""

LEFT_OVER: Final = kept.LEFT_OVER
