"""What a comparison says, once for every form: see test_views for the forms."""

import pytest

from stages.commands.compare.comparison import Comparison, Unmeasured
from stages.commands.compare.outlook import Outlook
from stages.commands.compare.wording import describe, what_would_settle
from stages.shared.records.run import PromptRef, RecordedCounts
from stages.shared.records.scorecard import Scorecard
from stages.shared.shell import numbers
from tests.commands.compare.cards import BASE, BETTER, PARAMS, card, cards, compared, manifest, side

V21 = manifest(prompt=PromptRef(path="prompts/v21.txt", sha256="b"))


def better() -> Comparison:
    return compared(cards(BASE), side([*cards(BETTER), card(brief="new")], "v21"))


def test_the_reason_holds_the_difference_with_its_interval_and_its_evidence() -> None:
    report = describe(better())
    assert (report.verdict, report.title) == ("better", "v21 against main")
    assert report.sentences[:4] == (
        "Expected score 0.723 of the candidate, 0.360 of the baseline: +0.363 (95% interval +0.347 "
        "to +0.379) over 10 briefs and 1 model.",
        "Score is better: its interval lies above 0.",
        "Score alone decides: 0 briefs with stated effects on both sides, and 6 are needed "
        "(`graph-evaluator briefs draft` states them, `graph-evaluator briefs code` codes the "
        "labels).",
        "Next: take the candidate.",
    )


def with_content(scores: list[float], contents: list[float], coded: float) -> list[Scorecard]:
    both = zip(cards(scores), contents, strict=True)
    return [one.model_copy(update={"content": value, "coded": coded}) for one, value in both]


@pytest.mark.parametrize(("coded", "place"), [(1.0, "sentences"), (0.5, "beside")])
def test_content_is_a_sentence_where_it_decides_and_else_beside_the_verdict(
    coded: float, place: str
) -> None:
    before, after = (with_content(BASE, of, coded) for of in (BETTER, BASE))
    report = describe(compared(before, after))
    lines = [line for line in getattr(report, place) if line.startswith("Content ")]
    assert [line.partition(" (")[0] for line in lines] == [
        "Content 0.360 of the candidate, 0.723 of the baseline: -0.363"
    ]


def test_what_is_beside_the_verdict_has_a_fixed_order() -> None:
    names = [line.split(",")[0].split(":")[0] for line in describe(better()).beside]
    assert names == ["Quality", "Failures", "Briefs"]


def test_a_comparison_that_could_not_be_made_says_why() -> None:
    report = describe(Unmeasured(baseline="main", candidate="v21", reasons=("no results",)))
    assert (report.verdict, report.reasons) == ("could not measure", ("no results",))


def test_scores_that_only_git_keeps_are_called_unverified_in_the_title() -> None:
    report = describe(compared(cards(BASE), side(cards(BETTER), "v21", recorded=True)))
    assert report.title == "v21 against main (reported by the branch, not verified)"


def test_where_no_brief_is_shared_both_sides_have_their_figures() -> None:
    other = side([card(0.9, brief=f"c{index}") for index in range(8)], "v21")
    report = describe(compared(cards(BASE), other))
    before, after, why = report.beside
    assert before.startswith("main: expected score 0.360 (95% interval")
    assert after.startswith("v21: expected score 0.900 (95% interval")
    assert why.startswith("The inputs differ: no brief has an answer of one model on both sides")
    assert report.verdict == "could not measure"


@pytest.mark.parametrize(
    ("candidate", "prompts"),
    [
        pytest.param(side(cards(BETTER)), "Prompt on both sides: prompts/v20.txt", id="the same"),
        pytest.param(
            side(cards(BETTER), run=V21),
            "Prompt: prompts/v20.txt of the baseline, prompts/v21.txt of the candidate",
            id="another",
        ),
    ],
)
def test_the_prompts_of_both_sides_are_named(candidate: object, prompts: str) -> None:
    report = describe(compared(side(cards(BASE)), candidate))  # type: ignore[arg-type]
    assert (report.prompts, report.notes) == (prompts, ())


def test_answers_of_a_recorded_model_are_named_with_their_own_prompt() -> None:
    counts = RecordedCounts(
        answers_sha256="0" * 64, prompt="prompts/live.txt", answers=10, not_recorded=0, left_out=0,
        without_answer=0,
    )  # fmt: skip
    run = manifest(recorded={"logged": counts})
    logged = side(cards(BETTER), "logged", run=run, model="logged")
    report = describe(compared(side(cards(BASE), "called", run=run, model="called"), logged))
    assert report.prompts.endswith("prompts/live.txt of the candidate")


def test_the_models_are_listed_by_what_an_answer_costs_below_all_together() -> None:
    prices = {"dear": 0.04, "free": None, "cheap": 0.001}
    before, after = (
        [
            one
            for model, usd in prices.items()
            for one in cards(scores, model=model, est_cost_usd=usd)
        ]
        for scores in (BASE, BETTER)
    )
    rows = describe(compared(before, after)).models.rows
    assert [row[0].text for row in rows] == ["all models", "cheap", "dear", "free"]
    assert [row[5].text for row in rows][1:] == [
        "$0.00100 (x\u00a01.00)",
        "$0.0400 (x\u00a01.00)",
        "—",
    ]


def test_one_model_has_one_row_with_its_interval() -> None:
    result = better()
    (row,) = describe(result).models.rows
    ends = result.overall.judgement.score.difference.ends
    assert ends is not None
    assert row[2].text == f"+0.363 ({numbers.difference_interval(*ends)})"


def test_what_would_settle_it_is_briefs_or_samples_with_their_price() -> None:
    found = Outlook(
        number="score",
        target=0.02,
        briefs=40,
        briefs_usd=1.2,
        samples=6,
        samples_usd=0.5,
        sampling_known=True,
    )
    assert what_would_settle(found, 10) == (
        "What would change this: a difference of 0.020 in score is found, four times in five, with "
        "about 40 briefs (30 more, about $1.20); or with 6 samples per cell (about $0.500)."
    )


@pytest.mark.parametrize(
    ("planned", "level"),
    [(1, "at 95% confidence,"), (2, "at 97.5% confidence (95% shared by 2 planned comparisons),")],
)
def test_planned_comparisons_are_stated_with_the_level_that_they_leave(
    planned: int, level: str
) -> None:
    params = PARAMS.model_copy(update={"planned_comparisons": planned})
    assert level in " ".join(describe(compared(cards(BASE), cards(BETTER), params)).provenance)


def test_cells_of_one_side_and_cells_without_an_answer_are_reported() -> None:
    candidate = [*cards(BETTER), card(None, brief="b01", sample=2), card(brief="new")]
    provenance = describe(compared(cards(BASE), side(candidate, "v21"))).provenance
    assert "Only in v21: m / new." in provenance
    assert "1 cell of v21 without an answer: left out, not counted as 0." in provenance
