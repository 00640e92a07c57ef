"""Graphs that were drafted by hand from a brief alone, with that brief, in several languages and
styles.

The files in `true_graphs/` hold labels and numbers; ids, edges and coaching are added here in the
same way for all.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from stages.contracts.brief import Brief, Expectations, parse_brief
from stages.structure.topology import KINDS

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


@dataclass(frozen=True)
class TrueGraph:
    """A graph that belongs to its brief."""

    language: str
    style: str
    brief: Brief
    graph: dict[str, Any]

    @property
    def id(self) -> str:
        return f"{self.brief.id}, {self.style}"


def true_graphs() -> list[TrueGraph]:
    """All of them, in the order of the files."""
    found: list[TrueGraph] = []
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
                TrueGraph(entry.get("language", file.stem), entry["style"], brief, graph_of(entry))
            )
    return found


def _without_effects(brief: Brief) -> Brief:
    """The brief without effects, which edges that follow a rule cannot have right."""
    expectations = brief.expectations.model_copy(update={"effects": ()})
    return replace(brief, expectations=expectations)


def with_generic_labels(graph: dict[str, Any], labels: dict[str, list[str]]) -> dict[str, Any]:
    """The graph with its numbers, and with one of the labels of its kind for each node."""
    unused = {kind: list(texts) for kind, texts in labels.items()}
    relabelled = [
        node
        | {
            "label": unused[node["kind"]].pop(0)
            if unused[node["kind"]]
            else f"{labels[node['kind']][0]} {index}"
        }
        for index, node in enumerate(graph["nodes"])
    ]
    return graph | {"nodes": relabelled}


def generic_labels_in(language: str) -> list[dict[str, list[str]]]:
    """Sets of labels that fit any brief, by kind of node; in English for a language that has none."""
    sets = yaml.safe_load(
        (Path(__file__).parent / "generic_labels.yaml").read_text(encoding="utf-8")
    )
    listed = {one["language"] for one in sets}
    wanted = language if language in listed else "english"
    return [{kind: one[kind] for kind in KINDS} for one in sets if one["language"] == wanted]


def graph_of(entry: dict[str, Any]) -> dict[str, Any]:
    """A valid draft graph with the labels and numbers of an entry."""
    nodes: list[dict[str, Any]] = [{"id": "dec", "kind": "decision", "label": entry["decision"]}]
    levers = [
        _factor(f"fac_c{index}", "controllable", item)
        for index, item in enumerate(entry["controllable"])
    ]
    others = [
        _factor(f"fac_o{index}", "observable", item)
        for index, item in enumerate(entry["observable"])
    ]
    others += [
        _factor(f"fac_e{index}", "external", item) for index, item in enumerate(entry["external"])
    ]
    options = []
    for index, label in enumerate(entry["options"]):
        moved = {
            levers[index % len(levers)]["id"]: 0.9 - index / 10,
            levers[(index + 1) % len(levers)]["id"]: 0.2,
        }
        options.append(
            {
                "id": f"opt_{index}",
                "kind": "option",
                "label": label,
                "data": {"interventions": moved},
            }
        )
    results = [
        {"id": f"out_{index}", "kind": "outcome", "label": label}
        for index, label in enumerate(entry["outcomes"])
    ]
    results += [
        {"id": f"risk_{index}", "kind": "risk", "label": label}
        for index, label in enumerate(entry["risks"])
    ]
    nodes += [*options, *levers, *others, *results, _goal(entry["goal"])]
    edges = [_edge("dec", option["id"], 1.0, 0.01) for option in options]
    edges += [
        _edge(option["id"], lever, 1.0, 0.01)
        for option in options
        for lever in option["data"]["interventions"]
    ]
    for index, result in enumerate(results):
        sign = -1 if result["kind"] == "risk" else 1
        for place, factor in enumerate([*levers, *others]):
            edges.append(
                _edge(factor["id"], result["id"], sign * (0.05 + 0.03 * place), 0.05 + 0.01 * index)
            )
        edges.append(_edge(result["id"], "goal", sign * 0.3, 0.1))
    coaching = {
        "summary": entry["decision"],
        "strengthen_items": [{"id": "str_1", "label": entry["decision"]}],
    }
    return {"nodes": nodes, "edges": edges, "coaching": coaching}


def _factor(node_id: str, category: str, item: Any) -> dict[str, Any]:
    label, *claim = item if isinstance(item, list) else [item]
    node = {"id": node_id, "kind": "factor", "category": category, "label": label}
    if claim:
        raw, unit, cap, origin = claim
        node["data"] = {
            "value": raw / cap,
            "raw_value": raw,
            "unit": unit,
            "cap": cap,
            "extractionType": origin,
        }
    return node


def _goal(item: Any) -> dict[str, Any]:
    label, *threshold = item if isinstance(item, list) else [item]
    node = {"id": "goal", "kind": "goal", "label": label}
    if threshold:
        raw, unit, cap = threshold
        node |= {
            "goal_threshold": raw / cap,
            "goal_threshold_raw": raw,
            "goal_threshold_unit": unit,
        }
        node["goal_threshold_cap"] = cap
    return node


def _edge(source: str, target: str, mean: float, std: float) -> dict[str, Any]:
    return {
        "from": source, "to": target, "strength": {"mean": round(mean, 3), "std": std}, "exists_probability": 0.9,
        "effect_direction": "positive" if mean > 0 else "negative", "edge_type": "directed",
    }  # fmt: skip
