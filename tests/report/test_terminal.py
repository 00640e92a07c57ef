import io

import pytest
from rich.console import Console

from stages.report.summary import terminal
from stages.shared.records.scorecard import Scorecard
from tests.builders.scorecards import card, findings, invalid, unanswered
from tests.report.hostile import HOSTILE


def printed(*cards: Scorecard, width: int = 160) -> str:
    out = io.StringIO()
    Console(file=out, width=width, highlight=False).print(
        *terminal(findings(*cards), "results/site/index.html", width), sep="\n"
    )
    return out.getvalue()


def test_it_shows_the_leaderboard_the_failures_the_cost_and_the_site() -> None:
    text = printed(
        card(score=0.75),
        invalid("a", "b2", "CYCLE_DETECTED"),
        unanswered("auth_failed", brief="b3"),
    )
    assert "0.375" in text
    assert "33% (1/3)" in text
    assert "CYCLE_DETECTED" in text
    assert "Check the key in api_key_env" in text
    assert "3 cells, 2 answered, 1 usable; cost $0.0200" in text
    assert "site: results/site/index.html" in text


def test_that_answers_are_missing_is_said_last() -> None:
    text = printed(card(simulated=True), unanswered("auth_failed", brief="b2"))
    assert text.splitlines()[-1].startswith("1 cell has no answer")


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_id_is_plain_text(value: str) -> None:
    text = printed(card(value), invalid(value, "b2", value or "X"))
    assert "\x1b" not in text
    assert "\u202e" not in text
    text.encode("utf-8")


def test_many_models_are_cut_with_a_note() -> None:
    assert "and 5 more on the site" in printed(*(card(f"m{number}") for number in range(35)))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_scores_and_ids_are_whole_in_a_terminal_of_any_width(width: int) -> None:
    cards = [
        card("gpt-6.1-terra-low", f"b{number}", 0.5 + number / 100, simulated=True)
        for number in range(16)
    ]
    text = printed(*cards, invalid("b", "b1", "CONTROLLABLE_NO_OPTION_EDGE"), width=width)
    assert "0.575" in text
    assert "CONTROLLABLE_NO_OPTION_EDGE" in text
    assert max(map(len, text.splitlines())) <= width
    assert width < 80 or "GPT-6.1-TERRA-LOW" in text


def test_markup_in_an_id_is_shown_and_not_interpreted() -> None:
    assert "[bold red]x[/bold red]" in printed(card("[bold red]x[/bold red]"))
