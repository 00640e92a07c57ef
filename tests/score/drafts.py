"""A small valid draft graph with every mark earned, and ways to bend it."""

import copy
from typing import Any

from stages.contracts.brief import Expectations
from stages.contracts.params import ScoringRules
from stages.contracts.response import Response
from stages.contracts.scorecard import Finding, Scorecard, SubScore
from stages.score import score

Graph = dict[str, Any]

RULES = ScoringRules()
EXPECTATIONS = Expectations(expect_status_quo=True, has_numeric_target=True)

_NODES: list[Graph] = [
    {"id": "dec", "kind": "decision", "label": "What to charge"},
    {
        "id": "opt_raise",
        "kind": "option",
        "label": "Raise the price",
        "data": {"interventions": {"fac_price": 0.8}},
    },
    {
        "id": "opt_stay",
        "kind": "option",
        "label": "Status quo",
        "data": {"interventions": {"fac_service": 0.4}},
    },
    {"id": "fac_price", "kind": "factor", "label": "Price per seat", "category": "controllable"},
    {
        "id": "fac_service",
        "kind": "factor",
        "label": "Hours of support",
        "category": "controllable",
    },
    {"id": "fac_rivals", "kind": "factor", "label": "Prices of two rivals", "category": "external"},
    {"id": "out_profit", "kind": "outcome", "label": "Profit per seat"},
    {"id": "risk_churn", "kind": "risk", "label": "Seats cancelled"},
    {"id": "goal", "kind": "goal", "label": "A profitable year", "goal_threshold": 0.8},
]


def edge(
    source: str,
    target: str,
    mean: float = 1.0,
    std: float = 0.01,
    probability: float = 1.0,
    **extra: Any,
) -> Graph:
    """An edge with its parameters."""
    return {
        "from": source,
        "to": target,
        "strength": {"mean": mean, "std": std},
        "exists_probability": probability,
        **extra,
    }


_EDGES = [
    edge("dec", "opt_raise"),
    edge("dec", "opt_stay"),
    edge("opt_raise", "fac_price"),
    edge("opt_stay", "fac_service"),
    edge("fac_price", "out_profit", 0.6, 0.1, 0.9),
    edge("fac_service", "risk_churn", -0.3, 0.2, 0.7),
    edge("fac_rivals", "out_profit", 0.2, 0.15, 0.8),
    edge("out_profit", "goal", 0.5, 0.1, 0.95),
    edge("risk_churn", "goal", -0.4, 0.1, 0.8),
]


def draft() -> Graph:
    """A fresh copy of the valid graph: nine nodes, nine edges, five of them causal."""
    coaching = {
        "summary": "It turns on churn.",
        "strengthen_items": [{"label": "Ask the ten largest"}],
    }
    return copy.deepcopy({"nodes": _NODES, "edges": _EDGES, "coaching": coaching})


def node(graph: Graph, name: str) -> Graph:
    """The node of an id."""
    found: Graph = next(entry for entry in graph["nodes"] if entry["id"] == name)
    return found


def link(graph: Graph, source: str, target: str) -> Graph:
    """The first edge between two ids."""
    found: Graph = next(
        entry for entry in graph["edges"] if (entry["from"], entry["to"]) == (source, target)
    )
    return found


def without_node(graph: Graph, name: str) -> Graph:
    """The graph without a node and its edges."""
    nodes = [entry for entry in graph["nodes"] if entry["id"] != name]
    return {
        **graph,
        "nodes": nodes,
        "edges": [entry for entry in graph["edges"] if name not in (entry["from"], entry["to"])],
    }


def without_edge(graph: Graph, source: str, target: str) -> Graph:
    """The graph without the edges between two ids."""
    return {
        **graph,
        "edges": [
            entry for entry in graph["edges"] if (entry["from"], entry["to"]) != (source, target)
        ],
    }


def with_node(graph: Graph, name: str, kind: str, **extra: Any) -> Graph:
    """The graph with one more node."""
    return {
        **graph,
        "nodes": [
            *graph["nodes"],
            {"id": name, "kind": kind, "label": f"Label of {name}", **extra},
        ],
    }


def with_edges(graph: Graph, *edges: Graph) -> Graph:
    """The graph with more edges."""
    return {**graph, "edges": [*graph["edges"], *edges]}


def scored(
    graph: Any, expectations: Expectations = EXPECTATIONS, rules: ScoringRules = RULES
) -> Scorecard:
    """The scorecard of a graph."""
    response = Response(
        model_id="graph", brief_id="graph", sample=1, status="success", parsed_graph=graph
    )
    return score(response, expectations, rules)


def violation(graph: Any, code: str) -> Finding:
    """The first violation of a code."""
    return next(finding for finding in scored(graph).violations if finding.code == code)


def warning(graph: Any, code: str) -> Finding:
    """The warning of a code."""
    return next(finding for finding in scored(graph).warnings if finding.code == code)


def sub_score(card: Scorecard, name: str) -> SubScore:
    """One sub-score by its name."""
    return next(
        entry for entries in card.sub_scores.values() for entry in entries if entry.name == name
    )
