"""Damaged copies stay valid and are the same in every run; cards count which checks notice them."""

from graph_evaluator.records.brief import parse_brief
from graph_evaluator.records.response import Cell
from graph_evaluator.score import Scorer
from graph_evaluator.score.damages import (
    check_cards,
    labels_shuffled,
    option_dropped,
    signs_turned,
)
from tests.builders.graphs import edge
from tests.builders.responses import response
from tests.score.drafts import RULES, changed, draft, scored, sets, with_edges, with_node

STATES = """---
has_numeric_target: true
target: 12
options: [[raise], [status quo], [cut]]
---
"""
PRICE = "Raise the price per seat, cut it, or stay? Hours of support cost us profit; two rivals charge less. We want 12 % more."
FERRY = "Order a battery ferry, rebuild the diesel engine or rent a vessel? Fog delays commuters, who complain about noise."


def three_options():
    graph = changed("goal", goal_threshold_raw=12, goal_threshold_unit="%")
    cut = {"label": "Cut the price", "data": sets(fac_price=0.2)}
    graph = with_node(graph, "opt_cut", "option", **cut)
    return with_edges(graph, edge("dec", "opt_cut"), edge("opt_cut", "fac_price"))


def labels(graph, *kinds):
    return [node["label"] for node in graph["nodes"] if node["kind"] in kinds]


def test_labels_are_dealt_out_among_nodes_of_their_kind():
    whole, shuffled = three_options(), labels_shuffled(three_options(), "m/b/1")
    for kinds in (("option",), ("factor", "outcome", "risk"), ("decision",), ("goal",)):
        assert sorted(labels(shuffled, *kinds)) == sorted(labels(whole, *kinds))
    assert shuffled != whole
    assert shuffled == labels_shuffled(three_options(), "m/b/1")
    assert shuffled != labels_shuffled(three_options(), "m/b/2")


def test_every_effect_is_turned_with_its_direction():
    graph = draft()
    graph["edges"][4]["effect_direction"] = "positive"
    turned = signs_turned(graph, "")["edges"]
    means = [entry["strength"]["mean"] for entry in turned]
    assert means == [0.5, 0.5, 0.5, 0.5, -0.6, 0.3, -0.2, -0.5, 0.4]
    assert turned[4]["effect_direction"] == "negative"


def test_a_dropped_option_leaves_a_valid_graph_of_two():
    dropped = option_dropped(three_options(), "m/b/1")
    assert len(labels(dropped, "option")) == 2
    assert scored(dropped).structural_valid
    assert option_dropped(draft(), "m/b/1") is None


def test_cards_count_the_copies_that_a_check_judges_worse():
    briefs = [parse_brief("price", STATES + PRICE, "p"), parse_brief("ferry", FERRY, "f")]
    scorer = Scorer(RULES, briefs)
    graphs = {"price": three_options(), "ferry": with_ferry_labels()}
    responses = [response(Cell("m", name, 1), parsed_graph=graphs[name]) for name in graphs]
    cards = check_cards(responses, scorer, {"own": "Is it ours?"})
    assert cards.copies == {
        "labels shuffled": 2, "signs turned": 2, "another brief's graph": 2, "option dropped": 1, "target changed": 1,
    }  # fmt: skip
    caught = {card.name: card.caught for card in cards.checks}
    assert caught["target"]["target changed"] == 1
    assert caught["options_kept"]["option dropped"] == 1
    assert caught["result_signs"] == cards.copies | dict.fromkeys(
        ("labels shuffled", "another brief's graph", "option dropped", "target changed"), 0
    )
    assert caught["grounding"]["another brief's graph"] == 2
    assert cards.checks[-1].model_dump() == {
        "name": "own", "question": "Is it ours?", "own": True, "caught": dict.fromkeys(cards.copies, 0),
    }  # fmt: skip
    assert [(brief.brief_id, brief.caught, brief.copies) for brief in cards.briefs] == [
        ("ferry", 2, 3),
        ("price", 4, 5),
    ]


def with_ferry_labels():
    graph = draft()
    words = (
        "Battery ferry",
        "Status quo: diesel engine",
        "Vessel",
        "Diesel",
        "Fog",
        "Delays",
        "Noise",
        "Commuters",
    )
    for entry, label in zip(graph["nodes"][1:], words, strict=True):
        entry["label"] = label
    return graph
