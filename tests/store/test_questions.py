"""The questions about damage are those of the contract, and every statement of one answers alike."""

from __future__ import annotations

import pytest

from smeldr.model.findings import FINDINGS
from smeldr.store.contract import ASKED, REMOVABLE
from smeldr.store.questions import LEFT_OVER, QUESTIONS


def test_the_store_has_the_questions_of_its_contract_and_no_others() -> None:
    assert ASKED.keys() == QUESTIONS.keys()
    assert ASKED.keys() <= FINDINGS.keys()
    assert set(REMOVABLE) == LEFT_OVER.keys()


@pytest.mark.parametrize("code", ASKED)
def test_every_statement_answers_in_the_columns_of_the_contract_and_in_an_order(code: str) -> None:
    for statement in QUESTIONS[code]:
        assert ASKED[code] == tuple(column.name for column in statement.selected_columns)
        assert statement._order_by_clauses or "counter-behind" == code
