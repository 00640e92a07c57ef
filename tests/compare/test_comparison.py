"""A whole comparison."""

import pytest

from stages.contracts.decision import Decision, ModeDecision
from stages.contracts.run import PromptRef
from tests.compare.cards import (
    BASE,
    BETTER,
    PARAMS,
    answered,
    card,
    cards,
    compared,
    manifest,
    side,
)


def test_a_gain_in_every_brief_is_better() -> None:
    found = compared(cards(BASE), side(cards(BETTER), "v21"))
    assert found.verdict == "better"
    assert found.scores.difference.value == pytest.approx(0.363)


def test_the_sides_swapped_are_worse_by_as_much() -> None:
    there = compared(cards(BASE), cards(BETTER))
    back = compared(cards(BETTER), cards(BASE))
    assert back.verdict == "worse"
    assert there.scores.difference.value is not None
    assert back.scores.difference.value == pytest.approx(-there.scores.difference.value)


def test_the_same_answers_are_no_change() -> None:
    same = answered(BASE)
    found = compared(same, same)
    assert (found.verdict, found.reason) == ("unchanged", "both sides hold the same answers")
    assert found.scores.difference.low is None


def test_five_briefs_could_not_measure() -> None:
    found = compared(cards(BASE[:5]), cards(BETTER[:5]))
    assert found.verdict == "could not measure"
    assert "5 briefs" in found.reason


def test_no_model_in_common_could_not_measure_and_names_the_cells() -> None:
    found = compared(cards(BASE, model="a"), cards(BASE, model="b"))
    assert found.verdict == "could not measure"
    assert (len(found.pairing.only_base), len(found.pairing.only_head)) == (10, 10)


def test_an_open_question_says_what_would_settle_it() -> None:
    noisy = [score + (0.25 if index % 2 else -0.15) for index, score in enumerate(BASE)]
    found = compared(cards(BASE), cards(noisy))
    assert found.verdict == "cannot tell"
    assert found.scores.outlook is not None
    assert found.scores.outlook.briefs is not None
    assert found.scores.outlook.briefs > 10


def test_scores_of_different_rules_are_never_compared() -> None:
    with pytest.raises(ValueError, match="different rules"):
        compared(cards(BASE, rules="old"), cards(BASE, rules="new"))


def test_inputs_that_changed_between_the_sides_are_named() -> None:
    after = manifest(models={"m": "2"}, samples=3)
    found = compared(cards(BASE), side(cards(BASE), run=after))
    assert found.models[0].config_changed
    assert found.notes == (
        "Inputs that changed (a brief is still paired with itself): model m, generate.samples 3.",
    )


def test_scores_from_the_table_are_reported() -> None:
    found = compared(side(cards(BASE), recorded=True), side(cards(BASE), recorded=True))
    assert (found.base.recorded, found.base.rescored) == (True, False)
    assert found.notes == (
        "The scorecards of main cannot be read: its scores are those of results/scores.csv, to four decimals.",
    )


def test_simulated_models_are_reported_where_they_are_compared() -> None:
    simulated, real = cards(BASE, model="sim", simulated=True), cards(BASE, model="real")
    assert compared(simulated, simulated).notes[0].startswith("These models are simulated")
    assert compared([*simulated, *real], real).notes == compared(real, real).notes


def test_rescored_and_simulated_results_are_reported() -> None:
    found = compared(side(cards(BASE, simulated=True), rescored=True), cards(BASE))
    assert found.notes[0].startswith("Simulated models")
    assert found.notes[1].startswith("The answers of main were scored by other rules")


def test_two_models_of_one_run_are_paired_by_brief() -> None:
    both = side([*cards(BASE, model="a"), *cards(BETTER, model="b"), *cards(BASE, model="c")])
    base, head = (both.of_model(model, "b against a") for model in "ab")
    found = compared(base, head)
    assert (found.verdict, found.base.name, found.head.name) == ("better", "a", "b")
    assert [each.model_id for each in found.models] == ["b against a"]
    assert (found.pairing.only_base, found.pairing.only_head) == ((), ())


def test_more_looks_than_planned_are_reported() -> None:
    planned = PARAMS.model_copy(update={"planned_looks": 3})
    notes = [compared(cards(BASE), cards(BETTER), planned, looks=looks).notes for looks in (3, 4)]
    assert notes[0] == ()
    assert notes[1][0].startswith("Git holds 4 looks at this prompt")


def test_models_that_lose_different_shares_of_their_cells_are_reported() -> None:
    base = [each for model in "abc" for each in cards(BASE, model=model)]
    head = [
        *cards(BETTER, model="a"),
        *cards([*BETTER[:8], None, None], model="b"),
        *cards([*BETTER[:9], None], model="c"),
    ]
    found = compared(base, head)
    assert found.notes[0].startswith(
        "The models lost different shares of their cells (most b 10%, least a 0%)"
    )


def decision(**models: str) -> Decision:
    """A decision that names a model for each mode."""
    prompt = PromptRef(path="p", sha256="x")
    modes = {
        mode: ModeDecision(
            verdict="leads", model=model, reason="", config_sha256=None, prompt=prompt, answered_models=(), shutdown_date=None,
            simulated=False, evidence=None, rivals=(), rivals_confidence=None, checks=(), excluded=(), cheapest=None, fastest=None,
            next_step=None, caveats=(),
        )
        for mode, model in models.items()
    }  # fmt: skip
    return Decision(run_id="r", score="expected_score", confidence=0.95, margin=0.03, modes=modes)


def test_a_change_of_the_recommended_model_is_reported() -> None:
    before, after = decision(fast="a", deep="c"), decision(fast="b", deep="c", normal="d")
    found = compared(side(cards(BASE), decision=before), side(cards(BETTER), decision=after))
    assert found.notes == (
        "The model for fast changed: a (leads) before, b (leads) now.",
        "The model for normal changed: none before, d (leads) now.",
    )


def test_a_side_without_a_recorded_decision_has_none_to_compared() -> None:
    assert compared(cards(BASE), side(cards(BETTER), decision=decision(fast="a"))).notes == ()


def test_equal_losses_are_not_reported() -> None:
    head = [
        *cards([*BETTER[:8], None, None], model="a"),
        *cards([*BETTER[:8], None, None], model="b"),
    ]
    found = compared([*cards(BASE, model="a"), *cards(BASE, model="b")], head)
    assert found.notes == ()


def test_a_model_with_one_paired_brief_is_named_as_left_out() -> None:
    found = compared([*cards(BASE), card(model="one")], [*cards(BETTER), card(model="one")])
    assert (
        found.notes[0]
        == "Left out, with fewer than two briefs that have a score on both sides: one."
    )


def test_empty_sides_are_compared_without_a_crash() -> None:
    assert compared([], []).verdict == "could not measure"
