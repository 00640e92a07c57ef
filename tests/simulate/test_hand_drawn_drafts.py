"""The drafts that were drawn by hand from the shipped briefs follow the prompt, and belong to their
briefs.
"""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from stages.contracts.brief import Prompt, parse_brief
from stages.contracts.graph import read
from stages.contracts.params import ScoringRules
from stages.score import Scorer
from stages.simulate.answer import shaped
from stages.simulate.characters import CHARACTERS
from stages.simulate.drafter import draft, drawn_draft
from stages.simulate.stream import Stream

REPOSITORY = Path(__file__).parents[2]
BRIEFS = {
    path.stem: parse_brief(path.stem, path.read_text(encoding="utf-8"), file=path.name)
    for path in sorted((REPOSITORY / "briefs").glob("*.md"))
}
DRAFTS: dict[str, dict[str, Any]] = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((REPOSITORY / "stages" / "simulate" / "drafts").glob("*.json"))
}
PROMPT = (REPOSITORY / "prompts" / "draft_graph_v21.txt").read_text(encoding="utf-8")
SCHEMA = json.loads((REPOSITORY / "prompts" / "draft_graph.schema.json").read_text("utf-8"))
SCORER = Scorer(
    ScoringRules(), BRIEFS.values(), Prompt(path="draft_graph_v21.txt", text=PROMPT, sha256="")
)
PREFIXES = {
    "decision": "dec_",
    "option": "opt_",
    "factor": "fac_",
    "outcome": "out_",
    "risk": "risk_",
    "goal": "goal_",
}
each_draft = pytest.mark.parametrize("brief_id", DRAFTS)


def kinds(draft: dict[str, Any]) -> dict[str, str]:
    return {node["id"]: node["kind"] for node in draft["nodes"]}


def causal_edges(draft: dict[str, Any]) -> list[dict[str, Any]]:
    structural = ("decision", "option")
    directed = [edge for edge in draft["edges"] if edge["edge_type"] == "directed"]
    return [edge for edge in directed if kinds(draft)[edge["from"]] not in structural]


def test_every_shipped_brief_has_a_draft() -> None:
    assert list(DRAFTS) == list(BRIEFS)


@each_draft
def test_a_draft_is_usable_without_a_warning(brief_id: str) -> None:
    card = SCORER.score_graph(DRAFTS[brief_id], brief_id)
    outcomes = {check.name: check.outcome for check in card.fidelity}
    assert card.violations == ()
    assert card.warnings == ()
    assert outcomes["grounding"] == "pass"
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


@each_draft
def test_the_ids_of_a_draft_begin_with_their_kind(brief_id: str) -> None:
    for node_id, kind in kinds(DRAFTS[brief_id]).items():
        assert node_id.startswith(PREFIXES[kind])


@each_draft
def test_outcomes_serve_the_goal_and_risks_harm_it(brief_id: str) -> None:
    draft = DRAFTS[brief_id]
    for edge in causal_edges(draft):
        kind = kinds(draft)[edge["from"]]
        mean = edge["strength"]["mean"]
        assert kind != "outcome" or mean > 0
        assert kind != "risk" or mean < 0


@each_draft
def test_the_means_that_enter_a_node_add_up_to_at_most_one(brief_id: str) -> None:
    totals: dict[str, float] = {}
    for edge in causal_edges(DRAFTS[brief_id]):
        totals[edge["to"]] = totals.get(edge["to"], 0.0) + abs(edge["strength"]["mean"])
    assert max(totals.values()) <= 1.0


@each_draft
def test_each_lever_has_a_present_value(brief_id: str) -> None:
    nodes = DRAFTS[brief_id]["nodes"]
    options = [node for node in nodes if node["kind"] == "option"]
    levers = {node["id"]: node for node in nodes if node.get("category") == "controllable"}
    assert levers.keys() == {
        lever for option in options for lever in option["data"]["interventions"]
    }
    for lever in levers.values():
        data = lever["data"]
        assert data["value"] == pytest.approx(data["raw_value"] / data["cap"], abs=0.001)
    assert all(
        0 <= value <= 1 for option in options for value in option["data"]["interventions"].values()
    )


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
    drawn = {
        (edge["from"], edge["to"]): edge["strength"]["mean"]
        for edge in causal_edges(DRAFTS[brief_id])
    }
    for edge in causal_edges(varied(brief_id, model, DRAWS[0])):
        mean = edge["strength"]["mean"]
        assert mean * drawn[edge["from"], edge["to"]] > 0
        assert (mean > 0) == (edge["effect_direction"] == "positive")


def test_a_claim_is_about_an_edge_that_is_there() -> None:
    for brief_id in DRAFTS:
        draft = varied(brief_id, "sim-careful", DRAWS[0])
        pairs = {(edge["from"], edge["to"]) for edge in draft["edges"]}
        claims = [claim for claim in draft["causal_claims"] if claim["type"] == "direct_effect"]
        assert {(claim["from"], claim["to"]) for claim in claims} <= pairs


def test_the_deep_model_drafts_more_than_the_careful_one() -> None:
    def edges(model: str) -> int:
        return sum(len(varied(brief, model, draw)["edges"]) for brief in DRAFTS for draw in DRAWS)

    assert edges("sim-deep") > edges("sim-careful")


def test_another_brief_has_no_drawn_draft() -> None:
    assert drawn_draft("Tea or coffee?") is None
