"""What the demo prints: answers that are short, and say how much was left out."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from walkthrough.stage import Stage, StepFailed
from walkthrough.trimming import reply_lines, text_lines


def printed(stage: Stage) -> str:
    assert isinstance(stage.console.file, io.StringIO)
    return stage.console.file.getvalue()


@pytest.fixture
def stage() -> Stage:
    return Stage(Console(file=io.StringIO(), width=60, highlight=False, emoji=False, markup=False))


def test_a_short_answer_is_shown_whole() -> None:
    reply = {"rests_on_this": {"open": 0, "closed": 4}}
    assert ['{"rests_on_this": {"open": 0, "closed": 4}}'] == list(reply_lines(reply))


def test_of_a_long_list_the_first_are_shown_and_the_rest_is_counted() -> None:
    reply = {"signals": [{"address": f"SIG{n}", "id": "x"} for n in range(1, 1_200)], "total": 5_000, "limit": 50}
    assert [
        '{"total": 5000, … 1 more}',
        "signals:",
        '    {"address": "SIG1", … 1 more}',
        '    {"address": "SIG2", … 1 more}',
        '    {"address": "SIG3", … 1 more}',
        "    … and 1,196 more here",
    ] == list(reply_lines(reply, ("address", "total")))


def test_the_members_to_show_are_those_of_what_is_inside_as_well() -> None:
    reply = {"relation": {"id": "7", "kind": "contradicts"}, "created": True}
    assert ['{"relation": {"kind": "contradicts", … 1 more}, … 1 more}'] == list(
        reply_lines(reply, ("relation", "kind"))
    )


def test_an_answer_without_any_of_the_members_is_shown_whole() -> None:
    reply = {"error": {"code": "forbidden", "message": "no"}}
    assert ['{"error": {"code": "forbidden", "message": "no"}}'] == list(reply_lines(reply, ("address",)))


def test_an_empty_list_is_shown_as_one() -> None:
    assert ['{"signals": [], "total": 0}'] == list(reply_lines({"signals": [], "total": 0}))


def test_a_long_text_says_how_long_it_is() -> None:
    (line,) = reply_lines({"body": "b" * 1_160})
    assert line.endswith('b… 1,000 characters more"}')


def test_a_token_is_never_shown() -> None:
    assert "secret" not in "".join(reply_lines({"id": "7", "token": "secret"}))


def test_of_a_long_table_the_first_lines_are_shown() -> None:
    lines = list(text_lines("\n".join(str(number) for number in range(1, 21))))
    assert (13, "12", "… and 8 lines more") == (len(lines), lines[-2], lines[-1])


def test_what_holds_is_ticked_and_what_does_not_stops_the_story(stage: Stage) -> None:
    stage.holds("two and two are four", True)
    with pytest.raises(StepFailed, match="two and two are five"):
        stage.holds("two and two are five", False)
    assert "✓ two and two are four" in printed(stage)
    assert "✗ two and two are five" in printed(stage)


def test_markup_in_somebodys_title_is_text(stage: Stage) -> None:
    stage.say("[red]not red[/red] :smile:")
    stage.answer(["[bold]x[/bold]"])
    assert "[red]not red[/red] :smile:" in printed(stage)
    assert "[bold]x[/bold]" in printed(stage)


def test_rings_are_drawn_to_scale_and_an_empty_one_has_no_bar(stage: Stage) -> None:
    stage.bars([("ring 1", 40), ("ring 2", 10), ("ring 3", 0)])
    first, second, third = printed(stage).splitlines()
    assert (30, 8, 0) == (first.count("█"), second.count("█"), third.count("█"))


def test_no_line_is_wider_than_the_terminal(stage: Stage) -> None:
    stage.chapter("A title", "words " * 40)
    stage.call("agent", "get_decision " + "x " * 80)
    stage.answer([f'    {{"address": "D1", "message": "{"word " * 30}"}}'])
    stage.found("Question? " * 10, "Answer. " * 20)
    stage.summary()
    assert 60 >= max(len(line) for line in printed(stage).splitlines())
