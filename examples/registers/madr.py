"""A folder of MADR records, one a file named `0007-short-title.md`, read as the records of an import file.

The head of a record (its front matter, or the `Status: ...` lines before the first section) says its status and date,
and may say `grounded_in`, `addresses`, `supersedes` and `superseded by`, each followed by the numbers of other records
or links to them. A link in the running text is a link, not a relation. The whole text becomes the body.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_FILE: Final = re.compile(r"(\d{4})-.+\.md")
_FRONT_MATTER: Final = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_FIELD: Final = re.compile(r"^(?:[*-] +)?\**([A-Za-z][A-Za-z _-]*?)\**:\**[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_SECTION: Final = re.compile(r"^## +", re.MULTILINE)
_STATUS_SECTION: Final = re.compile(r"^## +Status\s+(.+?)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_TITLE: Final = re.compile(r"^# +(?:ADR[- ]?)?(?:\d+[.:]? +)?(.+?)[ \t]*$", re.MULTILINE)
_NUMBER: Final = re.compile(r"(?<!\d)(\d{4})(?![\d]|-\d\d(?!\d))")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")

_STATES: Final[Mapping[str, str]] = {
    "draft": "proposed",
    "proposed": "proposed",
    "accepted": "ratified",
    "rejected": "archived",
    "deprecated": "retired",
    "superseded": "superseded",
}
_RELATIONS: Final[Mapping[str, str]] = {
    "rests on": "grounded_in",
    "grounded in": "grounded_in",
    "addresses": "addresses",
    "supersedes": "supersedes",
}


@dataclass(frozen=True)
class Adr:
    """One record: its number as written, its state, and the relations that its head states, as (kind, from, to)."""

    number: str
    title: str
    body: str
    state: str
    date: str | None
    relations: tuple[tuple[str, str, str], ...]


def read_folder(folder: Path) -> list[Adr]:
    """Read the records of a folder in the order of their numbers.

    Raises ValueError naming the record whose status nobody knows, or that names one that is not there.
    """
    paths = sorted(path for path in folder.iterdir() if _FILE.fullmatch(path.name))
    records = [_read(path) for path in paths]
    known = {record.number for record in records}
    for record in records:
        for _, *ends in record.relations:
            if missing := set(ends) - known:
                raise ValueError(f"record {record.number} names record {missing.pop()}, which is not in {folder.name}")
    return records


def convert(records: list[Adr], domain: str) -> list[dict[str, Any]]:
    """The records of an import file: one Domain of that name, the Decisions in it, their relations."""
    states = {record.number: record.state for record in records}
    relations: dict[tuple[str, str, str], None] = {}
    for record in records:
        for kind, source, target in record.relations:
            replaced = states[target] == "superseded" and states[source] not in ("proposed", "archived")
            kept = "addresses" if kind == "supersedes" and not replaced else kind
            if source != target:
                relations[kept, source, target] = None
    return [
        {"type": "Domain", "ref": "records", "name": domain},
        *(_decision(record) for record in records),
        *(
            {"relation": kind, "source": f"ADR-{source}", "target": f"ADR-{target}"}
            for kind, source, target in sorted(relations, key=lambda each: (each[1], each[0], each[2]))
        ),
    ]


def _decision(record: Adr) -> dict[str, Any]:
    return {
        "type": "Decision",
        "ref": f"ADR-{record.number}",
        "title": record.title,
        "body": record.body,
        "state": record.state,
        "place": "records",
        "created_at": f"{record.date}T00:00:00Z" if record.date else None,
    }


def _read(path: Path) -> Adr:
    number = path.name[:4]
    text = path.read_text(encoding="utf-8-sig")
    front = _FRONT_MATTER.match(text)
    body = text[front.end() :] if front else text
    head = _head(front[1] if front else _SECTION.split(body, maxsplit=1)[0])
    section = _STATUS_SECTION.search(body)
    status = head.get("status") or (section[1] if section else "")
    word = re.split(r"\W+", status.lower().strip("*_ \"'"), maxsplit=1)[0]
    if word not in _STATES:
        raise ValueError(f"{path.name}: the status {status!r} is none of {', '.join(_STATES)}")
    title = _TITLE.search(body)
    dated = _DAY.search(head.get("date", ""))
    return Adr(
        number,
        title[1] if title else path.stem[5:].replace("-", " "),
        body.strip(),
        _STATES[word],
        dated[0] if dated else None,
        tuple(_stated(number, head, status)),
    )


def _head(text: str) -> dict[str, str]:
    """The fields by name; a value that goes on as a list keeps its items."""
    unfolded = re.sub(r"\n[ \t]+(?:[*-] +)?", " ", text)
    return {re.sub(r"[ _-]+", " ", name).lower(): value for name, value in _FIELD.findall(unfolded)}


def _stated(number: str, head: Mapping[str, str], status: str) -> Iterator[tuple[str, str, str]]:
    for field, kind in _RELATIONS.items():
        for other in _NUMBER.findall(head.get(field, "")):
            yield kind, number, other
    if status.lower().lstrip("*_ \"'").startswith("superseded"):
        for other in _NUMBER.findall(status + " " + head.get("superseded by", "")):
            yield "supersedes", other, number
