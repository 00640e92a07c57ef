"""A whole comparison."""

import pytest

from graph_evaluator.compare.revisions import changed_inputs
from graph_evaluator.compare.verdict import ONLY_RECORDED
from graph_evaluator.compare.wording import describe
from graph_evaluator.records.run_results import PromptRef, RecordedCounts
from tests.builders.cases import cases
from tests.compare.cards import (
    BASE,
    cards,
    compared,
    lines,
    manifest,
    side,
)


def test_scores_of_different_rules_are_never_compared():
    with pytest.raises(ValueError, match="different rules"):
        compared(cards(BASE, rules="old"), cards(BASE, rules="new"))


@cases(
    "models, prompt, answers, shown",
    {
        "of another prompt": (("m", "log"), "bb", "1", ["m"]),
        "with other answers": (("m", "log"), "bb", "2", ["log", "m"]),
        "alone": (("log",), "bb", "1", []),
    },
)
def test_a_recorded_model_with_the_same_answers_says_nothing_about_a_prompt(
    models, prompt, answers, shown
):
    def of_run(prompt, answers):
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
    assert len([line for line in lines(found) if "Left out: log" in line]) == ("log" not in shown)
    is_measured = found.verdict != "could not measure"
    assert is_measured is bool(shown)
    assert (found.reason == ONLY_RECORDED) is not is_measured


def test_simulated_models_are_reported_where_they_are_compared():
    simulated, real = cards(BASE, model="sim", simulated=True), cards(BASE, model="real")
    (said,) = describe(compared(simulated, simulated)).notices
    assert said.startswith("Simulated models (sim): ")
    assert not describe(compared([*simulated, *real], real)).notices


@cases(
    "changed, named",
    {
        "another prompt": (
            {"prompt": PromptRef(path="prompts/v21.txt", sha256="aa")},
            "prompt prompts/v20.txt, prompts/v21.txt",
        ),
        "models and settings": (
            {"models": {"m": "2", "n": "1"}, "round": 2},
            "model m, added model n, generate.round 2",
        ),
        "other briefs": ({"briefs": {"b02": "1"}}, "added brief b02, removed brief b01"),
    },
)
def test_what_changed_is_named(changed, named):
    run = manifest()
    assert ", ".join(changed_inputs(run, run.model_copy(update=changed))) == named
