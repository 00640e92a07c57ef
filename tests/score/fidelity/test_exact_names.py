"""Labels with exact names are read without a codebook, and every effect beyond the stated ones
counts as invented.
"""

from graph_evaluator.language.concepts import read_names
from graph_evaluator.records.brief import parse_brief
from graph_evaluator.score import Scorer
from tests.builders.cases import cases
from tests.builders.graphs import edge
from tests.score.drafts import RULES, draft, link, node, with_node

BRIEF = """---
exact_names: true
options: [[zelkor], [quarvin], [status quo]]
concepts: {plekrir: [plekrir], dumum: [dumum], vorlam: [vorlam], grolp: [grolp]}
effects:
  - zelkor raises plekrir
  - plekrir raises vorlam
  - dumum lowers grolp
  - vorlam raises goal
  - grolp lowers goal
  - plekrir does not affect grolp
excluded: [quarvin]
---
Should we sign with Zelkor? Nobody may sign with Quarvin.
"""
LABELS = {
    "opt_raise": "Sign with Zelkor",
    "fac_price": "Plekrir, tonnes a month",
    "fac_service": "Level of dumum",
    "out_profit": "Vorlam by the autumn",
    "risk_churn": "Grolp in the sheds",
}


def a_graph():
    graph = draft()
    for name, label in LABELS.items():
        node(graph, name)["label"] = label
    return graph


def scored(graph):
    card = Scorer(RULES, [parse_brief("b", BRIEF, file="b")]).score_graph(graph, "b")
    assert card.violations == ()
    return card


def outcomes(card):
    return {result.effect: result.outcome for result in card.effects}


def test_a_graph_with_all_effects_and_no_other_has_content_1_in_any_words():
    card = scored(a_graph())
    assert (card.content, card.invented, card.exact_names) == (1.0, (), True)
    assert set(outcomes(card).values()) == {"right"}
    kept = next(result for result in card.fidelity if result.name == "options_kept")
    assert kept.outcome == "pass"


def test_a_label_that_means_the_opposite_turns_what_is_said_of_it():
    graph = a_graph()
    node(graph, "fac_service")["label"] = "Cut in dumum"
    assert outcomes(scored(graph))["dumum lowers grolp"] == "wrong"
    link(graph, "fac_service", "risk_churn")["strength"]["mean"] = 0.3
    assert outcomes(scored(graph))["dumum lowers grolp"] == "right"


def test_a_missing_effect_names_the_end_without_a_label():
    graph = a_graph()
    node(graph, "risk_churn")["label"] = "Trouble in the sheds"
    card = scored(graph)
    missing = {
        result.effect: result.unnamed for result in card.effects if result.outcome == "missing"
    }
    assert missing == {
        "dumum lowers grolp": ("grolp",),
        "grolp lowers goal": ("grolp",),
        "plekrir does not affect grolp": ("grolp",),
    }
    assert card.content == 0.5


def test_an_effect_that_the_brief_denies_or_lacks_is_invented_also_through_other_nodes():
    graph = with_node(a_graph(), "fac_mood", "factor", label="Mood in the yard")
    graph["edges"] += [edge("fac_price", "fac_mood", 0.2), edge("fac_mood", "risk_churn", 0.2)]
    card = scored(graph)
    assert card.invented == ("plekrir affects grolp",)
    assert outcomes(card)["plekrir does not affect grolp"] == "wrong"
    assert (card.drawn_effects, card.invented_share) == (5, 1 / 5)


def test_a_shortcut_past_a_stated_step_is_not_invented():
    graph = with_node(a_graph(), "out_fame", "outcome", label="Fame")
    graph["edges"] += [edge("fac_price", "out_fame", 0.2), edge("out_fame", "goal", 0.2)]
    card = scored(graph)
    assert (card.invented, card.drawn_effects) == ((), 5)


def test_without_exact_names_nothing_is_called_invented():
    text = BRIEF.replace("exact_names: true", "complexity: simple")
    card = Scorer(RULES, [parse_brief("b", text, file="b")]).score_graph(a_graph(), "b")
    assert (card.content, card.drawn_effects, card.invented_share) == (None, None, None)


@cases(
    "label, expected",
    {
        "with a unit": ("Plekrir, tonnes/month", {"plekrir": 1}),
        "in a compound": ("Plekrirmenge im Jahr", {"plekrir": 1}),
        "within a compound": ("Gesamtplekrir", {"plekrir": 1}),
        "less": ("less plekrir", {"plekrir": -1}),
        "some words between": ("Reduction in the weekly amount of dumum", {"dumum": -1}),
        "kept low": ("Dumum is kept low", {"dumum": -1}),
        "a compound of lack": ("Plekrirmangel", {"plekrir": -1}),
        "German": ("Zu wenig Plekrir", {"plekrir": -1}),
        "avoided drop": ("Avoided drop in plekrir", {"plekrir": 1}),
        "a remark": ("Plekrir (less is better)", {"plekrir": 1}),
        "the first of two": ("Share of plekrir in dumum", {"plekrir": 1}),
        "two that are joined": ("Loss of plekrir and dumum", {"plekrir": -1, "dumum": -1}),
        "per": ("Days per plekrir", {}),
        "none": ("Price per seat", {}),
    },
)
def test_a_label_is_about_the_first_name_that_it_has(label, expected):
    assert read_names(label, {"plekrir": ["plekrir"], "dumum": ["dumum"]}) == expected
