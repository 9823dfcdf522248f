"""One JSON object of an import file, read as the record it is: a place, a Decision, an Amendment or a relation.

Which keys a record has, and what each may hold, is the table at the end. Nothing here knows of lines, files or the
record before. Source: docs/import-format.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from smeldr.model.imported import (
    IMPORTED_KINDS,
    MAX_REF,
    Imported,
    ImportedAmendment,
    ImportedDecision,
    ImportedPlace,
    ImportedRelation,
)
from smeldr.model.instants import Instant, parse_instant
from smeldr.model.states import AMENDMENT_MOVES, STATES
from smeldr.model.texts import MAX_BODY, MAX_NAME, MAX_REASON, MAX_TITLE, line_problem, text_problem

_SHOWN: Final = 60
_AMENDMENT_STATES: Final = tuple(
    state for state in STATES if any(state in (move.target, *move.sources) for move in AMENDMENT_MOVES.values())
)

_Check = Callable[[Any], Any]


@dataclass(eq=False)
class Fault(Exception):
    """What is wrong with one line; `field` is the key at fault, if it is one."""

    why: str
    field: str | None = None
    valid: tuple[str, ...] | None = None


@dataclass(frozen=True)
class _Shape:
    """The keys of one sort of record, each with the check of its value."""

    required: Mapping[str, _Check]
    optional: Mapping[str, _Check]
    make: Callable[..., Imported]

    @cached_property
    def checks(self) -> Mapping[str, _Check]:
        """Every key with its check."""
        return {**self.required, **self.optional}


def record(line: int, members: Mapping[str, Any]) -> Imported:
    """Read the members of an object. Raises Fault."""
    if "type" in members and "relation" in members:
        raise Fault('a record has a "type" or a "relation", not both')
    if "type" in members:
        return _item(line, members)
    if "relation" in members:
        return _relation(line, members)
    raise Fault('a record has a "type" (it is an item) or a "relation"')


def known_keys(members: Mapping[str, Any], required: tuple[str, ...], optional: tuple[str, ...]) -> None:
    """Refuse a key that nobody knows, then one that is missing. Raises Fault."""
    for name in members:
        if name not in required and name not in optional:
            raise Fault("unknown key", short(name), (*required, *optional))
    for name in required:
        if name not in members:
            raise Fault("missing", name)


def short(text: str) -> str:
    """The text for use in a message: printable, and not long."""
    safe = text.encode("unicode_escape").decode("ascii")
    return safe if len(safe) <= _SHOWN else f"{safe[:_SHOWN]}..."


def _item(line: int, members: Mapping[str, Any]) -> Imported:
    shape = _ITEMS[_checked("type", _one_of(*_ITEMS), members["type"])]
    values = _values(shape, members)
    if shape.make is not ImportedPlace:
        del values["type"]  # the class says it; a place is a Domain or an Area
    return shape.make(line=line, **values)


def _relation(line: int, members: Mapping[str, Any]) -> Imported:
    values = _values(_RELATION, members)
    if values["source"] == values["target"]:
        raise Fault("a Decision has no relation to itself", "target")
    return _RELATION.make(line=line, kind=values.pop("relation"), **values)


def _values(shape: _Shape, members: Mapping[str, Any]) -> dict[str, Any]:
    checks = shape.checks
    if not shape.required.keys() <= members.keys() <= checks.keys():
        known_keys(members, tuple(shape.required), tuple(shape.optional))
    return {name: _checked(name, checks[name], value) for name, value in members.items()}


def _checked(name: str, check: _Check, value: object) -> Any:
    try:
        return check(value)
    except Fault as fault:
        raise Fault(fault.why, name, fault.valid) from None


def _text(problem: Callable[[str, int], str | None], longest: int) -> _Check:
    def check(value: object) -> str:
        if not isinstance(value, str):
            raise Fault("must be text")
        if why := problem(value, longest):
            raise Fault(why)
        return value

    return check


def _one_of(*valid: str) -> _Check:
    def check(value: object) -> str:
        if not isinstance(value, str):
            raise Fault("must be text", valid=valid)
        if value not in valid:
            raise Fault(f'"{short(value)}" is not one of those there are', valid=valid)
        return value

    return check


def _moment(value: object) -> Instant:
    if not isinstance(value, str):
        raise Fault("must be text")
    try:
        return parse_instant(value)
    except (ValueError, OverflowError):
        raise Fault(f'"{short(value)}" is not an instant such as 2026-01-31T09:30:00Z') from None


_ref = _text(line_problem, MAX_REF)
_name = _text(line_problem, MAX_NAME)
_title = _text(line_problem, MAX_TITLE)
_body = _text(text_problem, MAX_BODY)
_dated: Final[Mapping[str, _Check]] = {"created_at": _moment, "reason": _text(text_problem, MAX_REASON)}

_RELATION: Final = _Shape(
    {"relation": _one_of(*IMPORTED_KINDS), "source": _ref, "target": _ref},
    {},
    ImportedRelation,
)
_ITEMS: Final[Mapping[str, _Shape]] = {
    "Domain": _Shape({"type": str, "ref": _ref, "name": _name}, {}, ImportedPlace),
    "Area": _Shape({"type": str, "ref": _ref, "name": _name, "domain": _ref}, {}, ImportedPlace),
    "Decision": _Shape(
        {"type": str, "ref": _ref, "title": _title, "body": _body, "state": _one_of(*STATES)},
        {"place": _ref, **_dated},
        ImportedDecision,
    ),
    "Amendment": _Shape(
        {
            "type": str,
            "ref": _ref,
            "amends": _ref,
            "title": _title,
            "body": _body,
            "state": _one_of(*_AMENDMENT_STATES),
        },
        _dated,
        ImportedAmendment,
    ),
}
