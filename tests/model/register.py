"""The model as a test sees it: call a tool as a principal, and get a reply or a refusal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from datetime import datetime, timedelta
from typing import Any

from tests.model import access, conditions, decisions, people, places, reach, relations, walks
from tests.model.call import Call, Replay
from tests.model.parameters import READS, WRITES, check_parameters
from tests.model.refusal import ModelRefusal
from tests.model.state import ROOT, Item, State

KEY_LASTS = timedelta(hours=24)


def list_relation_kinds(call: Call) -> Item:
    return {"kinds": [{"kind": kind} for kind in walks.KINDS]}


def all_tools() -> dict[str, Callable[[Call], Item]]:
    """Every tool by its name, from the module that models it."""
    modules = (decisions, relations, reach, places, people)
    tools = {name: getattr(m, name) for name in (*READS, *WRITES) for m in modules if hasattr(m, name)}
    return {**tools, "list_relation_kinds": list_relation_kinds}


TOOLS = all_tools()


class Model:
    """A register in a few dicts.

    `now` may be set at any time. `state` is open to a test that wants to look, or to hand out the numbers that the
    product has used (`state.numbers`, by address prefix).
    """

    def __init__(self, allow_agent_ratify: bool = False, count_cap: int = 1000) -> None:
        self.state = State(allow_agent_ratify=allow_agent_ratify, count_cap=count_cap)
        self.owner = self.state.next("P")
        self.owner_token = self.state.next("T")
        owner = {"id": self.owner, "name": "Owner", "class": "person", "active": True}
        self.state.principals[self.owner] = owner
        token = {"id": self.owner_token, "principal": self.owner, "expires_at": None, "revoked": False}
        self.state.tokens[self.owner_token] = token
        for right in ("read", "author", "ratify", "administer"):
            handle = self.state.next("G")
            grant = {"id": handle, "principal": self.owner, "right": right, "place": ROOT}
            self.state.grants[handle] = {**grant, "expires_at": None, "revoked": False}

    @property
    def now(self) -> datetime:
        """The instant at which calls are judged."""
        return self.state.now

    @now.setter
    def now(self, instant: datetime) -> None:
        self.state.now = instant

    def call_with(self, token: str, tool: str, arguments: Mapping[str, Any]) -> Item:
        """Call a tool with a token, which must be live."""
        known = self.state.tokens.get(token)
        if known is None or not access.token_is_live(self.state, known):
            raise ModelRefusal("unauthorized")
        return self.call(known["principal"], tool, arguments)

    def call(self, principal: str, tool: str, arguments: Mapping[str, Any]) -> Item:
        """Call a tool as a principal; raises `ModelRefusal` and then has changed nothing."""
        if principal not in self.state.principals or not self.state.principals[principal]["active"]:
            raise ModelRefusal("unauthorized")
        if tool not in TOOLS:
            raise ModelRefusal("not_found", tool)
        check_parameters(tool, arguments)
        if tool in READS:
            return deepcopy(TOOLS[tool](Call(self.state, principal, tool, arguments, None)))
        return self.write(principal, tool, arguments)

    def write(self, principal: str, tool: str, arguments: Mapping[str, Any]) -> Item:
        """A changing call: on a copy that takes the place of the state only when nothing was refused."""
        state, rest = deepcopy(self.state), dict(arguments)
        key = rest.pop("request_key", None)
        first = state.used_keys.get((principal, key)) if key else None
        if first is not None and state.now - first["at"] >= KEY_LASTS:
            first = None
        if first is not None and (first["tool"], first["arguments"]) != (tool, rest):
            raise ModelRefusal("conflict", "the key was used for something else")
        call = Call(state, principal, tool, rest, first)
        try:
            reply = deepcopy(TOOLS[tool](call))
        except Replay as replay:
            return deepcopy(replay.reply)
        conditions.settle(state)
        if key:
            used = {"tool": tool, "arguments": rest, "reply": reply, "at": state.now, "state_found": call.state_found}
            state.used_keys[principal, key] = used
        self.state = state
        return deepcopy(reply)

    def open_conditions(self) -> list[Item]:
        """Every open condition there is, whoever asks: `condition`, `about`, `other`, `message`, `address`."""
        return deepcopy(conditions.open_signals(self.state))

    def readdress_signals(self, new: Mapping[str, str]) -> None:
        """Give Signals the addresses that the product gave them, since the contract orders no openings of one call."""
        signals = self.state.of_type("Signal")
        for signal in signals:
            del self.state.items[signal["address"]]
        for signal in signals:
            signal["address"] = new.get(signal["address"], signal["address"])
            assert signal["address"] not in self.state.items, "two Signals of one address"
            self.state.items[signal["address"]] = signal
        self.state.numbers["SIG"] = max((int(a[3:]) for a in self.state.items if a.startswith("SIG")), default=0)

    def live_counts_at_sweep(self, principal: str, address: str) -> Item:
        """What the live count was at the last sweep, for a caller with the rights of now."""
        return reach.live_counts_at_sweep(self.state, principal, address)
