"""The verdict overall and for each model, in its order."""

from typing import Any

import pytest

from graph_evaluator.compare.verdict import CAVEAT
from graph_evaluator.records.params import CompareParams
from graph_evaluator.records.scorecard import Scorecard
from tests.builders.cases import cases
from tests.compare.cards import (
    BASE,
    BETTER,
    NOISY,
    PARAMS,
    answered,
    card,
    cards,
    judged,
    judged_models,
)


def params(**changes: float) -> CompareParams:
    return CompareParams.model_validate({**PARAMS.model_dump(), **changes})


def lost(scores: list[float], count: int) -> list[Scorecard]:
    """The cards of these scores, the last ones without an answer."""
    return list(cards([*scores[: len(scores) - count], *[None] * count]))


@pytest.mark.parametrize(
    ("base", "head", "verdict", "reason"),
    [
        pytest.param(
            cards(BASE), cards(BETTER), "better", "score is better: its interval lies above 0",
            id="better",
        ),
        pytest.param(
            cards(BASE), cards(NOISY), "cannot tell", "score may be better or worse: its interval holds 0",
            id="noise",
        ),
        pytest.param(
            cards([0.5] * 16), cards([0.5] * 15 + [0.501]), "no meaningful difference",
            "score differs too little to matter: its interval lies within ±0.02", id="the same scores",
        ),
        pytest.param(
            answered(BASE), answered(BASE), "unchanged", "both sides hold the same answers",
            id="the same answers",
        ),
        pytest.param(
            answered(BASE[:5]), answered(BASE[:5]), "could not measure",
            "5 briefs with a score on both sides, of 5 that both asked, and a verdict requires 6", id="five briefs",
        ),
        pytest.param(
            cards([*BASE, *BASE[:6]]), lost([*BETTER, *BETTER[:6]], 9), "could not measure",
            "7 briefs with a score on both sides, of 16 that both asked", id="less than half of what was asked",
        ),
        pytest.param([], [], "could not measure", "no model was asked the same brief", id="nothing"),
    ],
)  # fmt: skip
def test_what_is_missing_comes_first_then_the_same_answers_then_the_test(
    base: list[Scorecard], head: list[Scorecard], verdict: str, reason: str
) -> None:
    found = judged(base, head)
    assert found.verdict == verdict
    assert found.reason.startswith(reason)


def test_answers_that_one_model_loses_do_not_shift_the_mean() -> None:
    weak, strong = cards([0.3] * 10, model="weak"), cards([0.9] * 10, model="strong")
    found = judged([*weak, *strong], [*weak[:5], *strong])
    assert found.score.difference.value == 0.0


def test_the_models_share_one_error_rate() -> None:
    several = [*cards(BASE, model="a"), *cards(BASE, model="b"), *cards(BASE, model="c")]
    moved = [*cards(BETTER, model="a"), *cards(NOISY, model="b"), *cards(NOISY, model="c")]
    alone = judged_models(cards(BASE), cards(BETTER))["m"]
    together = judged_models(several, moved)["a"]
    assert (together.score.difference.low or 0) < (alone.score.difference.low or 0)
    assert together.verdict == "better"


SIXTEEN = [0.5 + 0.01 * (brief % 3) for brief in range(16)]


@pytest.mark.parametrize(
    ("base", "head", "caveat"),
    [
        pytest.param(cards(BASE), cards(BETTER), None, id="no failure and no tail"),
        pytest.param(
            [card(codes=("X",)), *cards(SIXTEEN)[1:]],
            cards([score + 0.3 for score in SIXTEEN]), CAVEAT, id="one side fails",
        ),
        pytest.param(
            [card(codes=("X",)), *cards([*SIXTEEN, *SIXTEEN])[1:]],
            cards([score + 0.3 for score in [*SIXTEEN, *SIXTEEN]]), None, id="on many briefs",
        ),
        pytest.param(
            cards(SIXTEEN), cards([*[score + 0.01 for score in SIXTEEN[:15]], 0.95]), None,
            id="a tail and no verdict",
        ),
    ],
)  # fmt: skip
def test_a_verdict_on_few_briefs_with_rare_losses_carries_a_caveat(
    base: list[Scorecard], head: list[Scorecard], caveat: str | None
) -> None:
    assert judged(base, head).caveat == caveat


def with_content(scores: list[float], contents: list[float], **more: Any) -> list[Scorecard]:
    """Cards with content."""
    numbered = enumerate(zip(scores, contents, strict=True), 1)
    return [
        card(score, brief=f"b{place:02}", **{"content": content} | more)
        for place, (score, content) in numbered
    ]


def test_content_decides_with_the_score_where_both_sides_have_it() -> None:
    found = judged(with_content(BASE, BETTER), with_content(BETTER, BASE))
    assert (found.verdict, found.content_left_out) == ("mixed", None)
    assert found.reason == (
        "score is better: its interval lies above 0; content is worse: its interval lies below 0"
    )
    by_score = judged(with_content(BASE, BETTER), with_content(BETTER, BASE), by_score=True)
    assert (by_score.verdict, by_score.content.verdict) == ("better", "worse")


@cases(
    "more, why",
    {
        "it was": ({}, None),
        "it was not": ({"content": None}, "0 briefs with stated effects on both"),
    },
)
def test_content_that_was_not_measured_leaves_the_verdict_to_the_score(
    more: dict[str, None], why: str | None
) -> None:
    found = judged(with_content(BASE, BETTER), with_content(BETTER, BASE, **more))
    assert (found.verdict == "mixed") is (why is None)
    assert (why or "") in (found.content_left_out or "")
    assert "briefs code" in (found.content_left_out or "briefs code")
    alone = judged(cards(BASE), cards(BETTER))
    assert why is None or found.score == alone.score
