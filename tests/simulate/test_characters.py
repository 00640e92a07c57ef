"""What each simulated model promises, over the shipped briefs."""

import hashlib
from collections import Counter
from statistics import mean

import pytest

from graph_evaluator.simulate.answer import SimulatedRequest
from graph_evaluator.simulate.characters import MODELS
from tests.simulate.requests import BRIEFS, ask, cards, scored, scores

DRAWS = ("1/1/1", "2/1/1", "3/1/1")
TEXT = next(iter(BRIEFS.values())).body


def sub_score(model, name):
    """The mean of a sub-score over a model's valid graphs."""
    values = [
        entry.value
        for card in cards(model)
        for group in card.sub_scores.values()
        for entry in group
        if entry.name == name
    ]
    return mean(values)


def endings(model):
    return Counter(entry.answer.status for draw in DRAWS for entry in scored(model, draw))


def test_an_answer_is_the_same_in_every_process_and_version():
    texts = [ask(model, TEXT, instructions="Draft.").received or "" for model in MODELS]
    assert hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16] == "8bead915366d7cfe"


def test_an_answer_changes_with_the_draw_the_model_the_input_and_the_instructions():
    answers = [
        ask("sim-careful", TEXT),
        ask("sim-careful", TEXT, draw="1/2/1"),
        ask("sim-flaky", TEXT),
        ask("sim-careful", TEXT + " Please hurry."),
        ask("sim-careful", TEXT, instructions="Another prompt."),
    ]
    assert len({answer.raw_text for answer in answers}) == 5


@pytest.mark.parametrize("limit", [16, 500])
@pytest.mark.parametrize("model", ["sim-careful", "sim-defaults"])
def test_an_answer_never_has_more_tokens_than_the_limit(model, limit):
    answer = ask(model, TEXT, max_output_tokens=limit)
    assert (answer.status, answer.measured.usage.output_tokens) == ("truncated", limit)


def test_the_careful_model_drafts_valid_graphs_that_score_high_but_not_full():
    assert all(card.usable for card in cards("sim-careful"))
    assert 0.9 < mean(scores("sim-careful")) < 0.99
    assert max(scores("sim-careful")) - min(scores("sim-careful")) > 0.05


def test_the_model_of_defaults_leaves_every_edge_at_its_default():
    assert sub_score("sim-defaults", "default_takeover") == 0
    assert sub_score("sim-defaults", "std_variation") == 0
    assert "wrong" in {effect.outcome for card in cards("sim-defaults") for effect in card.effects}


def test_the_flaky_model_wraps_its_json_and_sometimes_breaks_it_or_a_rule():
    answers = [entry for draw in DRAWS for entry in scored("sim-flaky", draw)]
    texts = [entry.answer.raw_text or "" for entry in answers]
    assert 0.2 < mean("```" in text for text in texts) < 0.6
    assert 0.2 < mean("<think>" in text for text in texts) < 0.6
    assert set(endings("sim-flaky")) == {"success", "parse_failed", "truncated", "refused"}
    codes = {code for entry in answers if entry.card for code in entry.card.violation_codes}
    assert codes == {"INVALID_EDGE_REF", "MISSING_GOAL", "CYCLE_DETECTED"}


def test_the_first_call_of_the_flaky_model_often_fails():
    requests = [
        SimulatedRequest(model=model, instructions="", input=f"brief {number}", draw="1/1/1")
        for model in ("sim-flaky", "sim-careful")
        for number in range(100)
    ]
    failing = [request.model for request in requests if request.fails_first]
    assert set(failing) == {"sim-flaky"}
    assert 25 < len(failing) < 55
