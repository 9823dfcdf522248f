"""The register as its doors see it: call an operation by name, with a token, and get a reply or a refusal.

One call is one transaction: who calls and what they hold is read in it, the change, its conditions and its history
are written in it. Time is taken when the transaction holds its lock. A call that the database let go of is made again
(again.py). What an operation does is in its own file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from smeldr.model.entries import OPERATOR, SYSTEM
from smeldr.model.errors import Refusal, conflict
from smeldr.model.instants import Instant, instant, later
from smeldr.model.items import ROOT
from smeldr.model.records import Connections, Principal, UsedKey
from smeldr.model.rights import RIGHTS
from smeldr.operations import conditions
from smeldr.operations.access import hash_of
from smeldr.operations.again import again
from smeldr.operations.call import REQUEST_KEY_HOURS, Call, Check, Policy, check_again, moment
from smeldr.operations.faults import told
from smeldr.operations.observing import UNKNOWN, Observer, Unobserved, caller_is, observed
from smeldr.operations.registry import OPERATIONS, Operation
from smeldr.operations.state_of import State, state_of
from smeldr.operations.sweep import SweepReply, run_sweep, sweep
from smeldr.rules.access import Access, access
from smeldr.store.contract import Store, StoreUnusable, Unit

_SHOWN_ONCE = frozenset({"token"})
_EVERYTHING = Access({right: frozenset({ROOT}) for right in RIGHTS})


def utc_now() -> datetime:
    """The time by the machine's clock."""
    return datetime.now(UTC)


class Register:
    """One register. Every method blocks, and may be called from many threads at once."""

    def __init__(
        self,
        store: Store,
        policy: Policy,
        clock: Callable[[], datetime] = utc_now,
        observer: Observer = Unobserved(),  # noqa: B008 - it holds nothing
    ) -> None:
        self.store = store
        self.policy = policy
        self._clock = clock
        self._observer = observer

    def call(self, name: str, arguments: Mapping[str, Any], token: str | None) -> dict[str, Any]:
        """Do what the operation of this name does.

        Raises:
            Refusal: with any code; nothing was changed, unless it says that nobody knows.
        """
        return observed(self._observer, name, partial(self._call, name, arguments, token))

    def authenticate(self, token: str | None) -> None:
        """Raises Refusal `unauthorized` unless the token counts now."""
        with told(doing="authenticate"):
            again(lambda: self._authenticate(token), lambda: None)

    def require_administrator(self, token: str | None) -> None:
        """Raises Refusal `unauthorized` or `forbidden` unless the token counts and its principal administers ROOT."""
        with told(doing="require_administrator"):
            again(lambda: self._require_administrator(token), lambda: None)

    def state(self) -> State:
        """What whoever runs the register keeps an eye on, right or no right. Raises Refusal `busy` or `internal`.

        It is asked once, for whoever watches asks again.
        """
        with told(doing="state"), self.store.read() as unit:
            return state_of(unit, self._now())

    def connections(self) -> Connections:
        """How many connections to the database this process holds. Waits for nobody."""
        return self.store.connections()

    def ready(self) -> bool:
        """Whether the store answers and is at the newest revision."""
        try:
            self.store.check()
        except (StoreUnusable, Refusal):
            return False
        return True

    def sweep(self) -> SweepReply:
        """Run the sweep, as its schedule does. It is observed as the call that does the same."""
        told_again = partial(self._observer.retried, run_sweep.__name__)
        return observed(self._observer, run_sweep.__name__, lambda: again(self._sweep, told_again))

    def _sweep(self) -> SweepReply:
        with self.store.read() as unit:
            return sweep(self._local(unit, SYSTEM, None, moment(unit, self._now)))

    @contextmanager
    def looking(self) -> Iterator[Call]:
        """One snapshot for whoever holds the database: shows anything, and nothing written to it is kept."""
        with self.store.read() as unit:
            yield self._local(unit, OPERATOR, None, self._now())

    @contextmanager
    def locally(self, tool: str) -> Iterator[Call]:
        """A write by whoever holds the database: may do anything, and is entered as the operator's."""
        with self.store.write() as unit:
            call = self._local(unit, OPERATOR, tool, moment(unit, self._now))
            yield call
            conditions.reconcile(call)
            call.flush()

    def _call(self, name: str, arguments: Mapping[str, Any], token: str | None) -> dict[str, Any]:
        found = OPERATIONS.get(name)
        told_again = partial(self._observer.retried, found.name if found else UNKNOWN)
        try:
            if found is None:
                raise Refusal("not_found", f"there is no tool {name[:100]}")
            values = found.read(arguments)
        except Refusal:
            again(lambda: self._authenticate(token), told_again)
            raise
        if not found.changes:
            return again(lambda: self._read(found, values, token), told_again)
        key = values.pop("request_key", None)
        used = _Used(key, found.name, arguments) if key else None
        if found.own_transactions:
            return again(lambda: self._in_own_transactions(found, values, token, used), told_again)
        return again(lambda: self._write(found, values, token, used), told_again)

    def _read(self, found: Operation, values: Mapping[str, Any], token: str | None) -> dict[str, Any]:
        with self.store.read() as unit:
            call = self._begin(unit, token, found.name, self._now())
            return dict(found.function(call, **values))

    def _write(
        self, found: Operation, values: Mapping[str, Any], token: str | None, used: _Used | None
    ) -> dict[str, Any]:
        with self.store.write() as unit:
            call = self._begin(unit, token, found.name, moment(unit, self._now))
            if used and (former := used.former(call)) is not None:
                return former
            reply = dict(found.function(call, **values))
            conditions.reconcile(call)
            call.flush()
            if used:
                used.remember(call, reply)
            return reply

    def _in_own_transactions(
        self, found: Operation, values: Mapping[str, Any], token: str | None, used: _Used | None
    ) -> dict[str, Any]:
        with self.store.read() as unit:
            call = self._begin(unit, token, found.name, moment(unit, self._now))
            if used and (former := used.former(call)) is not None:
                return former
            reply = dict(found.function(call, **values))
        if used:
            with self.store.write() as unit:
                used.remember(call, reply, unit)
        return reply

    def _authenticate(self, token: str | None) -> None:
        with self.store.read() as unit:
            self._bearer(unit, token, self._now())

    def _require_administrator(self, token: str | None) -> None:
        with self.store.read() as unit:
            self._begin(unit, token, None, self._now()).require_root()

    def _begin(self, unit: Unit, token: str | None, tool: str | None, now: Instant) -> Call:
        principal = self._bearer(unit, token, now)
        caller_is(principal.id)
        held = access(
            unit.access.rights(principal.id, now),
            principal.principal_class,
            agents_ratify=self.policy.allow_agent_ratify,
        )
        return Call(unit, principal, held, now, self.policy, tool, self.store, self._now)

    def _local(self, unit: Unit, who: str, tool: str | None, now: Instant) -> Call:
        principal = Principal(who, who, who, True, now)  # type: ignore[arg-type]
        return Call(unit, principal, _EVERYTHING, now, self.policy, tool, self.store, self._now)

    def _bearer(self, unit: Unit, token: str | None, now: Instant) -> Principal:
        found = unit.access.bearer(hash_of(token), now) if token else None
        if found is None:
            raise Refusal(
                "unauthorized", "this takes a bearer token that counts: none, an unknown or a former one came"
            )
        return found[0]

    def _now(self) -> Instant:
        return instant(self._clock())


class _Used:
    """A call that carries a request key."""

    def __init__(self, key: str, tool: str, arguments: Mapping[str, Any]) -> None:
        said = {name: value for name, value in arguments.items() if name != "request_key"}
        self.key, self.tool = key, tool
        self.digest = hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()

    def former(self, call: Call) -> dict[str, Any] | None:
        """What the same call answered when it first succeeded, if that counts still; rights are judged anew.

        Raises:
            Refusal: `conflict` when the key stands for another call; what the rights say now.
        """
        used = call.unit.keys.get(call.principal.id, self.key)
        if used is None or used.at <= later(call.now, -timedelta(hours=REQUEST_KEY_HOURS)):
            return None
        if (used.tool, used.digest) != (self.tool, self.digest):
            raise conflict("this request_key stands for another call")
        check_again(call, [Check(key, tuple(rights), *what) for key, rights, *what in json.loads(used.checks)])
        reply: dict[str, Any] = json.loads(used.reply)
        return reply

    def remember(self, call: Call, reply: Mapping[str, Any], unit: Unit | None = None) -> None:
        """Keep the reply, without what is shown only once."""
        kept = {name: value for name, value in reply.items() if name not in _SHOWN_ONCE}
        checks = list(dict.fromkeys((each.key, each.rights, each.what) for each in call.checks))
        (unit or call.unit).keys.put(
            UsedKey(call.principal.id, self.key, self.tool, self.digest, json.dumps(checks), json.dumps(kept), call.now)
        )
