"""Random writes by random callers, played through the product and the model at once.

What a write answers is compared at once, and so are the open conditions after it; everything that everybody may read
is compared now and then, and at the end of every run.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from tests.model.state import ROOT
from tests.properties import comparing
from tests.properties.world import World

PEOPLE = {"one": "person", "two": "person", "three": "person", "four": "agent", "five": "agent"}
RIGHTS = ("read", "author", "ratify", "administer")

CALLERS = st.sampled_from(["owner", "owner", "owner", *PEOPLE])
"""The owner calls more often than the others, so that much of what is tried is also done."""

LIMITED = st.sampled_from([*PEOPLE])
PLACES = st.sampled_from([ROOT, "DOM1", "DOM2", "ARE1", "ARE2", "ARE3"])
AREAS = st.sampled_from(["ARE1", "ARE2", "ARE3"])
DOMAINS = st.sampled_from(["DOM1", "DOM2"])
REVS = st.sampled_from([None, None, None, 0, 1])
"""None: no rev is sent; 0: the present one; 1: a stale one."""

EVERY_KIND = ("about", "addresses", "amends", "contradicts", "grounded_in", "placed_in", "supersedes")
KINDS = ("grounded_in", "grounded_in", "contradicts", "addresses")
MOVES = ("ratify_decision", "retire_decision", "reinstate_decision", "archive_decision")


def one_of(prefix: str) -> st.SearchStrategy[str]:
    """One of the addresses or handles that the running machine has, or the one that would be next."""

    def numbers(machine: RandomWrites) -> st.SearchStrategy[int]:
        return st.integers(1, machine.world.model.state.numbers.get(prefix, 0) + 1)

    return st.runner().flatmap(numbers).map(lambda number: f"{prefix}{number}")


DECISIONS, AMENDMENTS, SIGNALS = one_of("D"), one_of("A"), one_of("SIG")
RELATIONS, GRANTS, TOKENS = one_of("R"), one_of("G"), one_of("T")
WALKS = st.fixed_dictionaries(
    {"depth": st.integers(1, 5), "direction": st.sampled_from(comparing.DIRECTIONS)},
    optional={
        "kind": st.sampled_from(
            ("about", "addresses", "amends", "contradicts", "grounded_in", "placed_in", "supersedes")
        ),
        "max_items": st.integers(1, 12),
        "limit": st.integers(1, 6),
        "offset": st.integers(0, 4),
    },
)


class RandomWrites(RuleBasedStateMachine):
    """A tree of two Domains and three Areas, an owner, three people and two agents."""

    world: World

    def make_world(self) -> World:
        """A fresh register twice; the test that runs the machine says where from."""
        raise NotImplementedError

    def __init__(self) -> None:
        super().__init__()
        self.world = self.make_world()
        self.tokens = {"owner": self.world.model.owner_token}
        self.principals = {"owner": self.world.model.owner}
        for domain in ("DOM1", "DOM2"):
            self.must("create_domain", name=domain)
        for area, domain in (("ARE1", "DOM1"), ("ARE2", "DOM1"), ("ARE3", "DOM2")):
            self.must("create_area", name=area, domain=domain)
        for name, kind in PEOPLE.items():
            self.principals[name] = self.must("create_principal", name=name, **{"class": kind})["id"]
            self.tokens[name] = self.must("create_token", principal=self.principals[name])["id"]

    def must(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """A write of the owner's that both worlds do."""
        done = self.world.write(self.tokens["owner"], tool, arguments)
        assert done is not None, (tool, arguments)
        return done

    def write(self, who: str, tool: str, by_id: bool = False, **arguments: Any) -> None:
        """A write that may be refused; parameters that are None are left out. A moment passes before it."""
        self.world.clock.pass_(timedelta(seconds=1))
        given = {name: value for name, value in arguments.items() if value is not None}
        self.world.write(self.tokens[who], tool, given, by_id)

    def rev_of(self, address: str, choice: int | None) -> int | None:
        """The rev to send for an item: none, the present one, or a stale one."""
        item = self.world.model.state.items.get(address) or self.world.model.state.relations.get(address)
        if choice is None or item is None:
            return choice
        return int(item["rev"]) + choice

    # a start that is worth playing with ----------------------------------------------------------------------------

    @initialize(
        grants=st.lists(st.tuples(LIMITED, st.sampled_from(RIGHTS), PLACES), min_size=3, max_size=9),
        places=st.lists(PLACES, min_size=4, max_size=6),
        edges=st.lists(st.tuples(st.integers(0, 3), st.sampled_from(KINDS), st.integers(0, 3)), max_size=6),
        ratified=st.sets(st.integers(0, 3)),
        retired=st.sets(st.integers(0, 3), max_size=1),
    )
    def start(
        self,
        grants: list[tuple[str, str, str]],
        places: list[str],
        edges: list[tuple[int, str, int]],
        ratified: set[int],
        retired: set[int],
    ) -> None:
        for who, right, place in grants:
            self.write("owner", "grant_right", principal=self.principals[who], right=right, place=place)
        made = [self.must("propose_decision", title="Start", body="Text", place=place)["address"] for place in places]
        for source, kind, target in edges:
            self.relate("owner", made[source], kind, made[target])
        for index in sorted(ratified):
            self.must("ratify_decision", decision=made[index])
        for index in ratified & retired:
            self.must("retire_decision", decision=made[index], reason="Gone")

    def relate(self, who: str, source: str, kind: str, target: str, by_id: bool = False) -> None:
        ends = {"source_type": "Decision", "source_id": source, "target_type": "Decision", "target_id": target}
        self.write(who, "assert_relation", by_id, relation_kind=kind, **ends)

    # Decisions and Amendments --------------------------------------------------------------------------------------

    @rule(
        who=CALLERS,
        place=st.none() | PLACES,
        grounded_in=st.lists(DECISIONS, max_size=2),
        addresses=st.lists(DECISIONS, max_size=1),
        key=st.sampled_from([None, None, None, "key"]),
    )
    def propose(
        self, who: str, place: str | None, grounded_in: list[str], addresses: list[str], key: str | None
    ) -> None:
        text: dict[str, Any] = {
            "title": "A Decision",
            "body": "Line one\r\nline two",
            "source": "elsewhere" if place else None,
        }
        relations: dict[str, Any] = {"grounded_in": grounded_in or None, "addresses": addresses or None}
        self.write(who, "propose_decision", place=place, request_key=key, **text, **relations)

    @rule(who=CALLERS, decision=DECISIONS, title=st.sampled_from([None, "A Decision", "Other"]), rev=st.integers(0, 1))
    def update(self, who: str, decision: str, title: str | None, rev: int) -> None:
        self.write(who, "update_decision", decision=decision, title=title, rev=self.rev_of(decision, rev) or 1)

    @rule(
        who=CALLERS,
        move=st.sampled_from(MOVES),
        decision=DECISIONS,
        rev=REVS,
        by_id=st.booleans(),
        key=st.sampled_from([None, None, "move"]),
    )
    def move(self, who: str, move: str, decision: str, rev: int | None, by_id: bool, key: str | None) -> None:
        sent = self.rev_of(decision, rev)
        self.write(who, move, by_id, decision=decision, reason="Because", rev=sent or None, request_key=key)

    @rule(who=CALLERS, decision=DECISIONS, by=st.lists(DECISIONS, min_size=1, max_size=2), rev=REVS, by_rev=REVS)
    def supersede(self, who: str, decision: str, by: list[str], rev: int | None, by_rev: int | None) -> None:
        revs = [self.rev_of(each, by_rev) or None for each in by]
        sent: Any = (by, revs) if len(by) > 1 else (by[0], revs[0])
        arguments = {"by": sent[0], "by_rev": None if by_rev is None else sent[1]}
        self.write(who, "supersede_decision", decision=decision, rev=self.rev_of(decision, rev) or None, **arguments)

    @rule(data=st.data(), times=st.integers(1, 3), by_one=st.booleans())
    def allowed_moves(self, data: st.DataObject, times: int, by_one: bool) -> None:
        """What the state allows, by one who holds every right: most of what the other rules try is refused."""
        for _ in range(times):
            decisions = self.world.model.state.of_type("Decision")
            decision = data.draw(st.sampled_from([d for d in decisions if d["state"] != "archived"] or decisions))
            others = [d["address"] for d in decisions if d is not decision and d["state"] in ("proposed", "ratified")]
            if decision["state"] == "ratified" and others and by_one:
                by = data.draw(st.lists(st.sampled_from(others), min_size=1, max_size=2, unique=True))
                self.write("owner", "supersede_decision", decision=decision["address"], by=by)
            else:
                move = {"proposed": "ratify", "ratified": "retire", "archived": "reinstate"}.get(decision["state"])
                move = move or data.draw(st.sampled_from(["reinstate", "reinstate", "archive"]))
                self.write("owner", f"{move}_decision", decision=decision["address"], reason="Allowed")

    @rule(who=CALLERS, decision=DECISIONS)
    def amend(self, who: str, decision: str) -> None:
        self.write(who, "propose_amendment", amends=decision, title="An Amendment", body="Text")

    @rule(who=CALLERS, amendment=AMENDMENTS, tool=st.sampled_from(["ratify", "archive", "update"]), rev=REVS)
    def move_amendment(self, who: str, amendment: str, tool: str, rev: int | None) -> None:
        sent = self.rev_of(amendment, rev) or None
        more: dict[str, Any] = (
            {"body": "Other", "rev": sent or 1} if tool == "update" else {"reason": "So", "rev": sent}
        )
        self.write(who, f"{tool}_amendment", amendment=amendment, **more)

    # relations and conditions ----------------------------------------------------------------------------------------

    @rule(who=CALLERS, one=DECISIONS, kind=st.sampled_from(KINDS), other=DECISIONS, by_id=st.booleans())
    def record_relation(self, who: str, one: str, kind: str, other: str, by_id: bool) -> None:
        self.relate(who, one, kind, other, by_id)

    @rule(who=CALLERS, relation=RELATIONS, rev=st.sampled_from([0, 0, 1]))
    def withdraw(self, who: str, relation: str, rev: int) -> None:
        self.write(who, "withdraw_relation", id=relation, rev=self.rev_of(relation, rev) or 1, reason="Not so")

    @rule(who=CALLERS, decision=DECISIONS, premise=DECISIONS, by=DECISIONS)
    def replace_premise(self, who: str, decision: str, premise: str, by: str) -> None:
        self.write(who, "replace_premise", decision=decision, premise=premise, by=by, reason="Better")

    @rule(who=CALLERS, data=st.data(), by=DECISIONS)
    def replace_a_real_premise(self, who: str, data: st.DataObject, by: str) -> None:
        live = self.world.model.state.live("grounded_in")
        if live:
            relation = data.draw(st.sampled_from(live))
            self.replace_premise(who, relation["source"], relation["target"], by)

    @rule(who=CALLERS, decision=DECISIONS, premise=DECISIONS)
    def confirm_a_pair(self, who: str, decision: str, premise: str) -> None:
        self.write(who, "confirm_premise", decision=decision, premise=premise, reason="Still holds")

    @rule(who=CALLERS, conditions=st.lists(SIGNALS, min_size=1, max_size=3), rev=REVS)
    def confirm_conditions(self, who: str, conditions: list[str], rev: int | None) -> None:
        if len(conditions) > 1:
            self.write(who, "confirm_premise", conditions=conditions, reason="Still hold")
            return
        signal = self.world.model.state.items.get(conditions[0])
        sent = self.rev_of(signal["about"], rev) if signal else None
        self.write(who, "confirm_premise", condition=conditions[0], reason="Still holds", rev=sent or None)

    @rule(who=CALLERS, data=st.data(), in_pair=st.booleans())
    def confirm_an_open_flag(self, who: str, data: st.DataObject, in_pair: bool) -> None:
        flags = [s for s in self.world.model.open_conditions() if s["condition"] == "premise-flagged"]
        if flags:
            flag = data.draw(st.sampled_from(flags))
            pair = {"decision": flag["about"], "premise": flag["other"]}
            named = pair if in_pair else {"condition": flag["address"]}
            self.write(who, "confirm_premise", reason="Checked", **named)

    # places and people -----------------------------------------------------------------------------------------------

    @rule(who=CALLERS, decision=DECISIONS, place=PLACES)
    def move_item(self, who: str, decision: str, place: str) -> None:
        self.write(who, "move_item", type="Decision", id=decision, place=place, reason="Tidy")

    @rule(who=CALLERS, area=AREAS, domain=DOMAINS, what=st.sampled_from(["move", "move", "rename", "retire"]))
    def change_an_area(self, who: str, area: str, domain: str, what: str) -> None:
        if what == "move":
            self.write(who, "move_area", area=area, domain=domain)
        elif what == "rename":
            self.write(who, "rename_place", place=area, name=domain)
        else:
            self.write(who, "retire_place", place=area, reason="Unused")

    @rule(who=CALLERS, to=LIMITED, right=st.sampled_from(RIGHTS), place=PLACES, days=st.sampled_from([None, None, 1]))
    def grant(self, who: str, to: str, right: str, place: str, days: int | None) -> None:
        expires_at = (self.world.clock.now + timedelta(days=days)).isoformat() if days else None
        self.write(who, "grant_right", principal=self.principals[to], right=right, place=place, expires_at=expires_at)

    @rule(who=CALLERS, grant=GRANTS)
    def revoke(self, who: str, grant: str) -> None:
        self.write(who, "revoke_grant", id=grant, reason="No longer")

    @rule(who=CALLERS, whose=CALLERS, days=st.sampled_from([None, 1]), token=st.none() | TOKENS)
    def make_or_revoke_a_token(self, who: str, whose: str, days: int | None, token: str | None) -> None:
        if token is None:
            self.write(who, "create_token", principal=self.principals[whose], expires_in_days=days)
        elif token not in self.tokens.values():
            self.write(who, "revoke_token", id=token)

    @rule()
    def a_day_passes(self) -> None:
        self.world.clock.pass_(timedelta(hours=25))

    @rule(who=CALLERS)
    def sweep(self, who: str) -> None:
        self.write(who, "run_sweep")

    # reading ---------------------------------------------------------------------------------------------------------

    @rule(who=CALLERS, place=PLACES, decision=DECISIONS)
    def lists(self, who: str, place: str, decision: str) -> None:
        comparing.lists_agree(self.world, self.tokens[who], place, decision)

    @rule(who=CALLERS, limit=st.integers(1, 3), offset=st.integers(0, 3))
    def pages(self, who: str, limit: int, offset: int) -> None:
        comparing.filters_agree(self.world, self.tokens[who])
        comparing.pages_agree(self.world, self.tokens[who], limit, offset)

    @rule(who=CALLERS, walk=WALKS)
    def traces(self, who: str, walk: dict[str, Any]) -> None:
        comparing.traces_agree(self.world, self.tokens[who], walk)

    @rule(who=CALLERS, decision=DECISIONS, direction=st.sampled_from(comparing.DIRECTIONS), depth=st.integers(1, 10))
    def every_cap(self, who: str, decision: str, direction: str, depth: int) -> None:
        start = {"type_name": "Decision", "id": decision, "direction": direction, "depth": depth}
        comparing.trace_agrees_at_every_cap(self.world, self.tokens[who], start)

    @rule(who=CALLERS)
    def counts(self, who: str) -> None:
        comparing.counts_agree(self.world, self.tokens[who])

    def teardown(self) -> None:
        """Compare what everybody may read, unless the run has failed already."""
        for token in self.tokens.values() if self.world.agree else ():
            comparing.lists_agree(self.world, token)
            comparing.items_agree(self.world, token)
            comparing.counts_agree(self.world, token)
            comparing.traces_agree(self.world, token, {"depth": 10, "limit": 500})
