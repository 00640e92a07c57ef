"""A whole comparison."""

import pytest

from stages.contracts.decision import Decision, ModeDecision
from stages.contracts.run import PromptRef
from tests.compare.cards import (
    BASE,
    BETTER,
    PARAMS,
    answered,
    cards,
    compared,
    manifest,
    notes,
    side,
)


def test_a_gain_in_every_brief_is_better_and_as_large_a_loss_is_worse() -> None:
    found = [compared(cards(BASE), cards(BETTER)), compared(cards(BETTER), cards(BASE))]
    assert [result.verdict for result in found] == ["better", "worse"]
    values = [result.overall.judgement.difference.value for result in found]
    assert values == pytest.approx([0.363, -0.363])


def test_the_same_answers_are_no_change() -> None:
    same = answered(BASE)
    found = compared(same, same)
    assert (found.verdict, found.reason) == ("unchanged", "both sides hold the same answers")


def test_no_model_in_common_could_not_measure_and_names_the_cells() -> None:
    found = compared(cards(BASE, model="a"), cards(BASE, model="b"))
    assert found.verdict == "could not measure"
    assert (len(found.pairing.only_baseline), len(found.pairing.only_candidate)) == (10, 10)


def test_scores_of_different_rules_are_never_compared() -> None:
    with pytest.raises(ValueError, match="different rules"):
        compared(cards(BASE, rules="old"), cards(BASE, rules="new"))


def test_inputs_that_changed_between_the_sides_are_named() -> None:
    after = manifest(models={"m": "2"}, samples=3)
    found = compared(cards(BASE), side(cards(BASE), run=after))
    assert found.models[0].config_changed
    assert notes(found) == (
        "Inputs that changed (a brief is still paired with itself): model m, generate.samples 3.",
    )


def test_scores_from_the_table_are_reported() -> None:
    found = compared(side(cards(BASE), recorded=True), side(cards(BASE), recorded=True))
    assert (found.baseline.recorded, found.baseline.rescored) == (True, False)
    assert notes(found) == (
        "The scorecards of main cannot be read: its scores are those of results/scores.csv, to four decimals.",
    )


def test_simulated_models_are_reported_where_they_are_compared() -> None:
    simulated, real = cards(BASE, model="sim", simulated=True), cards(BASE, model="real")
    assert notes(compared(simulated, simulated))[0].startswith("These models are simulated")
    assert notes(compared([*simulated, *real], real)) == notes(compared(real, real))
    mixed = compared(side(simulated, rescored=True), cards(BASE, model="sim"))
    assert notes(mixed)[0].startswith("Simulated models are among these (sim)")
    assert notes(mixed)[1].startswith("The answers of main were scored by other rules")


def test_two_models_of_one_run_are_paired_by_brief() -> None:
    both = side([*cards(BASE, model="a"), *cards(BETTER, model="b"), *cards(BASE, model="c")])
    base, head = (both.of_model(model, "b against a") for model in "ab")
    found = compared(base, head)
    assert (found.verdict, found.baseline.name, found.candidate.name) == ("better", "a", "b")
    assert [each.model_id for each in found.models] == ["b against a"]
    assert (found.pairing.only_baseline, found.pairing.only_candidate) == ((), ())


def test_more_looks_than_planned_are_reported() -> None:
    planned = PARAMS.model_copy(update={"planned_looks": 3})
    found = [notes(compared(cards(BASE), cards(BETTER), planned, looks=looks)) for looks in (3, 4)]
    assert found[0] == ()
    assert found[1][0].startswith("Git holds 4 looks at this prompt")


@pytest.mark.parametrize(
    ("lost", "expected"),
    [
        pytest.param(
            {"a": 0, "b": 2, "c": 1},
            ["The models lost different shares of their cells (most b 10%, least a 0%)"],
            id="different",
        ),
        pytest.param({"a": 2, "b": 2}, [], id="equal"),
    ],
)
def test_models_that_lose_different_shares_of_their_cells_are_reported(
    lost: dict[str, int], expected: list[str]
) -> None:
    base = [card for model in lost for card in cards(BASE, model=model)]
    head = [
        card
        for model, count in lost.items()
        for card in cards([*BETTER[: 10 - count], *[None] * count], model=model)
    ]
    assert [note.partition(":")[0] for note in notes(compared(base, head))] == expected


def decision(**models: str) -> Decision:
    """A decision that names a model for each mode."""
    prompt = PromptRef(path="p", sha256="x")
    modes = {
        mode: ModeDecision(
            verdict="leads", model=model, reason="", config_sha256=None, prompt=prompt, answered_models=(), shutdown_date=None,
            simulated=False, evidence=None, rivals=(), rivals_confidence=None, checks=(), excluded=(), cheapest=None, fastest=None,
            next_step=None,
        )
        for mode, model in models.items()
    }  # fmt: skip
    return Decision(
        run_id="r", score="expected_score", confidence=0.95, min_difference=0.02, modes=modes
    )


def test_a_change_of_the_recommended_model_is_reported() -> None:
    before, after = decision(fast="a", deep="c"), decision(fast="b", deep="c", normal="d")
    found = compared(side(cards(BASE), decision=before), side(cards(BETTER), decision=after))
    assert notes(found) == (
        "The model for fast changed: a (leads) before, b (leads) now.",
        "The model for normal changed: none before, d (leads) now.",
    )
    assert notes(compared(cards(BASE), side(cards(BETTER), decision=after))) == ()


def test_empty_sides_are_compared_without_a_crash() -> None:
    assert compared([], []).verdict == "could not measure"
