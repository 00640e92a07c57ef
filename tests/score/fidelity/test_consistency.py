"""Direction and options: each can fire, and stays quiet on a graph without
the fault.
"""

from tests.builders.cases import cases
from tests.score.fidelity.checking import brief, check, graph


def with_edge(mean, direction, edge_type="directed"):
    edge = {
        "from": "factor_0",
        "to": "outcome_0",
        "strength": {"mean": mean, "std": 0.1},
        "edge_type": edge_type,
    }
    return graph() | {"edges": [edge | {"exists_probability": 0.9, "effect_direction": direction}]}


@cases(
    "edge, expected",
    {
        "both positive": ((0.4, "positive"), "pass"),
        "unsigned mean": ((0.4, "negative"), "warn"),
        "no effect": ((0.0, "positive"), "not_applicable"),
        "another word": ((0.4, "up"), "not_applicable"),
        "bidirected": ((-0.4, "positive", "bidirected"), "not_applicable"),
    },
)
def test_direction(edge, expected):
    assert check("direction", with_edge(*edge)).outcome == expected


OPTIONS = [["battery", "electric"], ["diesel engine", "motor rebuild"], ["rent", "charter"]]


def test_all_options_of_the_front_matter_are_found_by_one_of_their_aliases():
    labels = ("Electric vessel", "Rebuild the DIESEL ENGINE", "Charter from the island")
    result = check("options_kept", graph(option=labels), brief(options=OPTIONS))
    assert (result.outcome, result.labels, result.share) == ("pass", (), 1.0)
