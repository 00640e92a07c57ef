"""The graphs that were drawn by hand, edges included, are valid and belong to their briefs by the checks of today."""

from collections import Counter

import pytest

from stages.contracts.brief import Prompt
from stages.contracts.params import ScoringRules
from stages.score import Scorer
from tests.score.fidelity.drawn_graphs import DrawnGraph, drawn_graphs, read_graph
from tests.score.fidelity.true_graphs import BRIEFS, PROMPTS

GRAPHS = drawn_graphs()
SCORER = Scorer(
    ScoringRules(),
    {drawn.brief.id: drawn.brief for drawn in GRAPHS}.values(),
    Prompt(path="draft_graph_v21.txt", text=PROMPTS["draft_graph_v21"], sha256=""),
)
WARNED = {"blood-donation, synonyms": {"grounding": "warn"}}
"""What the checks say about a true graph that uses few of its brief's words."""
each_graph = pytest.mark.parametrize("drawn", GRAPHS, ids=lambda drawn: drawn.id)


def results_against_their_kind(drawn: DrawnGraph) -> list[str]:
    """The outcomes that lower the goal and the risks that raise it."""
    kinds = {node["id"]: node["kind"] for node in drawn.graph["nodes"]}
    means = {
        edge["from"]: edge["strength"]["mean"]
        for edge in drawn.graph["edges"]
        if kinds[edge["to"]] == "goal"
    }
    harmful = [node_id for node_id, mean in means.items() if mean < 0]
    outcomes = [node_id for node_id in harmful if kinds[node_id] == "outcome"]
    return outcomes + [
        node_id for node_id in means if kinds[node_id] == "risk" and node_id not in harmful
    ]


def test_there_are_four_graphs_of_each_of_ten_briefs_that_are_not_shipped_in_four_languages() -> (
    None
):
    graphs_by_brief = Counter(drawn.brief.id for drawn in GRAPHS)
    assert len(graphs_by_brief) >= 10
    assert set(graphs_by_brief.values()) == {4}
    assert not set(graphs_by_brief) & set(BRIEFS)
    assert len({drawn.language for drawn in GRAPHS}) >= 4


@each_graph
def test_a_drawn_graph_is_valid_without_a_warning(drawn: DrawnGraph) -> None:
    card = SCORER.score_graph(drawn.graph, drawn.brief.id)
    assert card.violations == ()
    assert card.warnings == ()


@each_graph
def test_a_drawn_graph_passes_the_checks(drawn: DrawnGraph) -> None:
    card = SCORER.score_graph(drawn.graph, drawn.brief.id)
    noticed = {
        check.name: check.outcome
        for check in card.fidelity
        if check.outcome not in ("pass", "not_applicable")
    }
    assert noticed == WARNED.get(drawn.id, {})


def test_four_analysts_drew_a_result_whose_sign_is_not_that_of_its_kind() -> None:
    unusual = {drawn.id for drawn in GRAPHS if results_against_their_kind(drawn)}
    assert unusual == {
        "aceite-es, unusual signs",
        "dawajin-ar, unusual signs",
        "tofu-jp, unusual signs",
        "vet-night-cover, abbreviated",
    }


@each_graph
def test_each_stated_effect_names_concepts_options_or_the_goal(drawn: DrawnGraph) -> None:
    aliases = {alias for option in drawn.brief.expectations.options for alias in option}
    for effect in drawn.effects:
        cause, verb, result = effect.rsplit(" ", 2)
        assert cause in aliases or cause in drawn.concepts
        assert verb in ("raises", "lowers")
        assert result in drawn.concepts or result == "goal"


def test_the_notation_says_what_an_option_sets_a_value_a_prior_and_an_effect() -> None:
    graph = read_graph(
        {
            "nodes": "dec: decision | Which boat\n"
            "opt: option | A ferry | litres 0.2\n"
            "litres: controllable | Diesel | 3/4 million litres explicit\n"
            "fog: external | Fog | 0.1..0.5\n"
            "goal: goal | On time | 92/100 %",
            "edges": "fog -> litres -0.25 p0.8\nfog <-> litres",
            "summary": "Fog.",
        }
    )
    nodes = {node["id"]: node for node in graph["nodes"]}
    chosen, _, effect, common_cause = graph["edges"]
    assert nodes["opt"]["data"] == {"interventions": {"litres": 0.2}}
    assert nodes["litres"]["data"] == {
        "value": 0.75,
        "raw_value": 3.0,
        "unit": "million litres",
        "cap": 4.0,
        "extractionType": "explicit",
    }
    assert nodes["fog"]["prior"] == {"distribution": "uniform", "range_min": 0.1, "range_max": 0.5}
    assert nodes["goal"]["goal_threshold"] == 0.92
    assert (chosen["from"], chosen["to"]) == ("dec", "opt")
    assert effect["strength"] == {"mean": -0.25, "std": 0.12}
    assert effect["effect_direction"] == "negative"
    assert common_cause["edge_type"] == "bidirected"
