"""Graphs whose nodes, signs and strengths were all drawn by hand from a brief, with that brief.

Each file of `drawn_graphs/` holds one brief: its language, its front-matter (`expects`), its
`text`, the `concepts` and `effects` that were stated before any graph was drawn, and the graphs of
several styles. A graph is written as

    nodes: |
      opt_crew: option | Hire a mobile crew | fac_hours 0.8, fac_contracts 0.3
      fac_hours: controllable | Street repair hours per week | 0/200 h/week inferred
      fac_storms: external | Storm days per season | 0.1..0.5
      goal: goal | 92 % fleet availability | 92/100 %
    edges: |
      fac_hours -> out_ready +0.25 p0.8 s0.12
      fac_storms <-> fac_hours

A factor's third part is its raw value, cap, unit and origin, an option's what it sets. Edges from
the decision and the options follow from that. `p` is the probability that an edge exists, `s` its
standard deviation (by `p` where left out).
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from graph_evaluator.records.brief import Brief, Expectations
from tests.builders.graphs import node
from tests.score import drafts

FOLDER = Path(__file__).parent / "drawn_graphs"
SHORT_GRAPHS = Path(__file__).parent / "short_graphs"
"""Briefs of 20 to 110 words, each with three graphs."""
CATEGORIES = ("controllable", "observable", "external")
THRESHOLD_KEYS = (
    "goal_threshold",
    "goal_threshold_raw",
    "goal_threshold_unit",
    "goal_threshold_cap",
)
_VALUE = re.compile(r"(?P<raw>[\d.]+)/(?P<cap>[\d.]+)(?P<unit>.*?)(?P<origin>explicit|inferred)?")
_EDGE = re.compile(
    r"(?P<source>\w+) (?P<arrow><?->) (?P<target>\w+)"
    r"(?: (?P<mean>[+-][\d.]+) p(?P<exists>[\d.]+)(?: s(?P<std>[\d.]+))?)?"
)
_STD_BY_PROBABILITY = ((0.95, 0.05), (0.85, 0.08), (0.7, 0.12), (0.5, 0.18), (0.0, 0.25))


@dataclass(frozen=True)
class DrawnGraph:
    """A graph that was drafted by hand from its brief, in a language and style."""

    language: str
    style: str
    brief: Brief
    graph: dict[str, Any]

    @property
    def id(self) -> str:
        return f"{self.brief.id}, {self.style}"


def drawn_graphs(folder: Path = FOLDER) -> list[DrawnGraph]:
    """The graphs of all files in a folder, in the order of the files."""
    graphs: list[DrawnGraph] = []
    for file in sorted(folder.glob("*.yaml")):
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
        stated = {key: content[key] for key in ("concepts", "effects")}
        expectations = Expectations.model_validate(content["expects"] | stated)
        brief = Brief(file.stem, expectations, body=content["text"].strip(), sha256="")
        for entry in content["graphs"]:
            graph = read_graph(entry)
            graphs.append(DrawnGraph(content["language"], entry["style"], brief, graph))
    return graphs


def read_graph(entry: dict[str, Any]) -> dict[str, Any]:
    """The draft graph that an entry writes, as a model would answer it."""
    nodes = [_read_node(line) for line in entry["nodes"].splitlines()]
    (decision,) = (entry for entry in nodes if entry["kind"] == "decision")
    options = [entry for entry in nodes if entry["kind"] == "option"]
    edges = [edge(decision["id"], option["id"]) for option in options]
    for option in options:
        edges += [edge(option["id"], lever) for lever in option["data"]["interventions"]]
    edges += [_read_edge(line) for line in entry["edges"].splitlines()]
    return {"nodes": nodes, "edges": edges, "coaching": {"summary": entry["summary"]}}


def edge(
    source: str, target: str, mean: float = 1.0, std: float = 0.01, exists: float = 1.0
) -> dict[str, Any]:
    """A directed edge with its direction; by default the certain one of a decision or an option."""
    direction = "negative" if mean < 0 else "positive"
    stated = {"effect_direction": direction, "edge_type": "directed"}
    return drafts.edge(source, target, mean, std, exists, **stated)


def _read_node(line: str) -> dict[str, Any]:
    head, label, *rest = line.split(" | ")
    node_id, kind = head.split(": ")
    data = rest[0] if rest else ""
    if kind == "option":
        settings = [setting.split() for setting in data.split(",")]
        interventions = {lever: float(value) for lever, value in settings}
        return node(node_id, kind, label=label, data={"interventions": interventions})
    if kind in CATEGORIES:
        factor = node(node_id, "factor", label=label, category=kind)
        return factor if ".." in data or not data else factor | {"data": _scaled(data)}
    plain = node(node_id, kind, label=label)
    if data:
        plain |= dict(zip(THRESHOLD_KEYS, _scaled(data).values(), strict=True))
    return plain


def _scaled(data: str) -> dict[str, Any]:
    parts = _VALUE.fullmatch(data)
    assert parts, data
    raw, cap = float(parts["raw"]), float(parts["cap"])
    unit = parts["unit"].strip()
    scaled = {"value": round(raw / cap, 4), "raw_value": raw, "unit": unit, "cap": cap}
    return scaled | ({"extractionType": parts["origin"]} if parts["origin"] else {})


def _read_edge(line: str) -> dict[str, Any]:
    parts = _EDGE.fullmatch(line.strip())
    assert parts, line
    if parts["arrow"] == "<->":
        return edge(parts["source"], parts["target"], mean=0.0) | {"edge_type": "bidirected"}
    exists = float(parts["exists"])
    usual = next(std for least, std in _STD_BY_PROBABILITY if exists >= least)
    std = float(parts["std"]) if parts["std"] else usual
    return edge(parts["source"], parts["target"], float(parts["mean"]), std, exists)
