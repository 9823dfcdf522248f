"""What is particular to each register: the names of its records, what its statuses mean, where its places are listed.

The mapping that follows from it is the same for all of them, and is in mapping.py.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final


@dataclass(frozen=True)
class Place:
    """A Domain, or an Area of one; `inside` is the Domain's ref."""

    ref: str
    name: str
    inside: str | None = None


@dataclass(frozen=True)
class Source:
    """One register.

    `prefix` makes an id the name that people cite. A status of `waiting` waits for someone to act; one of `never` was
    put away without having been in force. `headers` lists archives that may lie beside the table: for each, the Domain
    it stands for and the header fields, first found wins, whose value names the Area.
    """

    name: str
    prefix: str
    domain: Place
    waiting: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()
    headers: Mapping[str, tuple[Place, tuple[str, ...]]] = field(default_factory=dict)


_EIPS: Final = Place("eips", "Ethereum Improvement Proposals")
_ERCS: Final = Place("ercs", "Ethereum Requests for Comment")
_PEPS: Final = Place("peps", "Python Enhancement Proposals")

SOURCES: Final[Mapping[str, Source]] = {
    source.name: source
    for source in (
        Source("rfcs", "RFC ", Place("rfcs", "Requests for Comments")),
        Source(
            "eips",
            "EIP-",
            _EIPS,
            waiting=frozenset({"Draft", "Review"}),
            never=frozenset({"Stagnant", "Withdrawn"}),
            headers={
                "eip-front-matter.tar.gz": (_EIPS, ("category", "type")),
                "erc-front-matter.tar.gz": (_ERCS, ()),
            },
        ),
        Source(
            "peps",
            "PEP ",
            _PEPS,
            waiting=frozenset({"Draft"}),
            never=frozenset({"Rejected", "Withdrawn", "Deferred", "April Fool!"}),
            headers={"pep-headers.tar.gz": (_PEPS, ("type",))},
        ),
        Source(
            "curie-adrs",
            "",
            Place("curie", "A team's architecture decision records"),
            waiting=frozenset({"Draft"}),
        ),
    )
}

_NUMBERED: Final = re.compile(r"(?:.*/)?(?:eip|erc|pep)-0*(\d+)\.\w+")
_HEADER: Final = re.compile(r"^(\w+):[ \t]*(.*?)[ \t]*$", re.MULTILINE)


def places_beside(table: Path, source: Source) -> dict[str, Place]:
    """Find the place of each record in the archives of headers beside its table; empty when there are none."""
    places: dict[str, Place] = {}
    for archive, (domain, fields) in source.headers.items():
        path = table.with_name(archive)
        if path.is_file():
            places = {**_places(path, domain, fields), **places}  # what two archives hold is where the first has it
    return places


def _places(archive: Path, domain: Place, fields: Iterable[str]) -> dict[str, Place]:
    places: dict[str, Place] = {}
    with tarfile.open(archive) as members:
        for member in members:
            numbered = _NUMBERED.fullmatch(member.name)
            file = members.extractfile(member) if numbered else None
            if numbered is None or file is None:
                continue
            found = _HEADER.findall(file.read().decode("utf-8", "replace"))
            header = {name.lower(): value for name, value in reversed(found)}
            if header.get("status") == "Moved":  # the record is in the other archive now
                continue
            area = next((header[name] for name in fields if header.get(name)), None)
            places[numbered[1]] = Place(f"{domain.ref}/{area.lower()}", area, domain.ref) if area else domain
    return places
