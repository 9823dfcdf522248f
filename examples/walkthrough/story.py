"""The story: a Decision that much rests on is replaced, and nothing that rests on it is forgotten.

Each chapter is a function that calls, shows, and checks that the answer is the one the documentation promises.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from walkthrough.callers import Agent, Person, Reply
from walkthrough.flags import SIGNAL_MEMBERS, flags_since, last_signal
from walkthrough.pillar import Pillar, most_relied_upon, sum_of
from walkthrough.stage import Stage
from walkthrough.trimming import counted

_RINGS: Final = 10
_DECISION: Final = ("address", "title", "body", "state", "moves")
_RELATION: Final = ("relation", "kind", "source", "target", "created")
_STEP: Final = ("depth", "address", "via", "ring_sizes", "total", "cut")


@dataclass(frozen=True)
class Company:
    """Who is on stage."""

    stage: Stage
    agent: Agent
    person: Person


def tell(company: Company) -> None:
    """The whole story. Raises StepFailed at the first answer that is not as promised."""
    pillar = find_the_pillar(company)
    look_before_leaping(company, pillar)
    before = last_signal(company.agent)
    successor = propose_and_replace(company, pillar)
    flags = see_the_flags(company, pillar, before)
    answer_the_flags(company, pillar, successor, flags)
    contradict_and_settle(company, pillar, successor)
    trace(company, pillar)


def find_the_pillar(company: Company) -> Pillar:
    """Which Decision holds up the most?"""
    stage, agent, person = company.stage, company.agent, company.person
    stage.chapter(
        "What does everything rest on?",
        "A decision is seldom alone: it is grounded in others. A sweep counts, for every Decision, what rests on it, "
        "near and far. It usually runs by the clock; here the owner asks for it.",
    )
    person.run("sweep", "run")
    stage.say("An agent that is new here asks for all Decisions in force, and for the counts the sweep has stored.")
    pillar = most_relied_upon(agent)
    stage.holds(f"most rests on {pillar.address}: {pillar.name}, “{pillar.title}”", bool(pillar.dependants))
    return pillar


def look_before_leaping(company: Company, pillar: Pillar) -> None:
    """What is it, and what would feel it if it went?"""
    stage, agent = company.stage, company.agent
    stage.chapter(
        "What would feel it?",
        "Before anyone touches it: what it says, how much rests on it right now (the live count follows the chain all "
        "the way, up to 1,000 items), and what stands in the first three rings around it.",
    )
    decision = agent.call("get_decision", {"id": pillar.address}, _DECISION)
    stage.holds("it is in force", decision["in_force"] is True)
    count = agent.call("get_rest_counts", {"type": "Decision", "id": pillar.address})["rests_on_this"]
    at_least = "at least " if count.get("at_least") else ""
    stage.holds(f"resting on it: {at_least}{counted(sum_of(count), 'item')}, {count['open']:,} open", sum_of(count) > 0)
    walk = agent.call("get_reachability", _trace(pillar, depth=3), _STEP)
    dropped = walk["cut"]["dropped"] if walk.get("cut", {}).get("depth") == 1 else 0
    directly = walk["ring_sizes"][0] + dropped
    stage.holds(f"directly: {counted(directly, 'Decision')}", directly >= len(pillar.dependants))
    near_and_far = f"{at_least}{counted(sum_of(count), 'item')} near and far"
    stage.found(f"What rests on {pillar.name}?", f"{counted(directly, 'Decision')} directly; {near_and_far}.")


def propose_and_replace(company: Company, pillar: Pillar) -> str:
    """The agent proposes; the person decides."""
    stage, agent, person = company.stage, company.agent, company.person
    stage.chapter(
        "An agent proposes, a person decides",
        "The agent may write here, and no more. It drafts a successor. That changes nothing yet.",
    )
    proposal = {
        "title": f"{pillar.title[:280]}, second edition",
        "body": f"Replaces {pillar.name}. Written by an agent in a demo; a person decides whether it applies.",
        "place": pillar.place,
        "addresses": [pillar.address],
    }
    successor = str(agent.call("propose_decision", proposal, _DECISION)["address"])
    stage.say("Could it put its own draft in force?")
    move = {"decision": pillar.address, "by": successor}
    refused = agent.call("supersede_decision", move).get("error", {})
    stage.holds("no: an agent's right to write is not a right to decide", refused.get("code") == "forbidden")
    stage.say("The person reads the draft and replaces the old Decision by it. The draft is ratified in the same act.")
    person.run("decision", "supersede", pillar.address, "--by", successor, "--reason", "The second edition was agreed.")
    old, new = (agent.quietly("get_decision", {"id": each})["state"] for each in (pillar.address, successor))
    stage.holds(f"{pillar.address} is superseded, {successor} is ratified", (old, new) == ("superseded", "ratified"))
    return successor


def see_the_flags(company: Company, pillar: Pillar, before: str | None) -> list[Reply]:
    """One condition for each that rests on it directly, and not one more."""
    stage, agent = company.stage, company.agent
    stage.chapter(
        "Nothing that rested on it is forgotten",
        "Every Decision in force that rests directly on the old one now has an open condition. One step, by rule: "
        "whoever settles these decides what happens to those behind them.",
    )
    flags = flags_since(agent, before)
    about = sorted(flag["about"] for flag in flags)
    stage.holds(
        f"{counted(len(flags), 'condition')} for {counted(len(pillar.dependants), 'Decision')} in force that "
        f"{'rests' if len(pillar.dependants) == 1 else 'rest'} on it directly",
        about == sorted(pillar.dependants),
    )
    stage.say("The message names its own Decision only. Who may read the premise finds it in the condition.")
    premise = agent.call("get_signal", {"id": flags[0]["address"]}, SIGNAL_MEMBERS).get("premise")
    stage.holds(f"the premise is {pillar.address}", premise == pillar.address)
    stage.found(
        f"What happened when {pillar.name} was replaced?",
        f"{counted(len(flags), 'condition')} opened: one for each Decision in force that rests on it directly. Those "
        "further out are asked when their own ground moves.",
    )
    return flags


def answer_the_flags(company: Company, pillar: Pillar, successor: str, flags: list[Reply]) -> None:
    """It still holds, or it rests on the new one from now on."""
    stage, agent, person = company.stage, company.agent, company.person
    stage.chapter(
        "Somebody looks, and says so",
        "A condition stops nothing and decides nothing. It waits for somebody with the right to ratify, who either "
        "confirms, with a reason, that the Decision still holds ...",
    )
    first = flags[0]
    pair = ("--decision", first["about"], "--premise", pillar.address)
    person.run("signal", "confirm", *pair, "--reason", "Checked: it still holds.")
    closed = agent.call("get_signal", {"id": first["address"]}, SIGNAL_MEMBERS)
    stage.holds(f"closed, and it says why: “{closed.get('resolution')}”", closed["state"] == "closed")
    answered = 1
    if len(flags) > 1:
        stage.say("... or puts the Decision on the new ground. This is the usual answer.")
        second = flags[1]
        reason = "Holds on the second edition as well."
        person.run("relation", "replace-premise", second["about"], pillar.address, successor, "--reason", reason)
        closed = agent.call("get_signal", {"id": second["address"]}, SIGNAL_MEMBERS)
        stage.holds(f"closed as well: “{closed.get('resolution')}”", closed["state"] == "closed")
        answered = 2
    left = len(flags) - answered
    stage.found("Who decides?", "A person. The agent proposed, and was refused when it tried to go further.")
    stage.found("What closes a condition?", f"An answer: {answered} given here, {left:,} waiting for theirs.")


def contradict_and_settle(company: Company, pillar: Pillar, successor: str) -> None:
    """Two Decisions in force that say opposite things."""
    stage, agent, person = company.stage, company.agent, company.person
    other = pillar.dependants[-1]
    stage.chapter(
        "Two Decisions disagree",
        f"Smeldr does not read what Decisions say. Who does, may record that two disagree. The agent believes that "
        f"{successor} and {other} do, and records it.",
    )
    ends = {"source_type": "Decision", "source_id": successor, "target_type": "Decision", "target_id": other}
    relation = agent.call("assert_relation", {**ends, "relation_kind": "contradicts"}, _RELATION)["relation"]
    conflicts = []
    for side in (successor, other):
        open_now = {"receiver": "ratify", "type": "conflict-detected", "about": side}
        conflicts += agent.call("list_signals", open_now, SIGNAL_MEMBERS)["signals"][-1:]
    sides = [conflict["about"] for conflict in conflicts]
    stage.holds("two conditions, one about each side, and neither names the other", sides == [successor, other])
    stage.say(
        "Both Decisions still apply. The person reads them side by side, finds no conflict, and withdraws the relation."
    )
    listed = person.ask("relation", "list", "--kind", "contradicts", members=("id", "rev", "source", "target", "total"))
    ours = next(each for each in listed["relations"] if each["id"] == relation["id"])
    reason = "Read side by side: they do not disagree."
    person.run("relation", "withdraw", ours["id"], "--rev", str(ours["rev"]), "--reason", reason)
    after = [agent.call("get_signal", {"id": conflict["address"]}, SIGNAL_MEMBERS) for conflict in conflicts]
    stage.holds("both closed by themselves", [each["state"] for each in after] == ["closed", "closed"])
    stage.found(
        "And when two Decisions disagree?",
        "Whoever sees it records it, and both sides get a condition. Both close when one side leaves force or the "
        "relation is withdrawn.",
    )


def trace(company: Company, pillar: Pillar) -> None:
    """Ring by ring, as far as a trace goes."""
    stage, agent = company.stage, company.agent
    stage.chapter(
        "Ring by ring",
        f"How far does the old ground still reach? The trace walks outward from {pillar.name}, one ring per hop, up to "
        f"{_RINGS} hops, and says exactly where it was cut. What was put on the new ground is gone from it.",
    )
    walk = agent.call("get_reachability", _trace(pillar, depth=_RINGS), _STEP)
    deepest = max((depth for depth, size in enumerate(walk["ring_sizes"], start=1) if size), default=0)
    stage.bars((f"ring {depth}", size) for depth, size in enumerate(walk["ring_sizes"][: deepest + 1], start=1))
    cut = walk.get("cut")
    where = f"cut in ring {cut['depth']}, {cut['dropped']:,} left out there" if cut else "not cut anywhere"
    reached = counted(walk["total"], "Decision")
    stage.holds(f"{reached}, {where}", sum(walk["ring_sizes"]) == walk["total"])
    stage.found("How far does it reach?", f"{reached} in {counted(deepest, 'ring')} ({where}).")


def _trace(pillar: Pillar, depth: int) -> dict[str, Any]:
    return {
        "type_name": "Decision",
        "id": pillar.address,
        "kind": "grounded_in",
        "direction": "incoming",
        "depth": depth,
    }
