"""The product and the model side by side: every call goes to both, and both must answer alike.

Ids and instants are the product's own; they are dropped or mapped to the model's handles before answers are compared.
This file says nothing about what an answer should be: the model does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from smeldr.model.errors import Refusal
from smeldr.operations.register import Register
from smeldr.settings import Settings
from smeldr.wiring import open_register
from tests.model import Model, ModelRefusal

Reply = dict[str, Any]
Arguments = Mapping[str, Any]

ABSENT = "01890000-0000-7000-8000-000000000000"
"""An id that no product makes, for a handle that the model does not know."""

HANDLE = re.compile(r"[PTGR][0-9]+")
END = {"type", "id", "address"}
LEFT_OUT = {"granted_by", "settings", "token"}


class Clock:
    """The time of both worlds: it starts now, after the register was made, and only moves when told to."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, time: timedelta) -> None:
        """Let time pass."""
        self.now += time


def is_id(value: Any) -> bool:
    """The value is an id of the product."""
    try:
        return isinstance(value, str) and len(value) == 36 and bool(UUID(value))
    except ValueError:
        return False


@dataclass
class World:
    """One register twice, and what each calls the other's principals, tokens, grants and relations.

    `agree` is false from the first answer that differed.
    """

    register: Register
    clock: Clock
    model: Model
    tokens: dict[str, str]
    ids: dict[str, str]
    handles: dict[str, str] = field(default_factory=dict)
    item_ids: dict[str, str] = field(default_factory=dict)
    agree: bool = True

    def __post_init__(self) -> None:
        self.handles = {identity: handle for handle, identity in self.ids.items()}
        self.model.now = self.clock.now

    # calls -------------------------------------------------------------------------------------------------------

    def call(self, token: str, tool: str, arguments: Arguments, by_id: bool = False) -> Reply | None:
        """Call both; the model's reply, or None when both refused with the same code."""
        self.agree = False
        self.model.now = self.clock.now
        refusal, reply = self.product(token, tool, self.for_product(arguments, by_id))
        if reply is not None:
            self.take_number(tool, reply)
        said, expected = self.modelled(token, tool, arguments)
        expected_code, code = (said.code if said else None), (refusal.code if refusal else None)
        assert expected_code == code, f"{tool} {arguments}: expected {said or expected}, got {refusal or reply}"
        if expected is None or reply is None:
            self.agree = True
            return None
        self.learn(expected, reply)
        if tool == "create_token" and "token" in reply:
            self.tokens[expected["id"]] = reply["token"]
        shown = comparable(tool, projected(reply, self.handles), expected)
        assert expected == shown, f"{tool} {arguments}: {difference(expected, shown)}"
        self.agree = True
        return expected

    def write(self, token: str, tool: str, arguments: Arguments, by_id: bool = False) -> Reply | None:
        """Call both with something that may change them, then see that the conditions are those of the rules."""
        done = self.call(token, tool, arguments, by_id)
        if done is not None:
            self.agree = False
            self.match_relations()
            self.match_signals()
            self.agree = True
        return done

    def product(self, token: str, tool: str, arguments: Arguments) -> tuple[Refusal | None, Reply | None]:
        """What the product answers: a refusal or a reply."""
        try:
            return None, self.register.call(tool, arguments, self.tokens[token])
        except Refusal as refusal:
            return refusal, None

    def modelled(self, token: str, tool: str, arguments: Arguments) -> tuple[ModelRefusal | None, Reply | None]:
        """What the model answers: a refusal or a reply."""
        try:
            return None, self.model.call_with(token, tool, arguments)
        except ModelRefusal as refusal:
            return refusal, None

    def owner(self, tool: str, **arguments: Any) -> Reply:
        """A call of the owner's that is expected to work, on the product alone."""
        refusal, reply = self.product(self.model.owner_token, tool, arguments)
        assert reply is not None, f"{tool} {arguments}: {refusal}"
        return reply

    def everything(self, tool: str, plural: str, **arguments: Any) -> list[Reply]:
        """Every entry of a list, as the owner sees it in the product, page by page."""
        found: list[Reply] = []
        while True:
            page = self.owner(tool, limit=200, offset=len(found), **arguments)
            found += page[plural]
            if not page[plural] or len(found) >= page["total"]:
                return found

    # from the model's words to the product's, and back -------------------------------------------------------------

    def for_product(self, arguments: Arguments, by_id: bool) -> Reply:
        """The arguments with ids in place of handles, and of addresses too when `by_id`."""

        def translated(name: str, value: Any) -> Any:
            if isinstance(value, list):
                return [translated(name, each) for each in value]
            if isinstance(value, dict):
                return {key: translated(key, each) for key, each in value.items()}
            if name in ("id", "principal") and isinstance(value, str) and HANDLE.fullmatch(value):
                return self.ids.get(value, ABSENT)
            if by_id and name not in ("title", "body", "reason", "name", "after") and isinstance(value, str):
                return self.item_ids.get(value, value)
            return value

        return {name: translated(name, value) for name, value in arguments.items()}

    def take_number(self, tool: str, reply: Reply) -> None:
        """Let the model use the number that the product used: numbers need not be without gaps."""
        if tool in ("propose_decision", "propose_amendment", "create_domain", "create_area"):
            prefix, number = re.fullmatch(r"([A-Z]+)([0-9]+)", reply["address"]).groups()  # type: ignore[union-attr]
            known = f"{prefix}{number}" in self.model.state.items
            if not known:
                assert int(number) > self.model.state.numbers.get(prefix, 0), "numbers are never reused"
                self.model.state.numbers[prefix] = int(number) - 1

    def learn(self, expected: Any, reply: Any) -> None:
        """Remember which of the product's ids stands for which handle, reading two replies side by side."""
        if isinstance(reply, dict):
            if is_id(reply.get("id")):
                if "address" in reply:
                    self.item_ids[reply["address"]] = reply["id"]
                elif isinstance(expected, dict) and HANDLE.fullmatch(str(expected.get("id"))):
                    self.bind(expected["id"], reply["id"])
            for name, value in reply.items():
                self.learn(expected.get(name) if isinstance(expected, dict) else None, value)
        if isinstance(reply, list):
            for each in reply:
                self.learn(None, each)

    def bind(self, handle: str, identity: str) -> None:
        """Say that a handle and an id are the same thing; they stay so."""
        known = self.handles.setdefault(identity, handle), self.ids.setdefault(handle, identity)
        assert (handle, identity) == known, f"{handle} and {identity} are other things"

    # what the contract leaves to the product: ids, and the order of what one call makes ------------------------------

    def match_relations(self) -> None:
        """Give every relation that is new in the product the handle of the model's."""
        for relation in self.everything("list_relations", "relations", include_ended=True):
            if relation["id"] in self.handles:
                continue
            ends = {relation["source"], relation["target"]}
            same = [
                r["id"]
                for r in self.model.state.relations.values()
                if r["kind"] == relation["kind"] and {r["source"], r["target"]} == ends and r["id"] not in self.ids
            ]
            assert same, f"the product has a relation that nobody recorded: {relation}"
            self.bind(same[0], relation["id"])
        unknown = set(self.model.state.relations) - set(self.ids)
        assert not unknown, f"relations that the product lacks: {[self.model.state.relations[r] for r in unknown]}"

    def match_signals(self) -> None:
        """Open conditions equal what the rules say; the model takes the addresses of the product's new ones."""
        seen = {s["address"] for s in self.model.state.of_type("Signal") if s["address"] in self.item_ids}
        opened: dict[tuple[str, str, str], str] = {}
        for listed in self.everything("list_signals", "signals", state="all"):
            if listed["address"] not in seen:
                signal = self.owner("get_signal", id=listed["address"])
                key = signal["type"], signal["about"], signal.get("premise") or signal["other"]
                assert key not in opened, f"opened twice: {key}"
                opened[key] = signal["address"]
                self.item_ids[signal["address"]] = signal["id"]
        new = {
            (s["condition"], s["about"], s["other"]): s["address"]
            for s in self.model.state.of_type("Signal")
            if s["address"] not in seen
        }
        assert set(new) == set(opened), f"should have opened: {set(new)}; opened: {set(opened)}"
        self.model.readdress_signals({new[key]: opened[key] for key in new})


def projected(reply: Any, handles: Mapping[str, str]) -> Any:
    """A reply in the model's words: handles for ids, addresses for items, no instants."""
    if isinstance(reply, list):
        return [projected(each, handles) for each in reply]
    if not isinstance(reply, dict):
        return handles.get(reply, reply) if is_id(reply) else reply
    if set(reply) == END:
        return reply["address"]
    shown = {
        name: projected(value, handles)
        for name, value in reply.items()
        if not name.endswith("_at") and name not in LEFT_OUT and not (name == "id" and "address" in reply)
    }
    return shown | ({"counted": True} if "counted_at" in reply else {})


UNORDERED: dict[str, Callable[[Reply], Any]] = {
    "relations": lambda entry: entry["id"],
    "grants": lambda entry: entry["id"],
    "tokens": lambda entry: entry["id"],
    "principals": lambda entry: entry["id"],
    "places": lambda entry: entry["address"],
    "moves": str,
    "closed": str,
}
"""Lists whose order the contract settles by instants and ids, or not at all."""


def difference(expected: Any, shown: Any, where: str = "") -> str:
    """Where two answers differ first, and how."""
    if isinstance(expected, dict) and isinstance(shown, dict):
        for name in sorted({*expected, *shown}):
            if expected.get(name, "absent") != shown.get(name, "absent"):
                return difference(expected.get(name, "absent"), shown.get(name, "absent"), f"{where}.{name}")
    if isinstance(expected, list) and isinstance(shown, list) and len(expected) == len(shown):
        for index, (one, other) in enumerate(zip(expected, shown, strict=True)):
            if one != other:
                return difference(one, other, f"{where}[{index}]")
    return f"{where}: expected {expected}, got {shown}"


def comparable(tool: str, shown: Reply, expected: Reply) -> Reply:
    """The projected reply, with lists that have no order of their own put into the model's order."""
    result = dict(shown)
    for name, key in UNORDERED.items():
        if isinstance(expected.get(name), list) and isinstance(shown.get(name), list):
            one, other = sorted(expected[name], key=key), sorted(shown[name], key=key)
            assert one == other, f"{tool}: {difference(one, other, name)}"
            result[name] = expected[name]
    return result


def open_world(database: str, token: str, owner_id: str) -> World:
    """A world on the database of a fresh register, whose owner has this token and id."""
    model, clock = Model(), Clock()
    opened = open_register(Settings(database=database))
    register = Register(opened.store, opened.policy, clock)
    world = World(register, clock, model, {model.owner_token: token}, {model.owner: owner_id})
    for listed in world.everything("list_tokens", "tokens"):
        world.bind(model.owner_token, listed["id"])
    for listed in world.everything("list_grants", "grants"):
        same = [g for g in model.state.grants.values() if g["right"] == listed["right"]]
        world.bind(same[0]["id"], listed["id"])
    return world
