from typing import Any

import pytest

from tests.builders.cases import cases
from tests.builders.scorecards import card, config, findings, invalid, unanswered


def ranked(*cards):
    return [(model.id, model.rank) for model in findings(*cards, configs=()).candidates]


@cases(
    "cards, order",
    {
        "one that fails half its briefs does not lead": (
            [card("flattered", "b1", 0.9), invalid("flattered", "b2", "X"), card("steady", "b1", 0.6)],
            [("steady", 1), ("flattered", 2)],
        ),
        "without an answer": ([unanswered(model="a"), card("b", score=0.0)], [("b", 1), ("a", None)]),
        "equal scores, the cheaper first": (
            [card("a", est_cost_usd=0.9), card("b", est_cost_usd=0.1), card("c", score=0.1)],
            [("b", 1), ("a", 1), ("c", 3)],
        ),
        "equal but for rounding": (
            [card("a", score=0.3), card("b", score=0.1 + 0.2)], [("a", 1), ("b", 1)],
        ),
    },
)  # fmt: skip
def test_models_come_by_expected_score(cards, order):
    assert ranked(*cards) == order


def test_the_order_of_scorecards_makes_no_difference():
    cards = [card(model, f"b{number}", 0.1 * number) for model in "ab" for number in range(1, 6)]
    assert findings(*reversed(cards)) == findings(*cards)


def test_models_have_visible_names_that_tell_them_apart():
    names = {"b": "x\u202ey\u200b", "c": "Twin", "d": "Twin", "e": "E", "f": "Simulated: f"}
    cards = [card(model, simulated=model in "ef") for model in ("a", *names)]
    configs = [config(model, display_name=name) for model, name in names.items()]
    assert list(findings(*cards, configs=configs).names.values()) == [
        "a", "xy", "Twin (c)", "Twin (d)", "E (simulated)", "Simulated: f"
    ]  # fmt: skip
    assert findings(cards[4], configs=configs).names == {"e": "E"}


@pytest.mark.parametrize(
    ("prompt", "shown"), [("live", "A (with prompts/live.txt)"), ("draft", "A")]
)
def test_recorded_answers_to_another_prompt_name_it_beside_the_model(prompt, shown):
    paths: Any = {"answers": "answers/a.jsonl", "prompt": f"prompts/{prompt}.txt"}
    recorded = config("a", provider="recorded", **paths)
    assert findings(card("a"), configs=[recorded]).names == {"a": shown}
