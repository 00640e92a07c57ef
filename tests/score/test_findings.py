"""What a finding says, word for word, and which nodes and edges it names."""

import pytest

from graph_evaluator.records.scorecard import VIOLATIONS, WARNINGS
from tests.builders.graphs import edge
from tests.score.drafts import (
    changed,
    draft,
    scored,
    with_edges,
    with_node,
    with_nodes,
    without_edge,
    without_node,
)


def with_action():
    graph = with_node(draft(), "act", "Factor")
    return with_edges(
        graph, edge("fac_price", "act", 0.2, 0.1, 0.9), edge("act", "out_profit", 0.1, 0.1, 0.9)
    )


def raising(**interventions):
    return changed("opt_raise", data={"interventions": {"fac_price": 0.8} | interventions})


def more_edges(*arrows):
    ends = [arrow.split(" > ") for arrow in arrows]
    return with_edges(draft(), *[edge(source, target) for source, target in ends])


FINDINGS = [
    ('$.edges must be an array.', "INVALID_SCHEMA", draft() | {"edges": None}, [], []),
    ('1 id is used by more than one node: "fac_price".', "DUPLICATE_NODE_ID",
     with_nodes("fac_price"), ["fac_price"], []),
    ('1 edge names a node that is not in the graph: "fac_price" → "out_loss".',
     "INVALID_EDGE_REF", more_edges("fac_price > out_loss"), [], [9]),
    ('The graph has no goal; exactly one is needed.', "MISSING_GOAL",
     without_node(draft(), "goal"), [], []),
    ('The graph has 2 goals: "goal", "goal_2"; exactly one is needed.', "MISSING_GOAL",
     with_nodes("goal_2", kind="goal"), ["goal", "goal_2"], []),
    ('The graph has 2 decisions: "dec", "dec_2"; exactly one is needed.', "MISSING_DECISION",
     with_nodes("dec_2", kind="decision"), ["dec", "dec_2"], []),
    ('The graph has 1 option; at least 2 are needed.', "INSUFFICIENT_OPTIONS",
     without_node(draft(), "opt_stay"), ["opt_raise"], []),
    ('The graph has 7 options; 6 are allowed: "opt_raise", "opt_stay", "a", "b", "c" and 2 more.',
     "TOO_MANY_OPTIONS", with_nodes(*"abcde", kind="option"),
     ["a", "b", "c", "d", "e", "opt_raise", "opt_stay"], []),
    ('The graph has no outcome and no risk between the factors and the goal.',
     "MISSING_BRIDGE", without_node(draft(), "out_profit", "risk_churn"), [], []),
    ('The graph has 51 nodes; 50 are allowed.', "NODE_LIMIT_EXCEEDED",
     with_nodes(*map(str, range(42))), [], []),
    ('The graph has 101 edges; 100 are allowed.', "EDGE_LIMIT_EXCEEDED",
     with_edges(draft(), *[edge("dec", "opt_stay")] * 92), [], []),
    ('The edges from "fac_price", "fac_service" lead back to the first of these nodes.',
     "CYCLE_DETECTED", more_edges("fac_price > fac_service", "fac_service > fac_price"),
     ["fac_price", "fac_service"], [9, 10]),
    ('"fac_price" → "goal" leads from a factor to a goal, which is not allowed.',
     "FORBIDDEN_EDGE", more_edges("fac_price > goal"), ["fac_price", "goal"], [9]),
    ('1 factor is called controllable but is set by no option: "a".',
     "CONTROLLABLE_NO_OPTION_EDGE", with_nodes("a", category="controllable"), ["a"], []),
    ('1 outcome or risk has no path from an option through a controllable factor: "risk_churn".',
     "OUTCOME_UNREACHABLE", without_edge(draft(), "fac_service > risk_churn"), ["risk_churn"],
     []),
    ('1 option has no path to the goal through a controllable factor: "opt_stay".',
     "OPTION_NO_GOAL_PATH", without_edge(draft(), "opt_stay > fac_service"), ["opt_stay"], []),
    ('1 node is connected neither from the decision nor to the goal: "fac_moon".',
     "ORPHAN_NODE", with_nodes("fac_moon"), ["fac_moon"], []),
    ('1 node has a kind outside the format: "Factor".', "UNKNOWN_KIND", with_action(), ["act"], []),
    ('1 factor has a category outside the format: "Controllable".', "UNKNOWN_CATEGORY",
     changed("fac_price", category="Controllable"), ["fac_price"], []),
    ('1 edge has a type outside the format: "both".', "UNKNOWN_EDGE_TYPE",
     changed("dec > opt_raise", edge_type="both"), [], [0]),
    ('1 edge leads out of the goal: "goal" → "fac_mood".', "EDGE_OUT_OF_GOAL",
     with_edges(with_nodes("fac_mood"), edge("goal", "fac_mood", 0.1)), [], [9]),
    ('1 edge joins unusual kinds: "dec" → "goal".', "ODD_EDGE",
     with_edges(draft(), edge("dec", "goal", 0.05)), [], [9]),
    ('1 edge repeats an earlier one: "fac_price" → "out_profit".', "DUPLICATE_EDGE",
     with_edges(draft(), edge("fac_price", "out_profit", 0.1)), [], [9]),
    ('1 edge has a parameter out of range: "fac_price" → "out_profit".', "VALUE_OUT_OF_RANGE",
     changed("fac_price > out_profit", mean=-1.01), [], [4]),
    ('1 edge has a parameter out of range: "dec" → "opt_stay".', "VALUE_OUT_OF_RANGE",
     changed("dec > opt_stay", exists_probability=1.1), [], [1]),
    ('1 edge lacks a parameter: "dec" → "opt_stay".', "MISSING_PARAMETER",
     changed("dec > opt_stay", exists_probability=None), [], [1]),
    ('2 interventions set no factor of the graph: "fac_ghost", "out_profit".',
     "INTERVENTION_ON_UNKNOWN_FACTOR", raising(fac_ghost=1, out_profit=2), ["opt_raise"], []),
    ('1 intervention has no edge from the option: "opt_raise → fac_service".',
     "INTERVENTION_WITHOUT_EDGE", raising(fac_service=1), ["opt_raise", "fac_service"], []),
    ('1 factor is set by options but not called controllable: "fac_price".',
     "CATEGORY_CONFLICT", changed("fac_price", category="external"), ["fac_price"], []),
    ('1 option is not linked from the decision: "opt_stay".', "UNLINKED_OPTION",
     without_edge(draft(), "dec > opt_stay"), ["opt_stay"], []),
    ('1 goal has text as its threshold: "80 %".', "THRESHOLD_NOT_A_NUMBER",
     changed("goal", goal_threshold="80 %"), ["goal"], []),
    ('1 option has interventions next to its data, which are not read: "opt_stay".',
     "INTERVENTIONS_NEXT_TO_DATA", changed("opt_stay", interventions={"fac_price": 0.2}), ["opt_stay"], []),
    ('1 node has a text of more than 1,000 characters: "goal".', "LONG_TEXT",
     changed("goal", goal_threshold_unit="%" * 1_001), ["goal"], []),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "code", "graph", "nodes", "edges"), FINDINGS)
def test_a_finding_is_one_sentence_and_names_nodes_and_edges(sentence, code, graph, nodes, edges):
    card = scored(graph)
    if code in WARNINGS:
        assert card.structural_valid
    findings = {finding.message: finding for finding in (*card.violations, *card.warnings)}
    found = findings[sentence]
    assert (found.code, set(found.nodes)) == (code, {*nodes})
    assert [reference.index for reference in found.edges] == edges


def test_every_code_has_a_case():
    assert {code for _, code, *_ in FINDINGS} | {"NO_GRAPH"} == {*VIOLATIONS, *WARNINGS}


def said(graph):
    """The first sentence about a graph."""
    card = scored(graph)
    return next(finding.message for finding in (*card.violations, *card.warnings))


def test_at_most_five_are_named_in_a_sentence_and_the_rest_is_counted():
    assert said(with_nodes(*"abcde")).endswith(': "a", "b", "c", "d", "e".')
    assert said(with_nodes(*"abcdef")).endswith(': "a", "b", "c", "d", "e" and 1 more.')
    five = '"x" → "y", "x" → "y", "x" → "y", "x" → "y", "x" → "y"'
    assert said(more_edges(*["x > y"] * 5)).endswith(f": {five}.")
    assert said(more_edges(*["x > y"] * 6)).endswith(f": {five} and 1 more.")


def test_evidence_is_bounded_and_counts_are_not():
    dangling = [edge("fac_price", f"no{index}") for index in range(500)]
    found = scored(with_edges(draft(), *dangling)).violations[0]
    assert len(found.edges) == 100
    assert found.message.startswith("500 edges name")
    assert len(scored(draft() | {"nodes": [None] * 200}).violations) < 60


@pytest.mark.parametrize(
    "graph",
    [
        draft(),
        changed("fac_price > out_profit", mean=-1),
        changed("dec > opt_stay", mean=1, std=0, exists_probability=0),
        changed("dec > opt_stay", edge_type="directed"),
        with_edges(draft(), edge("fac_price", "out_profit", edge_type="bidirected")),
        with_edges(draft(), edge("fac_rivals", "fac_price")),
        changed("fac_rivals", category=None),
    ],
)
def test_what_is_within_the_format_has_no_finding(graph):
    card = scored(graph)
    assert (card.violations, card.warnings) == ((), ())
