"""Every change is entered: one entry for each changed thing, in one act, chained, and enough to build it all again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import create_engine, text

from smeldr.operations.registry import OPERATIONS
from smeldr.settings import Settings
from smeldr.wiring import import_file, recover_owner
from tests.callers import Caller
from tests.operations.chain import broken
from tests.operations.replaying import differences
from tests.operations.tables import Row, Tables


@dataclass(frozen=True)
class Step:
    """One call, and its entries: what was changed, from which state to which. `*` marks what a rule did."""

    tool: str
    arguments: dict[str, Any]
    entered: str


ENDS: Final = {"source_type": "Decision", "target_type": "Decision"}
STEPS: Final = (
    Step("create_domain", {"name": "One"}, "DOM1 ->live"),
    Step("create_domain", {"name": "Two"}, "DOM2 ->live"),
    Step("create_area", {"domain": "DOM1", "name": "Inside"}, "ARE1 ->live"),
    Step("rename_place", {"place": "ARE1", "name": "Within"}, "ARE1 live->live"),
    Step("rename_place", {"place": "ARE1", "name": "Within"}, ""),
    Step("propose_decision", {"title": "First", "body": "B", "place": "ARE1", "source": "a book"}, "D1 ->proposed"),
    Step("update_decision", {"decision": "D1", "rev": 1, "title": "Rewritten"}, "D1 proposed->proposed"),
    Step("update_decision", {"decision": "D1", "rev": 2, "title": "Rewritten"}, ""),
    Step("ratify_decision", {"decision": "D1", "reason": "R"}, "D1 proposed->ratified"),
    Step(
        "propose_decision",
        {"title": "Second", "body": "B", "grounded_in": ["D1"], "addresses": ["D1"]},
        "D2 ->proposed, Relation ->live, Relation ->live",
    ),
    Step("ratify_decision", {"decision": "D2"}, "D2 proposed->ratified"),
    Step("propose_amendment", {"amends": "D1", "title": "A", "body": "B"}, "A1 ->proposed, Relation ->live"),
    Step("update_amendment", {"amendment": "A1", "rev": 1, "body": "Another"}, "A1 proposed->proposed"),
    Step("ratify_amendment", {"amendment": "A1"}, "A1 proposed->ratified"),
    Step("propose_decision", {"title": "Third", "body": "B", "place": "ARE1"}, "D3 ->proposed"),
    Step(
        "supersede_decision",
        {"decision": "D1", "by": "D3", "reason": "R"},
        "D3 proposed->ratified, Relation ->live, D1 ratified->superseded, *SIG1 ->open",
    ),
    Step("confirm_premise", {"condition": "SIG1", "reason": "Holds"}, "SIG1 open->closed"),
    Step(
        "assert_relation",
        {**ENDS, "source_id": "D3", "relation_kind": "contradicts", "target_id": "D2"},
        "Relation ->live, *SIG2 ->open, *SIG3 ->open",
    ),
    Step("assert_relation", {**ENDS, "source_id": "D2", "relation_kind": "contradicts", "target_id": "D3"}, ""),
    Step("move_item", {"type": "Decision", "id": "D3", "place": "DOM2", "reason": "R"}, "D3 ratified->ratified"),
    Step(
        "move_item",
        {"type": "Decision", "id": "D1", "place": "DOM2", "reason": "R"},
        "D1 superseded->superseded, A1 ratified->ratified",
    ),
    Step("archive_amendment", {"amendment": "A1", "reason": "R"}, "A1 ratified->archived"),
    Step(
        "archive_decision",
        {"decision": "D1", "reason": "R"},
        "D1 superseded->archived, *SIG4 ->open",
    ),
    Step(
        "replace_premise",
        {"decision": "D2", "premise": "D1", "by": "D3", "reason": "R"},
        "Relation live->ended, Relation ->live, *SIG4 open->closed",
    ),
    Step(
        "retire_decision",
        {"decision": "D3", "reason": "R"},
        "D3 ratified->retired, *SIG2 open->closed, *SIG3 open->closed, *SIG5 ->open",
    ),
    Step(
        "reinstate_decision",
        {"decision": "D3", "reason": "R"},
        "D3 retired->ratified, *SIG5 open->closed, *SIG6 ->open, *SIG7 ->open",
    ),
    Step(
        "withdraw_relation",
        {"id": "the contradiction", "rev": 1, "reason": "R"},
        "Relation live->ended, *SIG6 open->closed, *SIG7 open->closed",
    ),
    Step("move_area", {"area": "ARE1", "domain": "DOM2"}, "ARE1 live->live"),
    Step("retire_place", {"place": "ARE1", "reason": "R"}, "ARE1 live->retired"),
    Step("create_principal", {"name": "N", "class": "agent"}, "Principal ->active"),
    Step("create_token", {"principal": "the principal", "expires_in_days": 7}, "Token ->live"),
    Step(
        "grant_right",
        {"principal": "the principal", "right": "read", "place": "DOM2", "reason": "R"},
        "Grant ->live",
    ),
    Step("grant_right", {"principal": "the principal", "right": "read", "place": "DOM2"}, ""),
    Step("revoke_grant", {"id": "the grant", "reason": "R"}, "Grant live->revoked"),
    Step("revoke_token", {"id": "the token"}, "Token live->revoked"),
    Step("deactivate_principal", {"principal": "the principal", "reason": "R"}, "Principal active->deactivated"),
    Step("run_sweep", {}, ""),
)

IMPORTED: Final[tuple[dict[str, Any], ...]] = (
    {"smeldr": 1, "records": 8},
    {"type": "Domain", "ref": "shop", "name": "Shop"},
    {"type": "Area", "ref": "billing", "name": "Billing", "domain": "shop"},
    {"type": "Decision", "ref": "1", "title": "T", "body": "B", "state": "ratified", "place": "billing"},
    {
        "type": "Decision",
        "ref": "2",
        "title": "T",
        "body": "B",
        "state": "retired",
        "created_at": "2025-03-01T09:00:00Z",
    },
    {"type": "Decision", "ref": "3", "title": "T", "body": "B", "state": "proposed", "reason": "R"},
    {"type": "Amendment", "ref": "a", "amends": "1", "title": "T", "body": "B", "state": "ratified"},
    {"relation": "grounded_in", "source": "1", "target": "2"},
    {"relation": "contradicts", "source": "3", "target": "1"},
)

PREFIXES: Final = ("", "A", "ARE", "D", "DOM", "SIG")


class Story:
    """The steps played by the owner; what a step made is remembered for those after it."""

    def __init__(self, owner: Caller, tables: Tables) -> None:
        self.owner, self.tables = owner, tables
        self.made: dict[str, str] = {}

    def play(self, step: Step) -> list[Row]:
        """Make the call and give the entries that it wrote."""
        before = len(self.tables.rows("history"))
        reply = self.owner.call(step.tool, **{name: self._named(value) for name, value in step.arguments.items()})
        if step.tool == "assert_relation":
            self.made["the contradiction"] = reply["relation"]["id"]
        elif step.tool.startswith(("create_", "grant_")) and "id" in reply:
            self.made[f"the {step.tool.partition('_')[2].replace('right', 'grant')}"] = reply["id"]
        return self.tables.entries(after=before)

    def _named(self, value: Any) -> Any:
        return self.made.get(value, value) if isinstance(value, str) else value


@pytest.fixture
def story(owner: Caller, tables: Tables) -> Story:
    return Story(owner, tables)


def told(entry: Row) -> str:
    """An entry as the steps write it."""
    key = entry["subject_key"]
    subject = entry["subject_type"] if key is None else f"{PREFIXES[key // 10**12]}{key % 10**12}"
    by_rule = "*" if entry["actor"] == "system" else ""
    return f"{by_rule}{subject} {entry['from_state'] or ''}->{entry['to_state']}"


def test_every_changing_tool_enters_what_it_changed_in_one_act(story: Story) -> None:
    for step in STEPS:
        entries = story.play(step)
        assert step.entered == ", ".join(told(entry) for entry in entries), step
        assert len({entry["act"] for entry in entries}) == (1 if entries else 0)
        assert len({entry["at"] for entry in entries}) == (1 if entries else 0)
        for entry in entries:
            by_rule = entry["actor"] == "system"
            who = ("system", "system", None) if by_rule else (story.owner.id, "person", step.tool)
            assert who == (entry["actor"], entry["actor_class"], entry["tool"])
            assert not (by_rule and "reason" in entry["texts"])


def test_the_steps_use_every_changing_tool() -> None:
    assert {name for name, each in OPERATIONS.items() if each.changes} == {step.tool for step in STEPS}


def test_the_chain_is_whole_after_everything(story: Story) -> None:
    for step in STEPS:
        story.play(step)
    assert [] == broken(story.tables)


def test_the_history_alone_builds_every_table_again(story: Story) -> None:
    for step in STEPS:
        story.play(step)
        assert {} == differences(story.tables), step


def test_the_reason_is_entered_with_what_the_caller_changed(story: Story) -> None:
    for step in STEPS:
        for entry in story.play(step):
            given = step.arguments.get("reason")
            if given and entry["actor"] != "system" and told(entry) != "Relation ->live":
                assert given == entry["texts"]["reason"], step


def test_what_people_wrote_stands_beside_the_chain_and_as_a_salted_digest_in_it(story: Story) -> None:
    secret = "correct horse battery staple"
    story.owner.call("propose_decision", title=secret, body=secret, source=secret)
    story.owner.call("ratify_decision", decision="D1", reason=secret)
    story.owner.call("create_domain", name=secret)
    assert not any(secret in json.dumps(row, default=str) for row in story.tables.rows("history"))
    kept = [row for row in story.tables.rows("history_texts") if row["text"] == secret]
    assert ["title", "body", "source", "reason", "name"] == sorted(
        (row["field"] for row in kept), key=["title", "body", "source", "reason", "name"].index
    )
    assert len(kept) == len({row["salt"] for row in kept})
    assert {32} == {len(row["salt"]) for row in kept}


def test_a_text_can_go_and_the_chain_stays_whole(story: Story, database: str) -> None:
    story.owner.call("propose_decision", title="A secret", body="B")
    engine = create_engine(database)
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM history_texts WHERE text = 'A secret'"))
    engine.dispose()
    assert [] == broken(story.tables)


@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE history SET actor = 'somebody else' WHERE seq = 3",
        "UPDATE history SET to_state = 'ratified' WHERE seq = 3",
        "UPDATE history SET changes = '{}' WHERE seq = 3",
        "UPDATE history_texts SET text = 'Another' WHERE seq = (SELECT max(seq) FROM history_texts)",
        "DELETE FROM history_texts WHERE seq = 3; DELETE FROM history WHERE seq = 3",
    ],
)
def test_a_changed_or_missing_entry_shows(story: Story, database: str, tampering: str) -> None:
    story.owner.call("propose_decision", title="T", body="B")
    engine = create_engine(database)
    with engine.begin() as connection:
        for statement in tampering.split("; "):
            connection.execute(text(statement))
    engine.dispose()
    assert broken(story.tables)


def test_a_refused_call_enters_nothing(owner: Caller, tables: Tables) -> None:
    with tables.unchanged():
        owner.refused("not_found", "ratify_decision", decision="D1")
        owner.refused("validation_failed", "propose_decision", title="", body="B")
        owner.refused("conflict", "revoke_grant", id=_own_administration(owner), reason="R")


def _own_administration(owner: Caller) -> str:
    grants = owner.call("whoami")["grants"]
    return str(next(each["id"] for each in grants if each["right"] == "administer"))


def test_the_first_owner_is_entered_as_the_operators_doing(tables: Tables, owner: Caller) -> None:
    entries = tables.entries()
    assert {("operator", "operator", "init")} == {
        (each["actor"], each["actor_class"], each["tool"]) for each in entries
    }
    assert ["Principal", *["Grant"] * 4, "Token"] == [each["subject_type"] for each in entries]
    assert {} == differences(tables)


def test_giving_back_an_owner_is_entered_too(owner: Caller, database: str, tables: Tables) -> None:
    before = len(tables.entries())
    recover_owner(Settings(database=database), None, "Another")
    assert {"recover-owner"} == {each["tool"] for each in tables.entries(after=before)}
    assert {} == differences(tables)
    assert [] == broken(tables)


def test_an_import_is_one_act_and_builds_the_register_again(
    owner: Caller, database: str, tables: Tables, tmp_path: Path
) -> None:
    file = tmp_path / "register.jsonl"
    file.write_text("\n".join(json.dumps(each) for each in IMPORTED), "utf-8")
    before = len(tables.entries())
    import_file(Settings(database=database), file)
    entries = tables.entries(after=before)
    assert 1 == len({each["act"] for each in entries})
    assert {"D1", "D2", "D3"} <= {told(each).split()[0] for each in entries}
    assert [] == broken(tables)
    assert {} == differences(tables)
