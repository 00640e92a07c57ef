"""The made-up briefs that ship, and the drafts that simulated models answer them with: `make made-up`.

Their openings in `graph_evaluator/simulate/drafts/openings.toml` are written by hand.
"""

import json
import tomllib
from pathlib import Path
from typing import Any

from graph_evaluator.briefs.made_up import InventedDecision, made_up_text
from graph_evaluator.records.brief import GOAL
from graph_evaluator.records.json_text import JsonObject, JsonValue

ROOT = Path(__file__).parents[1]
WORDS: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
TODAY, MOVE = 0.5, 0.3
"""The level of each lever today, and by how much an offer moves it."""
DECISION, KEEP = "decision", "keep"
"""The ids of the decision and the status quo in a graph."""
STDS, PROBABILITIES = (0.05, 0.1, 0.2), (0.95, 0.8, 0.6)


def shipped() -> list[InventedDecision]:
    """The decisions of the shipped briefs."""
    return [InventedDecision(3, number, 2, "en") for number in range(1, 7)]


def true_graph(decision: InventedDecision) -> JsonObject:
    """The graph, without an excluded offer, as a good answer gives it."""
    labels = WORDS[decision.language]["labels"]
    options: dict[str, JsonObject] = {offer: {} for offer in decision.kept}
    for (offer, lever), sign in decision.moves.items():
        if offer in options:
            options[offer][lever] = TODAY + MOVE * sign
    # each option leaves one lever alone that another one sets
    shared = set.intersection(*map(set, options.values()))
    options[KEEP] = {lever: TODAY for lever in decision.levers if lever not in shared}
    nodes: list[JsonValue] = [{"id": DECISION, "kind": DECISION, "label": labels[DECISION]}]
    edges = [_edge(DECISION, option) for option in options]
    for option, settings in options.items():
        label = labels[KEEP] if option == KEEP else labels["offer"].format(A=option)
        data: JsonObject = {"data": {"interventions": settings}}
        nodes.append({"id": option, "kind": "option", "label": label} | data)
        edges += [_edge(option, lever) for lever in settings]
    roles = dict.fromkeys(decision.levers, "lever") | dict.fromkeys(decision.factors, "factor")
    roles[decision.external] = "external"
    roles |= {name: "outcome" if decision.signs[name] > 0 else "risk" for name in decision.results}
    for name, role in (*roles.items(), (GOAL, GOAL)):
        label = labels.get(role, labels["quantity"]).format(A=decision.shown(name))
        nodes.append({"id": name, "label": label} | WORDS["nodes"][role])
    for target in (*decision.factors, *decision.results, GOAL):
        causes = [cause for cause, affected in decision.edges if affected == target]
        for place, cause in enumerate(causes):
            share = 1.8 * (len(causes) - place) / (len(causes) * (len(causes) + 1))
            mean = decision.sign(cause, target) * round(share, 2)
            edges.append(_edge(cause, target, mean, STDS[place % 3], PROBABILITIES[place % 3]))
    parts: JsonObject = {"nodes": nodes, "edges": [*edges], "causal_claims": []}
    return parts | {"coaching": WORDS[decision.language]["coaching"]}


def _edge(
    source: str, target: str, mean: float = 1.0, std: float = 0.01, probability: float = 1.0
) -> JsonObject:
    return {
        "from": source,
        "to": target,
        "strength": {"mean": mean, "std": std},
        "exists_probability": probability,
        "effect_direction": "positive" if mean > 0 else "negative",
        "edge_type": "directed",
    }


def draft_text(decision: InventedDecision) -> str:
    """The draft of a brief, a node or an edge a line."""
    graph = true_graph(decision)
    parts = [f'"{part}":{_lines(entries)}' for part, entries in graph.items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _lines(entries: object) -> str:
    if not isinstance(entries, list):
        return json.dumps(entries, ensure_ascii=False)
    lines = [json.dumps(entry, ensure_ascii=False) for entry in entries]
    return "[\n" + ",\n".join(lines) + "\n]" if lines else "[]"


def main() -> None:
    for decision in shipped():
        brief = ROOT / "briefs" / f"{decision.id}.md"
        brief.write_text(made_up_text(decision), encoding="utf-8")
        draft = ROOT / "graph_evaluator/simulate/drafts" / f"{decision.id}.json"
        draft.write_text(draft_text(decision), encoding="utf-8")


if __name__ == "__main__":
    main()
