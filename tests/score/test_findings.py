"""What a finding says, word for word, and which nodes and edges it names."""

from typing import get_args

import pytest

from graph_evaluator.records.codes import CODES, VIOLATIONS, WARNINGS
from graph_evaluator.records.params import SCORING_VERSION
from graph_evaluator.records.response import Status
from graph_evaluator.records.scorecard import CHECKS
from graph_evaluator.score.sub_scores import WEIGHTS
from tests.approval import check_approved
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


GRAPHS = [
    ("INVALID_SCHEMA", draft() | {"edges": None}),
    ("DUPLICATE_NODE_ID", with_nodes("fac_price")),
    ("INVALID_EDGE_REF", more_edges("fac_price > out_loss")),
    ("MISSING_GOAL", without_node(draft(), "goal")),
    ("MISSING_GOAL", with_nodes("goal_2", kind="goal")),
    ("MISSING_DECISION", with_nodes("dec_2", kind="decision")),
    ("INSUFFICIENT_OPTIONS", without_node(draft(), "opt_stay")),
    ("TOO_MANY_OPTIONS", with_nodes(*"abcde", kind="option")),
    ("MISSING_BRIDGE", without_node(draft(), "out_profit", "risk_churn")),
    ("NODE_LIMIT_EXCEEDED", with_nodes(*map(str, range(42)))),
    ("EDGE_LIMIT_EXCEEDED", with_edges(draft(), *[edge("dec", "opt_stay")] * 92)),
    ("CYCLE_DETECTED", more_edges("fac_price > fac_service", "fac_service > fac_price")),
    ("FORBIDDEN_EDGE", more_edges("fac_price > goal")),
    ("CONTROLLABLE_NO_OPTION_EDGE", with_nodes("a", category="controllable")),
    ("OUTCOME_UNREACHABLE", without_edge(draft(), "fac_service > risk_churn")),
    ("OPTION_NO_GOAL_PATH", without_edge(draft(), "opt_stay > fac_service")),
    ("ORPHAN_NODE", with_nodes("fac_moon")),
    ("UNKNOWN_KIND", with_action()),
    ("UNKNOWN_CATEGORY", changed("fac_price", category="Controllable")),
    ("UNKNOWN_EDGE_TYPE", changed("dec > opt_raise", edge_type="both")),
    ("EDGE_OUT_OF_GOAL", with_edges(with_nodes("fac_mood"), edge("goal", "fac_mood", 0.1))),
    ("ODD_EDGE", with_edges(draft(), edge("dec", "goal", 0.05))),
    ("DUPLICATE_EDGE", with_edges(draft(), edge("fac_price", "out_profit", 0.1))),
    ("VALUE_OUT_OF_RANGE", changed("fac_price > out_profit", mean=-1.01)),
    ("VALUE_OUT_OF_RANGE", changed("dec > opt_stay", exists_probability=1.1)),
    ("MISSING_PARAMETER", changed("dec > opt_stay", exists_probability=None)),
    ("INTERVENTION_ON_UNKNOWN_FACTOR", raising(fac_ghost=1, out_profit=2)),
    ("INTERVENTION_WITHOUT_EDGE", raising(fac_service=1)),
    ("CATEGORY_CONFLICT", changed("fac_price", category="external")),
    ("UNLINKED_OPTION", without_edge(draft(), "dec > opt_stay")),
    ("THRESHOLD_NOT_A_NUMBER", changed("goal", goal_threshold="80 %")),
    ("INTERVENTIONS_NEXT_TO_DATA", changed("opt_stay", interventions={"fac_price": 0.2})),
    ("LONG_TEXT", changed("goal", goal_threshold_unit="%" * 1_001)),
]  # fmt: skip


def test_a_finding_is_one_sentence_and_names_nodes_and_edges():
    lines = []
    for code, graph in GRAPHS:
        card = scored(graph)
        assert card.structural_valid or code in VIOLATIONS
        findings = (*card.violations, *card.warnings)
        found = next(finding for finding in findings if finding.code == code)
        edges = [reference.index for reference in found.edges]
        lines.append(f"{code}: {found.message} {sorted(found.nodes)} {edges}\n")
    check_approved("findings.txt", "".join(lines))


def test_every_code_has_a_case():
    assert {code for code, _ in GRAPHS} | {"NO_GRAPH"} == {*VIOLATIONS, *WARNINGS}


MARKS = {name: weight for weights in WEIGHTS.values() for name, weight in weights.items()}


def test_every_status_check_and_sub_score_has_its_meaning():
    named = {*get_args(Status), *CHECKS, *MARKS} - {"success"}
    assert named == CODES.keys() - {*VIOLATIONS, *WARNINGS}


def test_scores_change_only_with_the_scoring_version():
    lines = [f"{CHECKS}\n", *(f"{name} {weight}\n" for name, weight in MARKS.items())]
    for code, graph in GRAPHS:
        card = scored(graph)
        codes = ", ".join((*card.violation_codes, *card.warning_codes))
        lines.append(f"{code}: {card.overall_score}, {codes}\n")
    check_approved(f"scoring-{SCORING_VERSION}.txt", "".join(lines))


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
