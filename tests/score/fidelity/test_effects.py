"""Result signs and stated effects: what a graph's own numbers say about the goal and about
concepts.
"""

from graph_evaluator.graph.causal_model import CausalModel, Topology
from graph_evaluator.language.concepts import read_concepts
from graph_evaluator.records.brief import parse_brief
from graph_evaluator.records.graph import read
from graph_evaluator.score.fidelity.effects import read_by_words
from graph_evaluator.score.fidelity.subject import BriefContent, Draft
from tests.builders.cases import cases
from tests.builders.graphs import edge
from tests.score.drafts import RULES, draft, link, node, with_node
from tests.score.fidelity.checking import check

TO_GOAL = [("outcome_0", 0.4), ("risk_0", -0.3)]


def with_results(*edges, direction=None):
    nodes = [
        {"id": "outcome_0", "kind": "outcome", "label": "Punctual"},
        {"id": "risk_0", "kind": "risk", "label": "Late"},
        {"id": "goal", "kind": "goal", "label": "Goal"},
    ]
    drawn = [edge(source, "goal", mean, effect_direction=direction) for source, mean in edges]
    return {"nodes": nodes, "edges": drawn}


@cases(
    "edges, expected",
    {
        "as their kinds": (TO_GOAL, "pass"),
        "an outcome lowers the goal": ([("outcome_0", -0.4)], "fail"),
        "half of them": ([("outcome_0", 0.4), ("risk_0", 0.3), ("risk_0", -0.1)], "warn"),
        "no effect": ([("outcome_0", 0.0)], "pass"),
    },
)
def test_outcomes_raise_the_goal_and_risks_lower_it(edges, expected):
    assert check("result_signs", with_results(*edges)).outcome == expected


def test_where_means_are_unsigned_the_direction_is_the_sign():
    risk = with_results(("risk_0", 0.3), direction="negative")
    assert check("result_signs", risk).outcome == "pass"
    outcome = with_results(("outcome_0", 0.3), direction="negative")
    assert check("result_signs", outcome).outcome == "fail"


FRONT_MATTER = """---
options: [[raise, price rise], [status quo]]
concepts:
  price: [price per seat]
  support: [support, -without support]
  profit: [profit]
  churn: [cancel, -stay]
  chains: [foreign chains]
effects: {effects}
---
Raise the price per seat, or not? Hours of support keep seats.
"""


def stating(*effects):
    text = FRONT_MATTER.format(effects=list(effects))
    return parse_brief("b", text, file="b")


def results(graph, *effects):
    topology = Topology(read(graph)[0])
    drafted = Draft(CausalModel(topology, RULES.status_quo_pattern))
    return list(read_by_words(drafted, BriefContent(stating(*effects))))


def outcome(graph, effect):
    return results(graph, effect)[0].outcome


@cases(
    "effect, expected",
    {
        "a concept on the goal": ("profit raises goal", "right"),
        "over a path": ("price raises goal", "right"),
        "the product of signs": ("support raises goal", "right"),
        "an option against the status quo": ("raise raises profit", "right"),
        "an option called in another case": ("Price Rise lowers profit", "wrong"),
        "the status quo against itself": ("status quo raises profit", "missing"),
        "none, as nothing leads there": ("profit does not affect churn", "right"),
        "none, where a path is": ("price does not affect profit", "wrong"),
        "none, of an option that changes it": ("raise does not affect profit", "wrong"),
        "none, of what has no label": ("support does not affect chains", "missing"),
    },
)
def test_an_effect_is_the_sum_over_paths(effect, expected):
    assert outcome(draft(), effect) == expected


def test_a_label_that_names_the_opposite_turns_the_effect():
    graph = draft()
    node(graph, "risk_churn")["label"] = "Seats that stay"
    assert outcome(graph, "churn lowers goal") == "wrong"
    node(graph, "risk_churn")["label"] = "Something else"
    assert outcome(graph, "churn lowers goal") == "missing"


def test_the_largest_of_several_effects_counts():
    graph = with_node(draft(), "out_more", "outcome", label="Profit of the reseller")
    graph["edges"] += [edge("fac_price", "out_more", -0.9), edge("out_more", "goal", 0.1)]
    assert outcome(graph, "price raises profit") == "wrong"
    link(graph, "fac_price", "out_more")["strength"]["mean"] = -0.3
    assert outcome(graph, "price raises profit") == "right"


@cases(
    "aliases, label, polarity",
    {
        "the beginning of a word": (["attend"], "Patients attending", 1),
        "behind un-": (["attend"], "Unattended rooms", None),
        "a short word inside another": (["rent"], "Parents", None),
        "an opposite": (["kept", "-not kept"], "Appointments not kept", -1),
        "the longest decides": (["-kept", "kept waiting"], "Patients kept waiting", 1),
        "of equal ones the opposite": (["shows", "-moved"], "Shows moved", -1),
        "joined names": (["no-show"], "NoShowRate", 1),
        "other scripts anywhere": (["待ち"], "平均待ち時間", 1),
        "the singular": (["wrong parts"], "Wrong part sent", 1),
        "a stop word before a single word": (["in house"], "House prices in town", None),
        "the number sign": (["nurses"], "No. of nurses", 1),
    },
)
def test_a_label_names_a_concept(aliases, label, polarity):
    readings = read_concepts(label, {"concept": aliases})
    assert [*readings.values()] == ([polarity] if polarity else [])


@cases(
    "label, polarity",
    {
        "avoided after": ("Waste avoided in the kitchen", -1),
        "over a number": ("Fewer than 40 waste bags", -1),
        "a number between": ("Avoided 40 t waste", 1),
        "twice": ("Avoided drop in waste", 1),
        "of one of two aliases": ("Spoilage avoided, of all waste", -1),
        "besides": ("Margin after waste", None),
        "German compounds": ("Müllvermeidung", -1),
        "Japanese": ("廃棄の削減", -1),
        "Arabic": ("تقليل النفايات", -1),
    },
)
def test_a_word_of_reversal_beside_a_concept_turns_it(label, polarity):
    aliases = ["waste", "spoilage", "müll", "déchets", "residuos", "廃棄", "نفايات"]
    readings = read_concepts(label, {"concept": aliases})
    assert [*readings.values()] == ([polarity] if polarity else [])
