"""Every way of damaging a register is found for what it is, and mended where it can be mended."""

from __future__ import annotations

import pytest

from smeldr.model.findings import FINDINGS, REPAIRABLE
from smeldr.operations.checkup.doctor import CHECKS, visit
from smeldr.operations.checkup.repairs import REPAIRS
from tests.operations.chain import broken
from tests.operations.checkup.damages import DAMAGES, Damage, Damaged
from tests.operations.tables import Tables

ITS_OWN_FAILURES = {"check-failed", "repair-failed"}
WAYS = [pytest.param(code, damage, id=f"{code}-{damage.__name__}") for code, damage in DAMAGES]


def found(register: Damaged) -> dict[str, int]:
    """How much the doctor finds, by code."""
    return dict(visit(register.owner.register).totals)


@pytest.mark.parametrize("code, damage", WAYS)
def test_the_damage_alone_is_found_and_mended_where_that_can_be(damaged: Damaged, code: str, damage: Damage) -> None:
    damage(damaged)
    before = found(damaged)
    assert [code] == list(before)
    if code in REPAIRABLE:
        report = visit(damaged.owner.register, [code])
        assert (before, {}) == (report.repaired, report.totals)
        assert {} == visit(damaged.owner.register, REPAIRABLE).repaired
        assert [] == broken(Tables(damaged.database))


def test_every_code_has_a_way_to_come_to_it() -> None:
    assert set(FINDINGS) - ITS_OWN_FAILURES == {code for code, _ in DAMAGES}


def test_every_code_that_can_be_repaired_has_a_repair_and_no_other() -> None:
    assert list(REPAIRABLE) == list(REPAIRS)


def test_every_check_is_of_a_code_or_of_several() -> None:
    assert {"conditions", "history"} == set(CHECKS) - set(FINDINGS)
