"""Direction and options: each can fire, and stays quiet on a graph without
the fault.
"""

from tests.builders.cases import cases
from tests.builders.graphs import edge
from tests.score.fidelity.checking import brief, check, graph


def with_edge(mean, direction, edge_type="directed"):
    fields = {"edge_type": edge_type, "effect_direction": direction}
    return graph() | {"edges": [edge("factor_0", "outcome_0", mean, **fields)]}


@cases(
    "stated, expected",
    {
        "both positive": ((0.4, "positive"), "pass"),
        "unsigned mean": ((0.4, "negative"), "warn"),
        "no effect": ((0.0, "positive"), "not_applicable"),
        "another word": ((0.4, "up"), "not_applicable"),
        "bidirected": ((-0.4, "positive", "bidirected"), "not_applicable"),
    },
)
def test_direction(stated, expected):
    assert check("direction", with_edge(*stated)).outcome == expected


OPTIONS = [["battery", "electric"], ["diesel engine", "motor rebuild"], ["rent", "charter"]]


def test_all_options_of_the_front_matter_are_found_by_one_of_their_aliases():
    labels = ("Electric vessel", "Rebuild the DIESEL ENGINE", "Charter from the island")
    result = check("options_kept", graph(option=labels), brief(options=OPTIONS))
    assert (result.outcome, result.labels, result.share) == ("pass", (), 1.0)
