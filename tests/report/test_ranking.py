import random
from typing import Any

import pytest

from stages.report.ranking import BriefResult, Occurrence, failures_of, warnings_of
from stages.shared.records.response import ANSWERED, STATUSES
from stages.shared.records.scorecard import Finding, Scorecard, meaning_of
from tests.builders.cases import cases
from tests.builders.scorecards import card, cells, config, findings, invalid, unanswered, unusable


def ranked(*cards: Scorecard) -> list[tuple[str, int | None]]:
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
        "equal scores and costs, by id": ([card("b"), card("a")], [("a", 1), ("b", 1)]),
        "equal but for rounding": (
            [card("a", score=0.3), card("b", score=0.1 + 0.2)], [("a", 1), ("b", 1)],
        ),
    },
)  # fmt: skip
def test_models_come_by_expected_score(
    cards: list[Scorecard], order: list[tuple[str, int | None]]
) -> None:
    assert ranked(*cards) == order


def test_the_order_of_scorecards_makes_no_difference() -> None:
    cards = [card(model, f"b{number}", 0.1 * number) for model in "ab" for number in range(1, 6)]
    shuffled = random.Random(3).sample(cards, len(cards))
    configs = (config("a"), config("b", "fast"))
    one, other = findings(*shuffled, configs=configs), findings(*cards, configs=configs)
    assert one == other


def brief(*cards: Scorecard) -> BriefResult:
    return findings(*cards).briefs[0]


def test_a_brief_has_the_score_of_each_model() -> None:
    one = brief(card("a", score=0.2), card("b", score=0.7), unanswered(model="c"))
    assert one.scores == {"b": 0.7, "a": 0.2, "c": None}


def test_a_brief_that_nobody_answered_has_no_spread() -> None:
    assert brief(unanswered(), card(brief="b2")).spread is None


def test_the_spread_of_a_brief_is_over_models_that_do_not_always_fail() -> None:
    cards = (card("a", score=0.2), card("b", score=0.8), invalid("c", "b1", "X"))
    assert brief(*cards).spread == pytest.approx(0.6 / 2**0.5)
    assert brief(*cards, card("c", "b2")).spread == pytest.approx(0.416, abs=0.001)


REAL, SIMULATED = card("a"), card("a", simulated=True)


@cases(
    "cards, names, shown",
    {
        "without a config": ((REAL,), {}, ["a"]),
        "invisible characters": ((REAL,), {"a": "x\u202ey\u200b"}, ["xy"]),
        "two of one name": ((REAL, card("b")), {"a": "Twin", "b": "Twin"}, ["Twin (a)", "Twin (b)"]),
        "some simulated": ((SIMULATED, card("b")), {"a": "A", "b": "B"}, ["A (simulated)", "B"]),
        "all simulated": ((SIMULATED, card("b", simulated=True)), {"a": "A", "b": "B"}, ["A", "B"]),
        "it says so": ((SIMULATED, card("b")), {"a": "Simulated: a", "b": "B"}, ["Simulated: a", "B"]),
    },
)  # fmt: skip
def test_models_have_visible_names_that_tell_them_apart(
    cards: tuple[Scorecard, ...], names: dict[str, str], shown: list[str]
) -> None:
    configs = [config(model, display_name=name) for model, name in names.items()]
    assert list(findings(*cards, configs=configs).names.values()) == shown


@cases(
    "prompt, shown", {"another": ("live", "A (with prompts/live.txt)"), "the run's": ("draft", "A")}
)
def test_recorded_answers_to_another_prompt_name_it_beside_the_model(
    prompt: str, shown: str
) -> None:
    answers: dict[str, Any] = {"answers": "answers/a.jsonl", "prompt": f"prompts/{prompt}.txt"}
    recorded = config("a", provider="recorded", **answers)
    assert findings(card("a"), configs=[recorded]).names == {"a": shown}


NAMES = {"a": "A", "z": "Z"}


def failed(*cards: Scorecard) -> list[Occurrence]:
    return failures_of(cells(*cards), NAMES)


def test_failures_are_counted_in_cells_by_code() -> None:
    (one,) = failed(
        invalid("a", "b2", "FORBIDDEN_EDGE", "FORBIDDEN_EDGE"),
        invalid("z", "b1", "FORBIDDEN_EDGE"),
        invalid("z", "b2", "FORBIDDEN_EDGE"),
        card("a", "b3"),
    )
    assert (one.code, len(one.cells), one.of_cells, one.models) == (
        "FORBIDDEN_EDGE", 3, 4, (("Z", 2), ("A", 1)),
    )  # fmt: skip


def test_a_cell_without_a_graph_fails_with_its_status() -> None:
    found = failed(unusable("truncated"), unanswered(brief="b2"))
    assert [one.code for one in found] == ["server_error", "truncated"]


@cases(
    "cards, codes",
    {
        "what the next run calls again": (
            (unusable("refused"), unusable("refused", brief="b2"), unanswered(brief="b3")), ["server_error", "refused"],
        ),
        "then the most frequent, then by name": (
            (invalid("a", "b1", "Y", "Z"), invalid("a", "b2", "Z", "X")), ["Z", "X", "Y"],
        ),
        "nothing failed": ((card(),), []),
    },
)  # fmt: skip
def test_the_order_of_failures(cards: tuple[Scorecard, ...], codes: list[str]) -> None:
    assert [one.code for one in failed(*cards)] == codes


def test_warnings_are_counted_once_per_cell_the_most_frequent_first() -> None:
    odd, rare = Finding(code="ODD", message=""), Finding(code="A_RARE", message="")
    cards = (card(warnings=(odd, odd, rare)), card(brief="b2", warnings=(odd,)))
    found = warnings_of(cells(*cards), NAMES)
    assert [(one.code, len(one.cells)) for one in found] == [("ODD", 2), ("A_RARE", 1)]


@pytest.mark.parametrize("status", [one for one in STATUSES if one != "success"])
def test_every_status_but_success_has_a_meaning(status: str) -> None:
    assert meaning_of(status) != meaning_of("SOMETHING_NEW")


@pytest.mark.parametrize("status", sorted(set(STATUSES) - ANSWERED - {"invalid_request"}))
def test_statuses_without_an_answer_say_how_to_call_again(status: str) -> None:
    assert "dvc repro -f" in meaning_of(status)[1]
