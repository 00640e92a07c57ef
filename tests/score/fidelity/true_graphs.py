"""Graphs that were drafted by hand from a brief alone, with that brief, in several languages and
styles.

The files in `true_graphs/` hold labels and numbers; ids, edges and coaching are added here in the
same way for all.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from graph_evaluator.records.brief import Brief, Expectations, parse_brief
from tests.builders.graphs import node
from tests.score.fidelity.drawn_graphs import THRESHOLD_KEYS, DrawnGraph, edge

REPOSITORY = Path(__file__).parents[3]
PROMPTS = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted((REPOSITORY / "prompts").glob("draft_graph_*.txt"))
}
BRIEFS = {
    path.stem: parse_brief(path.stem, path.read_text(encoding="utf-8"), file=path.name)
    for path in sorted((REPOSITORY / "briefs").glob("*.md"))
}
"""The shipped briefs."""


def true_graphs() -> list[DrawnGraph]:
    """All of them, in the order of the files."""
    found: list[DrawnGraph] = []
    own_briefs: dict[str, Brief] = {}
    for file in sorted((Path(__file__).parent / "true_graphs").glob("*.yaml")):
        for entry in yaml.safe_load(file.read_text(encoding="utf-8")):
            if "text" in entry:
                expectations = Expectations.model_validate(entry["expects"])
                own_briefs[entry["id"]] = Brief(
                    id=entry["id"], expectations=expectations, body=entry["text"].strip(), sha256=""
                )
            brief = BRIEFS[entry["brief"]] if "brief" in entry else own_briefs[entry["id"]]
            brief = _without_effects(brief)
            found.append(
                DrawnGraph(entry.get("language", file.stem), entry["style"], brief, graph_of(entry))
            )
    return found


def _without_effects(brief: Brief) -> Brief:
    """The brief without effects, which edges that follow a rule cannot have right."""
    expectations = brief.expectations.model_copy(update={"effects": ()})
    return replace(brief, expectations=expectations)


def graph_of(entry: dict[str, Any]) -> dict[str, Any]:
    """A valid draft graph with the labels and numbers of an entry."""
    factors = [
        _factor(f"fac_{category[0]}{index}", category, item)
        for category in ("controllable", "observable", "external")
        for index, item in enumerate(entry[category])
    ]
    levers = [factor["id"] for factor in factors if factor["category"] == "controllable"]
    options: list[dict[str, Any]] = []
    edges: list[dict[str, Any]] = []
    for index, label in enumerate(entry["options"]):
        own, next_one = levers[index % len(levers)], levers[(index + 1) % len(levers)]
        settings = {"interventions": {own: 0.9 - index / 10, next_one: 0.2}}
        options.append(node(f"opt_{index}", "option", label=label, data=settings))
        edges += [edge(f"opt_{index}", lever) for lever in settings["interventions"]]
    edges = [*[edge("dec", option["id"]) for option in options], *edges]
    outcomes = enumerate(entry["outcomes"])
    risks = enumerate(entry["risks"])
    results = [node(f"out_{index}", "outcome", label=label) for index, label in outcomes]
    results += [node(f"risk_{index}", "risk", label=label) for index, label in risks]
    for index, result in enumerate(results):
        sign = -1 if result["kind"] == "risk" else 1
        for place, factor in enumerate(factors):
            mean = round(sign * (0.05 + 0.03 * place), 3)
            edges.append(edge(factor["id"], result["id"], mean, 0.05 + 0.01 * index, 0.9))
        edges.append(edge(result["id"], "goal", sign * 0.3, 0.1, 0.9))
    decision = node("dec", "decision", label=entry["decision"])
    advice = {"id": "str_1", "label": entry["decision"]}
    return {
        "nodes": [decision, *options, *factors, *results, _goal(entry["goal"])],
        "edges": edges,
        "coaching": {"summary": entry["decision"], "strengthen_items": [advice]},
    }


def _factor(node_id: str, category: str, item: Any) -> dict[str, Any]:
    label, *claim = item if isinstance(item, list) else [item]
    factor = node(node_id, "factor", label=label, category=category)
    if claim:
        raw, unit, cap, origin = claim
        scale = {"value": raw / cap, "raw_value": raw, "unit": unit, "cap": cap}
        factor["data"] = scale | {"extractionType": origin}
    return factor


def _goal(item: Any) -> dict[str, Any]:
    label, *threshold = item if isinstance(item, list) else [item]
    goal = node("goal", "goal", label=label)
    if threshold:
        raw, unit, cap = threshold
        goal |= dict(zip(THRESHOLD_KEYS, (raw / cap, raw, unit, cap), strict=True))
    return goal
