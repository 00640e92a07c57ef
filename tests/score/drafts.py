"""A small valid draft graph with every mark earned, and ways to bend it."""

import copy
from typing import Any

from graph_evaluator.records.brief import Brief, Expectations
from graph_evaluator.records.params import ScoringRules
from graph_evaluator.score import Scorer
from tests.builders.graphs import edge
from tests.builders.graphs import node as make_node
from tests.builders.responses import response

Graph = dict[str, Any]

RULES = ScoringRules()


def sets(**levels):
    """The data of an option that sets factors to these levels."""
    return {"interventions": levels}


EXPECTATIONS = Expectations(expect_status_quo=True, has_numeric_target=True)

_NODES: list[Graph] = [
    make_node("dec", "decision", label="What to charge"),
    make_node("opt_raise", "option", label="Raise the price", data=sets(fac_price=0.8)),
    make_node("opt_stay", "option", label="Status quo", data=sets(fac_service=0.4)),
    make_node("fac_price", label="Price per seat", category="controllable"),
    make_node("fac_service", label="Hours of support", category="controllable"),
    make_node("fac_rivals", label="Prices of two rivals", category="external"),
    make_node("out_profit", "outcome", label="Profit per seat"),
    make_node("risk_churn", "risk", label="Seats cancelled"),
    make_node("goal", "goal", label="A profitable year", goal_threshold=0.8),
]


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


def draft():
    """A fresh copy of the valid graph: nine nodes, nine edges, five of them causal."""
    coaching = {
        "summary": "It turns on churn.",
        "strengthen_items": [{"label": "Ask the ten largest"}],
    }
    return copy.deepcopy({"nodes": _NODES, "edges": _EDGES, "coaching": coaching})


def node(graph, name):
    """The node of an id."""
    found: Graph = next(entry for entry in graph["nodes"] if entry["id"] == name)
    return found


def link(graph, source, target):
    """The first edge between two ids."""
    found: Graph = next(
        entry for entry in graph["edges"] if (entry["from"], entry["to"]) == (source, target)
    )
    return found


def changed(*names, **fields):
    """The draft with fields of some nodes (by id) or edges ("fac_price > out_profit") replaced; the
    mean and the std of an edge are those of its strength.
    """
    graph = draft()
    for name in names:
        ends = name.split(" > ")
        entry = link(graph, *ends) if len(ends) == 2 else node(graph, name)
        for key, value in fields.items():
            place = entry["strength"] if key in ("mean", "std") else entry
            place[key] = value
    return graph


def without_node(graph, *names):
    """The graph without some nodes and their edges."""
    nodes = [entry for entry in graph["nodes"] if entry["id"] not in names]
    edges = [entry for entry in graph["edges"] if not {entry["from"], entry["to"]} & {*names}]
    return graph | {"nodes": nodes, "edges": edges}


def without_edge(graph, *arrows):
    """The graph without the edges of some arrows: "fac_price > out_profit"."""
    edges = [entry for entry in graph["edges"] if f"{entry['from']} > {entry['to']}" not in arrows]
    return graph | {"edges": edges}


def with_node(graph, name, kind, **extra):
    """The graph with one more node."""
    more = {"id": name, "kind": kind, "label": f"Label of {name}"} | extra
    return graph | {"nodes": [*graph["nodes"], more]}


def with_nodes(*names, kind="factor", **extra):
    """The draft with more nodes of one kind."""
    graph = draft()
    for name in names:
        graph = with_node(graph, name, kind, **extra)
    return graph


def with_edges(graph, *edges):
    """The graph with more edges."""
    return graph | {"edges": [*graph["edges"], *edges]}


def score(response, expectations, rules):
    """The scorecard of a response by the rules alone, without fidelity checks."""
    brief = Brief(response.cell.brief_id, expectations, body="", sha256="")
    return Scorer(rules, [brief]).score(response)


def scored(graph, expectations=EXPECTATIONS, rules=RULES):
    """The scorecard of a graph."""
    return score(response(parsed_graph=graph), expectations, rules)


def violation(graph, code):
    """The first violation of a code."""
    return next(finding for finding in scored(graph).violations if finding.code == code)


def sub_score(card, name):
    """One sub-score by its name."""
    return next(
        entry for entries in card.sub_scores.values() for entry in entries if entry.name == name
    )
