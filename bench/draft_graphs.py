"""Draft graphs for load: of any size, valid, all different, the same for the same seed."""

import json
import random
from typing import Any

_NAMES = (
    "price per unit",
    "delivery time",
    "staff hours",
    "energy tariff",
    "customer wait",
    "floor area",
    "churn",
    "rent",
)


def draft_graph(nodes: int, seed: int) -> dict[str, Any]:
    """A valid graph of so many nodes (6 at least) with about one and a half times as many edges."""
    draw = random.Random(seed)
    options = [f"opt_course_{index}" for index in range(min(2 + nodes // 8, 5))]
    bridges = [
        f"{'out' if index % 2 else 'risk'}_effect_{index}" for index in range(1 + nodes // 8)
    ]
    factors = [
        f"fac_{draw.choice(_NAMES).replace(' ', '_')}_{index}"
        for index in range(nodes - len(options) - len(bridges) - 2)
    ]
    chosen = factors[: max(1, len(factors) * 2 // 3)]
    interventions: dict[str, dict[str, float]] = {option: {} for option in options}
    for index, factor in enumerate(chosen):
        for option in dict.fromkeys((options[index % len(options)], draw.choice(options))):
            interventions[option][factor] = round(draw.random(), 2)
    for option in options:
        if not interventions[option]:
            interventions[option][draw.choice(chosen)] = round(draw.random(), 2)
    listed: list[dict[str, Any]] = [
        {"id": "dec_choice", "kind": "decision", "label": "Which course to take next year"},
        *(
            {
                "id": option,
                "kind": "option",
                "label": label,
                "data": {"interventions": interventions[option]},
            }
            for option, label in zip(options, _labels(len(options)), strict=True)
        ),
        *(
            {
                "id": factor,
                "kind": "factor",
                "label": f"{factor[4:].replace('_', ' ').capitalize()} over the year (0 to 1)",
                "category": "controllable"
                if factor in chosen
                else draw.choice(("observable", "external")),
                "data": {
                    "value": round(draw.random(), 2),
                    "extractionType": "inferred",
                    "uncertainty_drivers": ["not measured"],
                },
            }
            for factor in factors
        ),
        *(
            {
                "id": bridge,
                "kind": "outcome" if bridge.startswith("out") else "risk",
                "label": f"Effect {bridge[-1]} on the year",
            }
            for bridge in bridges
        ),
        {
            "id": "goal_year",
            "kind": "goal",
            "label": "A good year",
            "goal_threshold": 0.8,
            "goal_threshold_unit": "share",
        },
    ]
    edges = [_edge("dec_choice", option, 1.0, 0.01, 1.0) for option in options]
    edges += [
        _edge(option, factor, 1.0, 0.01, 1.0)
        for option in options
        for factor in interventions[option]
    ]
    for index in range(max(len(factors), len(bridges))):
        edges.append(_effect(draw, factors[index % len(factors)], bridges[index % len(bridges)]))
    edges += [_effect(draw, bridge, "goal_year") for bridge in bridges]
    return {
        "nodes": listed,
        "edges": edges,
        "coaching": {
            "summary": "The choice turns on the first factor; ask what it would take to measure it before deciding.",
            "strengthen_items": [
                {"id": "str_1", "label": "Measure first", "detail": "Ask for last year's figures."}
            ],
        },
    }


def answer_text(nodes: int, seed: int) -> str:
    """The graph as a model would send it: JSON over several lines."""
    return json.dumps(draft_graph(nodes, seed), indent=1, ensure_ascii=False)


def _labels(number: int) -> list[str]:
    return [
        "Keep things as they are",
        *(f"Course {index}: invest in what pays back soonest" for index in range(1, number)),
    ]


def _edge(source: str, target: str, mean: float, std: float, probability: float) -> dict[str, Any]:
    return {
        "from": source,
        "to": target,
        "strength": {"mean": mean, "std": std},
        "exists_probability": probability,
        "effect_direction": "positive" if mean >= 0 else "negative",
        "edge_type": "directed",
    }


def _effect(draw: random.Random, source: str, target: str) -> dict[str, Any]:
    mean = round(draw.uniform(-0.8, 0.8), 2)
    return _edge(
        source, target, mean, round(draw.uniform(0.05, 0.35), 3), round(draw.uniform(0.5, 1.0), 2)
    )
