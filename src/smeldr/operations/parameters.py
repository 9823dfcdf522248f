"""The parameters that many operations share, each with its bounds and its description.

What a parameter may be is said here and nowhere else; whether the item that it names exists is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, PlainValidator, WithJsonSchema

from smeldr.model.instants import Instant, parse_instant
from smeldr.model.items import ITEM_TYPES, PREFIXES, ROOT, ItemType, Reference, parse_reference, type_of
from smeldr.model.states import State
from smeldr.model.texts import MAX_BODY, MAX_NAME, MAX_REASON, MAX_SOURCE, MAX_TITLE, line_problem, text_problem

MAX_PAGE: Final = 200
DEFAULT_PAGE: Final = 50
MAX_OFFSET: Final = 1_000_000_000
MAX_REQUEST_KEY: Final = 64
"""Characters in a `request_key`."""

_ID: Final = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_MAX_REFERENCE: Final = 36
_MAX_INSTANT: Final = 40
_RFC_3339: Final = re.compile(r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})", re.ASCII)


def _judged(problem: Callable[[str, int], str | None], longest: int) -> AfterValidator:
    def check(text: str) -> str:
        if why := problem(text, longest):
            raise ValueError(why)
        return text

    return AfterValidator(check)


def _schema(description: str, pattern: str, longest: int) -> WithJsonSchema:
    return WithJsonSchema(
        {
            "type": "string",
            "pattern": f"^(?:{pattern})$",
            "minLength": 2,
            "maxLength": longest,
            "description": description,
        }
    )


def _reference(description: str, *types: ItemType, root: bool = False) -> tuple[PlainValidator, WithJsonSchema]:
    """An item of one of these types, by its address in any case or by its id."""
    prefixes = [PREFIXES[each] for each in types]
    shapes = [f"{prefix}1" for prefix in prefixes] + (["ROOT"] if root else [])
    expected = f"expected an address such as {' or '.join(shapes)}, or an id (UUID)"

    def check(value: Any) -> Reference:
        if not isinstance(value, str):
            raise ValueError(expected)
        try:
            found = parse_reference(value)
        except ValueError:
            raise ValueError(expected) from None
        if found.key is not None and not (root if found.key == ROOT else type_of(found.key) in types):
            raise ValueError(expected)
        return found

    letters = "|".join("".join(f"[{letter}{letter.lower()}]" for letter in prefix) for prefix in prefixes)
    pattern = f"(?:{letters})[1-9][0-9]{{0,11}}|{'[Rr][Oo][Oo][Tt]|' if root else ''}{_ID}"
    return PlainValidator(check), _schema(description, pattern, _MAX_REFERENCE)


def _uuid(value: Any) -> str:
    if isinstance(value, str) and len(value) == _MAX_REFERENCE:
        try:
            return parse_reference(value).text
        except ValueError:
            pass
    raise ValueError("expected an id (UUID)")


def _instant(value: Any) -> Instant:
    if isinstance(value, str) and len(value) <= _MAX_INSTANT and _RFC_3339.fullmatch(value):
        try:
            return parse_instant(value.upper())
        except (ValueError, OverflowError):
            pass
    raise ValueError("expected an instant with its time zone (RFC 3339), such as 2026-01-31T09:30:00Z")


DecisionRef = Annotated[Reference, *_reference("A Decision, by its address (D1) or its id.", "Decision")]
AmendmentRef = Annotated[Reference, *_reference("An Amendment, by its address (A1) or its id.", "Amendment")]
SignalRef = Annotated[Reference, *_reference("A Signal, by its address (SIG1) or its id.", "Signal")]
DomainRef = Annotated[Reference, *_reference("A Domain, by its address (DOM1) or its id.", "Domain")]
AreaRef = Annotated[Reference, *_reference("An Area, by its address (ARE1) or its id.", "Area")]
PlaceRef = Annotated[
    Reference,
    *_reference("A place: a Domain (DOM1), an Area (ARE1), by address or id, or ROOT.", "Area", "Domain", root=True),
]
PlainPlaceRef = Annotated[
    Reference, *_reference("A Domain (DOM1) or an Area (ARE1), by its address or its id.", "Area", "Domain")
]
ItemRef = Annotated[Reference, *_reference("An item, by its address or its id.", *ITEM_TYPES)]
TypeName = Annotated[ItemType, Field(description="The type of the item.")]

Id = Annotated[str, PlainValidator(_uuid), _schema("An id (UUID).", _ID, _MAX_REFERENCE)]
InstantParameter = Annotated[
    Instant,
    PlainValidator(_instant),
    WithJsonSchema(
        {
            "type": "string",
            "format": "date-time",
            "maxLength": _MAX_INSTANT,
            "description": "An instant with its time zone (RFC 3339).",
        }
    ),
]


def listed(value: Any) -> Any:
    """One value in the place of a list stands for a list of one."""
    return value if value is None or isinstance(value, list) else [value]


def _length(longest: int) -> dict[str, Any]:
    return {"minLength": 1, "maxLength": longest}


def _text(longest: int, description: str) -> tuple[AfterValidator, Any]:
    return _judged(text_problem, longest), Field(description=description, json_schema_extra=_length(longest))


def _line(longest: int, description: str) -> tuple[AfterValidator, Any]:
    return _judged(line_problem, longest), Field(description=description, json_schema_extra=_length(longest))


Title = Annotated[str, *_line(MAX_TITLE, "One line that says what was decided.")]
Body = Annotated[str, *_text(MAX_BODY, "The text: what was decided and why. Kept exactly as given.")]
Reason = Annotated[str, *_text(MAX_REASON, "Why. It is kept on record.")]
Name = Annotated[str, *_line(MAX_NAME, "A name for people to read.")]
Source = Annotated[str, *_line(MAX_SOURCE, "Where it comes from: a name or an address outside the register.")]

RequestKey = Annotated[
    Annotated[str, _judged(line_problem, MAX_REQUEST_KEY), Field(json_schema_extra=_length(MAX_REQUEST_KEY))] | None,
    Field(description="A key of your own: the same call sent again with it within 24 hours changes nothing twice."),
]

Rev = Annotated[int, Field(ge=1, le=2**31 - 1, description="The rev that you have read; a stale one is refused.")]
Limit = Annotated[int, Field(ge=1, le=MAX_PAGE, description="The most entries of the page.")]
Offset = Annotated[int, Field(ge=0, le=MAX_OFFSET, description="How many entries to leave out before the page.")]
StateFilter = Annotated[State, Field(description="Only those in this state.")]
Direction = Annotated[
    Literal["incoming", "outgoing", "both"],
    Field(description="Relations that come in, that go out, or both."),
]
