"""A register damaged in one way each, by the code that the doctor has for it: a file for each subject."""

from __future__ import annotations

from tests.operations.checkup.damages import conditions, history, items, kept, people, relations
from tests.operations.checkup.damages.register import DAMAGES, Damage, Damaged

__all__ = ["DAMAGES", "Damage", "Damaged", "conditions", "history", "items", "kept", "people", "relations"]
