"""The hand-drawn drafts follow the prompt and belong to their briefs; any other text gets the
template.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.made_up import shipped, true_graph
from graph_evaluator.briefs.made_up import made_up_text
from graph_evaluator.records.brief import parse_brief
from graph_evaluator.simulate.answer import plain_draft, vary
from graph_evaluator.simulate.characters import CHARACTERS, Stream
from tests.score.drafts import sub_score
from tests.simulate.requests import BRIEFS, SCORER

each_brief = pytest.mark.parametrize("brief_id", BRIEFS)
each_model = pytest.mark.parametrize("model", ["sim-careful", "sim-defaults"])


def drawn(brief_id):
    return plain_draft(BRIEFS[brief_id].body)


def varied(brief, model, draw="first"):
    draft = plain_draft(brief)
    vary(draft, CHARACTERS[model], Stream(draw), Stream("failures"))
    return draft


@each_brief
def test_a_drawn_draft_is_usable_without_a_warning(brief_id):
    card = SCORER.score_graph(drawn(brief_id), brief_id)
    outcomes = {check.name: check.outcome for check in card.fidelity}
    assert card.violations == ()
    assert card.warnings == ()
    assert outcomes["grounding"] == outcomes["result_signs"] == "pass"
    assert sub_score(card, "range_discipline").value == 1.0
    noticed = {name for name, outcome in outcomes.items() if outcome in ("warn", "fail")}
    assert noticed == set()
    assert card.content == 1.0


@each_brief
@each_model
def test_a_model_varies_a_draft_and_keeps_it_usable(brief_id, model):
    drafts = [varied(BRIEFS[brief_id].body, model, draw) for draw in ("first", "second", "third")]
    cards = [SCORER.score_graph(draft, brief_id) for draft in drafts]
    assert all(card.usable for card in cards)
    assert {finding.code for card in cards for finding in card.warnings} == set()
    assert drafts[0] != drafts[1] != drafts[2]


def test_another_text_gets_the_template_with_its_first_sentences_marked_as_simulated():
    labels = [node["label"] for node in plain_draft("Tea or coffee? We like both.")["nodes"]]
    assert labels[:2] == ["Simulated decision: Tea or coffee", "Simulated option 1: We like both"]
    assert all("simulated" in label.lower() for label in labels)
    assert len(set(labels)) == len(labels)


@given(st.text(max_size=300), st.sampled_from(["sim-careful", "sim-defaults"]))
@settings(max_examples=60)
def test_a_draft_is_structurally_valid_whatever_the_text(text, model):
    card = SCORER.score_graph(varied(text, model), next(iter(BRIEFS)))
    assert card.violation_codes == ()


@pytest.mark.parametrize("decision", shipped(), ids=lambda decision: decision.id)
def test_a_shipped_made_up_brief_and_its_draft_are_those_of_its_seed(decision):
    """If it fails: `make made-up`, and the openings."""
    assert BRIEFS[decision.id] == parse_brief(decision.id, made_up_text(decision), decision.id)
    assert drawn(decision.id) == true_graph(decision)
