"""The graphs that were drawn by hand, edges included, are valid and belong to their briefs by the
checks of today.
"""

from collections import Counter

import pytest

from stages.contracts.brief import Prompt
from stages.contracts.params import ScoringRules
from stages.score import Scorer
from tests.score.fidelity.drawn_graphs import (
    SHORT_GRAPHS,
    DrawnGraph,
    drawn_graphs,
    read_graph,
)
from tests.score.fidelity.true_graphs import BRIEFS, PROMPTS

GRAPHS = drawn_graphs()
SCORER = Scorer(
    ScoringRules(),
    {drawn.brief.id: drawn.brief for drawn in GRAPHS}.values(),
    Prompt(path="draft_graph_v21.txt", text=PROMPTS["draft_graph_v21"], sha256=""),
)
WARNED = {
    "blood-donation, synonyms": {"grounding": "warn"},
    "aceite-es, synonyms": {"effects": "warn"},
    "aceite-es, unusual signs": {"result_signs": "warn"},
    "bus-jp, all options at one set of levers": {"effects": "warn"},
    "dawajin-ar, unusual signs": {"result_signs": "warn"},
    "saydaliya-ar, synonyms": {"effects": "warn"},
    "tischlerei-de, synonyms": {"grounding": "warn"},
    "tofu-jp, unusual signs": {"result_signs": "warn"},
    "vet-night-cover, abbreviated": {"result_signs": "warn"},
}
"""What the checks say about true graphs that use few words of their brief, or of its concepts, or
that have a result whose sign is not that of its kind.
"""
each_graph = pytest.mark.parametrize("drawn", GRAPHS, ids=lambda drawn: drawn.id)


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


def test_of_the_graphs_of_short_briefs_only_those_without_their_words_fail() -> None:
    graphs = drawn_graphs(SHORT_GRAPHS)
    scorer = Scorer(ScoringRules(), {drawn.brief.id: drawn.brief for drawn in graphs}.values())
    cards = {drawn.id: scorer.score_graph(drawn.graph, drawn.brief.id) for drawn in graphs}
    assert not any(card.unchecked for card in cards.values())
    failed = {name for name, card in cards.items() if not card.usable}
    assert failed == {"podcast, far synonyms", "translators, far synonyms"}
