"""Somebody who calls a register in a test: a token, the calls it makes, the refusals it expects.

It knows one register and one token and nothing of rights: what a caller may do is up to the grants it was given.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from smeldr.model.errors import Refusal
from smeldr.operations.register import Register
from smeldr.settings import Settings
from smeldr.wiring import import_file

Rights = Mapping[str, Sequence[str]]
"""Place address -> the rights granted over it."""


@dataclass(frozen=True)
class Caller:
    """One principal with a live token; `id` is the principal's."""

    register: Register
    token: str
    id: str

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and give its reply. Raises Refusal when the register refuses."""
        return self.register.call(tool, arguments, self.token)

    def refused(self, code: str, tool: str, **arguments: Any) -> Refusal:
        """Call a tool that has to be refused with this code, and give the refusal."""
        with pytest.raises(Refusal) as raised:
            self.call(tool, **arguments)
        assert code == raised.value.code, raised.value
        return raised.value

    def ratified(self, title: str, **arguments: Any) -> str:
        """Propose and ratify a Decision, and give its address."""
        decision = self.call("propose_decision", title=title, body=f"{title}.", **arguments)
        self.call("ratify_decision", decision=decision["address"])
        return str(decision["address"])

    def messages(self, **filters: Any) -> list[str]:
        """The messages of the conditions that it sees, oldest first; the open ones unless `state` says otherwise."""
        return [signal["message"] for signal in self.call("list_signals", limit=200, **filters)["signals"]]


def principal(owner: Caller, name: str, cls: str = "person", rights: Rights | None = None) -> Caller:
    """Make a principal with a token, and grant it rights: `principal(owner, "Writer", rights={"ARE1": ["author"]})`."""
    made = owner.call("create_principal", name=name, **{"class": cls})
    token = owner.call("create_token", principal=made["id"])["token"]
    for place, granted in (rights or {}).items():
        for right in granted:
            owner.call("grant_right", principal=made["id"], right=right, place=place)
    return Caller(owner.register, token, made["id"])


def load(database: str, file: Path, *records: Mapping[str, Any]) -> None:
    """Import these records at once, for a test that needs many items; `file` is where to write them meanwhile."""
    file.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    import_file(Settings(database=database), file)


def resting(count: int, premise: str, state: str = "proposed", after: int = 0) -> Iterator[dict[str, Any]]:
    """The records of that many Decisions, `R1` and so on, and of their grounds in the premise of that ref."""
    for number in range(after + 1, after + count + 1):
        ref = f"R{number}"
        yield {"type": "Decision", "ref": ref, "title": f"Rests {number}", "body": "b", "state": state}
        yield {"relation": "grounded_in", "source": ref, "target": premise}
