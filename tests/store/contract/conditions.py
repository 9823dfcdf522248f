"""Conditions: the relations they hang on, and the Signals."""

from __future__ import annotations

from smeldr.model.items import address_of
from smeldr.store.contract import Store
from tests.graphs import addresses, key, keys
from tests.store.building import at, signal, together


def test_the_relations_that_conditions_hang_on_come_with_what_the_rules_ask(related: Store) -> None:
    with related.write() as unit:
        unit.items.set_state(keys("D1"), "retired", at(9))
        unit.items.set_ratified_by(keys("D1"), "somebody")
        unit.conditions.confirm(key("D3"), key("D1"), 1)
        judged = {address_of(each.relation.source): each for each in unit.conditions.touching(keys("D3"), ())}
        assert ["D3"] == list(judged)
        found = judged["D3"]
        assert ("proposed", key("ARE1"), False) == (found.source.state, found.source.place, found.source.ever_ratified)
        assert ("retired", 1, True, 1) == (
            found.target.state,
            found.target.state_changes,
            found.target.ever_ratified,
            found.confirmed_at,
        )


def test_every_live_relation_that_conditions_hang_on_is_found_and_no_other(related: Store) -> None:
    with related.read() as unit:
        found = [list(unit.conditions.all_live()), unit.conditions.touching(keys("D1"), ())]
        for each in found:
            assert {"grounded_in", "contradicts"} == {judged.relation.kind for judged in each}
            assert 3 == len(each)


def test_a_named_relation_is_judged_although_it_has_ended(related: Store) -> None:
    with related.write() as unit:
        relation = unit.relations.live("grounded_in", source=key("D3"))[0]
        unit.relations.end(relation.id, by="somebody", at=at(9), cause="withdrawn", reason=None)
        assert [relation.id] == [each.relation.id for each in unit.conditions.touching((), [relation.id])]
        assert [] == unit.conditions.touching(keys("D3"), ())


def test_a_later_confirmation_takes_the_place_of_the_former(related: Store) -> None:
    with related.write() as unit:
        unit.conditions.confirm(key("D3"), key("D1"), 1)
        unit.conditions.confirm(key("D3"), key("D1"), 3)
        assert [3] == [each.confirmed_at for each in unit.conditions.touching(keys("D3"), ())]


def test_open_signals_are_found_by_their_decision_or_the_other_one(related: Store) -> None:
    with related.write() as unit:
        signal(unit, "SIG1", "D3", "D1", "r1", "ARE1 DOM1")
        signal(unit, "SIG2", "D2", "D1", "r2")
        signal(unit, "SIG10", "D4", "D5", "r3", "ARE1 DOM1", "conflict-detected")
        unit.conditions.close([(key("SIG2"), "over", "a confirmer")])
        conditions = unit.conditions
        assert "SIG1 SIG10" == together(each.item.key for each in conditions.all_open())
        assert "SIG1" == together(each.item.key for each in conditions.open_signals(about=keys("D3 D2")))
        assert "SIG10" == together(each.item.key for each in conditions.open_signals(about=(), other=keys("D5")))
        assert ("over", "a confirmer") == (
            conditions.signals(keys("SIG2"))[key("SIG2")].resolution,
            conditions.signals(keys("SIG2"))[key("SIG2")].confirmed_by,
        )
        assert "SIG2" == together(conditions.signals_about(keys("D2")))


def test_open_signals_are_counted_by_condition(related: Store) -> None:
    with related.write() as unit:
        assert {} == unit.conditions.count_open()
        signal(unit, "SIG1", "D3", "D1", "r1", "ARE1 DOM1")
        signal(unit, "SIG2", "D2", "D1", "r2")
        signal(unit, "SIG3", "D2", "D4", "r3")
        signal(unit, "SIG10", "D4", "D5", "r4", "ARE1 DOM1", "conflict-detected")
        unit.conditions.close([(key("SIG2"), "over", None)])
        unit.items.set_state(keys("SIG2"), "closed", at(9), raise_rev=False)
        assert {"premise-flagged": 2, "conflict-detected": 1} == unit.conditions.count_open()


def test_signals_are_listed_by_number_and_narrowed(related: Store) -> None:
    with related.write() as unit:
        for number, about in ((10, "D3"), (9, "D2"), (1, "D3")):
            signal(unit, f"SIG{number}", about, "D1", "r", "ARE1 DOM1" if about == "D3" else "ROOT")

        def shown(where: str | None = None, about: str | None = None, after: str | None = None) -> tuple[str, int]:
            found, total = unit.conditions.list_signals(
                None if where is None else keys(where),
                state="open",
                condition="premise-flagged",
                about=key(about) if about else None,
                after=key(after) if after else None,
                limit=2,
                offset=0,
            )
            return addresses(each.item.key for each in found), total

        assert ("SIG1 SIG9", 3) == shown()
        assert ("SIG10", 3) == shown(after="SIG9")
        assert ("SIG1 SIG10", 2) == shown("ARE1")
        assert ("SIG9", 1) == shown(about="D2")
        assert ("", 0) == shown("")
