"""A whole comparison."""

import pytest

from stages.commands.compare.sides import ComparedSide
from stages.shared.records.response import PromptRef, RecordedCounts
from tests.builders.cases import cases
from tests.commands.compare.cards import (
    BASE,
    BETTER,
    PARAMS,
    cards,
    compared,
    manifest,
    notes,
    side,
)


def test_scores_of_different_rules_are_never_compared() -> None:
    with pytest.raises(ValueError, match="different rules"):
        compared(cards(BASE, rules="old"), cards(BASE, rules="new"))


def test_inputs_that_changed_between_the_sides_are_named() -> None:
    after = manifest(models={"m": "2"}, samples=3)
    found = compared(cards(BASE), side(cards(BASE), run=after))
    assert notes(found) == (
        "Inputs that changed (a brief is still paired with itself): model m, generate.samples 3.",
    )


@cases(
    "models, prompt, answers, shown",
    {
        "of another prompt": (("m", "log"), "bb", "1", ["m"]),
        "with other answers": (("m", "log"), "bb", "2", ["log", "m"]),
        "of the same prompt": (("m", "log"), "aa", "1", ["log", "m"]),
        "alone": (("log",), "bb", "1", ["log"]),
    },
)
def test_a_recorded_model_with_the_same_answers_says_nothing_about_a_prompt(
    models: tuple[str, ...], prompt: str, answers: str, shown: list[str]
) -> None:
    def of_run(prompt: str, answers: str) -> ComparedSide:
        counts = RecordedCounts(
            answers_sha256=answers,
            prompt=None,
            answers=10,
            not_recorded=0,
            left_out=0,
            without_answer=0,
        )
        named = PromptRef(path=f"prompts/{prompt}.txt", sha256=prompt)
        run = manifest(prompt=named, recorded={"log": counts})
        return side([card for model in models for card in cards(BASE, model=model)], run=run)

    found = compared(of_run("aa", "1"), of_run(prompt, answers))
    assert [model.model_id for model in found.models] == shown
    assert len([note for note in notes(found) if "Left out: log" in note]) == ("log" not in shown)


def test_simulated_models_are_reported_where_they_are_compared() -> None:
    simulated, real = cards(BASE, model="sim", simulated=True), cards(BASE, model="real")
    assert notes(compared(simulated, simulated))[0].startswith("These models are simulated")
    assert notes(compared([*simulated, *real], real)) == notes(compared(real, real))
    mixed = compared(side(simulated, rescored=True), cards(BASE, model="sim"))
    assert notes(mixed)[0].startswith("Simulated models are among these (sim)")
    assert notes(mixed)[1].startswith("The answers of main were scored by other rules")


def test_more_comparisons_than_planned_are_reported() -> None:
    planned = PARAMS.model_copy(update={"planned_comparisons": 3})
    base, head = cards(BASE), cards(BETTER)
    found = [notes(compared(base, head, planned, known_comparisons=known)) for known in (3, 4)]
    assert found[0] == ()
    assert found[1][0].startswith("Git holds 4 runs of this prompt")


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
