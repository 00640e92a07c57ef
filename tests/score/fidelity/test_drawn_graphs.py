"""The graphs that were drawn by hand, edges included, are valid and belong to their briefs by the
checks of today.
"""

import pytest

from graph_evaluator.records.brief import Prompt
from graph_evaluator.records.params import ScoringRules
from graph_evaluator.score import Scorer
from tests.score.fidelity.drawn_graphs import PROMPTS, drawn_graphs

GRAPHS = drawn_graphs()
SCORER = Scorer(
    ScoringRules(),
    {drawn.brief.id: drawn.brief for drawn in GRAPHS}.values(),
    Prompt(path="draft_graph_v21.txt", text=PROMPTS["draft_graph_v21"]),
)
WARNED = {
    "aceite-es, unusual signs": {"result_signs": "warn"},
    "dawajin-ar, unusual signs": {"result_signs": "warn"},
    "tofu-jp, unusual signs": {"result_signs": "warn"},
    "vet-night-cover, abbreviated": {"result_signs": "warn"},
}
"""What the checks say about true graphs with a result whose sign is not that of its kind."""


@pytest.mark.parametrize("drawn", GRAPHS, ids=lambda drawn: drawn.id)
def test_a_drawn_graph_is_valid_and_passes_the_checks(drawn):
    card = SCORER.score_graph(drawn.graph, drawn.brief.id)
    assert (card.violations, card.warnings) == ((), ())
    noticed = {
        check.name: check.outcome
        for check in card.fidelity
        if check.outcome not in ("pass", "not_applicable")
    }
    assert noticed == WARNED.get(drawn.id, {})


def test_no_graph_of_a_short_brief_fails_and_those_without_its_words_warn():
    graphs = drawn_graphs("short_graphs")
    scorer = Scorer(ScoringRules(), {drawn.brief.id: drawn.brief for drawn in graphs}.values())
    cards = {drawn.id: scorer.score_graph(drawn.graph, drawn.brief.id) for drawn in graphs}
    assert not any(card.unchecked for card in cards.values())
    assert all(card.usable for card in cards.values())
    foreign = {name for name, card in cards.items() if "But" in card.fidelity[0].message}
    assert foreign == {"podcast, far synonyms", "translators, far synonyms"}
