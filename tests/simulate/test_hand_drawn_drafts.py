"""The drafts that were drawn by hand from the shipped briefs follow the prompt, and belong to their
briefs.
"""

import json
from typing import Any

import jsonschema
import pytest

from stages.contracts.brief import Prompt
from stages.contracts.graph import causal_edges, read
from stages.contracts.params import ScoringRules
from stages.score import Scorer
from stages.simulate.answer import shaped
from stages.simulate.characters import CHARACTERS
from stages.simulate.drafter import draft
from stages.simulate.stream import Stream
from tests.score.drafts import sub_score
from tests.simulate.requests import BRIEFS, REPOSITORY

DRAFTS: dict[str, dict[str, Any]] = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((REPOSITORY / "stages" / "simulate" / "drafts").glob("*.json"))
}
PROMPT = (REPOSITORY / "prompts" / "draft_graph_v21.txt").read_text(encoding="utf-8")
SCHEMA = json.loads((REPOSITORY / "prompts" / "draft_graph.schema.json").read_text("utf-8"))
SCORER = Scorer(
    ScoringRules(), BRIEFS.values(), Prompt(path="draft_graph_v21.txt", text=PROMPT, sha256="")
)
each_draft = pytest.mark.parametrize("brief_id", DRAFTS)


def test_every_shipped_brief_has_a_draft() -> None:
    assert list(DRAFTS) == list(BRIEFS)


@each_draft
def test_a_draft_is_usable_without_a_warning(brief_id: str) -> None:
    card = SCORER.score_graph(DRAFTS[brief_id], brief_id)
    outcomes = {check.name: check.outcome for check in card.fidelity}
    assert card.violations == ()
    assert card.warnings == ()
    assert outcomes["grounding"] == outcomes["result_signs"] == "pass"
    assert sub_score(card, "range_discipline").value == 1.0
    assert set(outcomes.values()) <= {"pass", "not_applicable"}


@each_draft
def test_a_draft_has_nothing_that_the_schema_of_the_prompt_does_not_have(brief_id: str) -> None:
    draft = DRAFTS[brief_id]
    properties = SCHEMA["properties"]
    jsonschema.validate(shaped(draft, SCHEMA), SCHEMA)
    assert read(draft)[1] == ()
    assert set(draft) == set(properties)
    for part in ("nodes", "edges", "causal_claims"):
        allowed = set(properties[part]["items"]["properties"])
        assert {key for entry in draft[part] for key in entry} <= allowed


DRAWS = [Stream(draw) for draw in ("first", "second", "third")]
each_model = pytest.mark.parametrize("model", ["sim-careful", "sim-deep"])


def varied(brief_id: str, model: str, draw: Stream) -> dict[str, Any]:
    return draft(BRIEFS[brief_id].body, CHARACTERS[model], draw)


@each_draft
@each_model
def test_a_model_varies_a_draft_and_keeps_it_usable(brief_id: str, model: str) -> None:
    drafts = [varied(brief_id, model, draw) for draw in DRAWS]
    cards = [SCORER.score_graph(draft, brief_id) for draft in drafts]
    assert all(card.usable for card in cards)
    assert {finding.code for card in cards for finding in card.warnings} == set()
    assert drafts[0] != drafts[1] != drafts[2]


@each_draft
@each_model
def test_a_varied_effect_has_the_drawn_sign_and_another_size(brief_id: str, model: str) -> None:
    drawn, graph = (
        read(draft)[0] for draft in (DRAFTS[brief_id], varied(brief_id, model, DRAWS[0]))
    )
    means = {(edge.source, edge.target): edge.mean or 0.0 for edge in causal_edges(drawn)}
    for edge in causal_edges(graph):
        mean = edge.mean or 0.0
        assert mean * means[edge.source, edge.target] > 0
        assert (mean > 0) == (edge.effect_direction == "positive")
