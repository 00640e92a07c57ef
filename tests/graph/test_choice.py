"""Small graphs whose recommendation can be worked out by hand; docs/recommendation.md has the first one."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_evaluator.graph.causal_model import CausalModel, Topology
from graph_evaluator.graph.choice import MAX_DECIDING, recommend
from graph_evaluator.records.params import ScoringRules
from tests import REPOSITORY
from tests.builders.graphs import edge, graph, node

Effect = tuple[str, str, float, float, float]
"""Source, target, mean, std, exists_probability."""

PRICE = [
    ("price", "profit", 0.6, 0.1, 0.9),
    ("price", "churn", 0.5, 0.1, 0.8),
    ("support", "churn", -0.4, 0.2, 0.5),
    ("profit", "goal", 0.7, 0.05, 1.0),
    ("churn", "goal", -0.5, 0.1, 0.9),
]
OPTIONS = {
    "Raise the price": {"price": 0.8},
    "Hire for support": {"support": 0.9},
    "Status quo": {"price": 0.5, "support": 0.4},
}


def advised(options, effects, **values):
    """What a graph of these options and effects recommends; `values` are the present ones of factors."""
    kinds = {"profit": "outcome", "churn": "risk", "goal": "goal"}
    names = dict.fromkeys(name for effect in effects for name in effect[:2])
    nodes = [node("d", "decision")]
    nodes += [
        node(f"o{place}", "option", label=label, data={"interventions": settings})
        for place, (label, settings) in enumerate(options.items())
    ]
    for name in names:
        data = {"value": values[name]} if name in values else None
        nodes.append(node(name, kinds.get(name, "factor"), label=name.capitalize(), data=data))
    edges = [
        edge(f"o{place}", name)
        for place, settings in enumerate(options.values())
        for name in settings
    ]
    topology = Topology(graph(nodes, [*edges, *(edge(*effect) for effect in effects)]))
    model = CausalModel(topology, ScoringRules().status_quo_pattern)
    return recommend(model, {})


def gains(recommendation):
    assert recommendation
    return {option.label: option.gain for option in recommendation.options}


GOAL = ("profit", "goal", 1.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("options", "effects", "values", "expected"),
    [
        pytest.param(
            OPTIONS,
            PRICE,
            {},
            # 0.3 more price: 0.3 x 0.54 x 0.7 - 0.3 x 0.4 x 0.45; 0.5 more support: 0.5 x 0.2 x 0.45
            {"Raise the price": 0.0594, "Hire for support": 0.045, "Status quo": 0.0},
            id="over-the-status-quo",
        ),
        pytest.param(
            {"A": {"f": 0.9}, "B": {"f": 0.2, "h": 1.0}},
            [("f", "profit", 0.5, 0.1, 1.0), ("h", "profit", 0.2, 0.1, 0.5), GOAL],
            {"f": 0.4},
            # no status quo: over the present value 0.4 of f, and 0 of h, which has none
            {"A": 0.25, "B": 0.0},
            id="over-the-baseline-without-a-status-quo",
        ),
        pytest.param(
            {"Status quo": {"f": 0.5}, "Set both": {"f": 1.0, "h": 0.5}, "Set f": {"f": 1.0}},
            [("f", "h", 0.5, 0.1, 1.0), ("h", "profit", 0.4, 0.1, 1.0), GOAL],
            {},
            # what an option sets has no other cause: h is 0.5, not 0.5 x 1.0, and 0.5 x 0.5 by the status quo
            {"Set both": 0.1, "Set f": 0.1, "Status quo": 0.0},
            id="a-setting-cuts-the-causes-of-its-factor",
        ),
    ],
)  # fmt: skip
def test_a_gain_is_the_change_of_the_goal(options, effects, values, expected):
    recommendation, _ = advised(options, effects, **values)
    assert gains(recommendation) == pytest.approx(expected)
    assert list(gains(recommendation)) == list(expected)


def test_the_worked_example_of_the_documentation_is_what_the_code_gives():
    recommendation, deciding = advised(OPTIONS, PRICE)
    assert recommendation
    text = (REPOSITORY / "docs/recommendation.md").read_text(encoding="utf-8")
    rows = [
        f"| {option.label} | {option.gain:.4f} | {option.certainty:.0%} |"
        for option in recommendation.options
    ]
    assert [row for row in rows if row not in text] == []
    assert [number.message for number in deciding if number.message not in text] == []
    assert recommendation.margin == pytest.approx(0.0144)


@pytest.mark.parametrize(
    ("gain", "tied"),
    [(0.1, ["A", "B"]), (0.0991, ["A", "B"]), (0.0989, ["A"])],
    ids=["equal", "less-than-1-percent", "more-than-1-percent"],
)
def test_gains_that_differ_by_less_than_a_hundredth_of_the_largest_are_a_tie(gain, tied):
    options = {"Status quo": {"f": 0.0, "h": 0.0}, "A": {"f": 0.1}, "B": {"h": gain}}
    effects = [("f", "profit", 1.0, 0.0, 1.0), ("h", "profit", 1.0, 0.0, 1.0), GOAL]
    recommendation, _ = advised(options, effects)
    assert recommendation
    assert [option.label for option in recommendation.recommended] == tied


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        (("f", "profit", 0.1, 0.1, 1.0), 0.8413),  # P(strength > 0), one std above 0
        (("f", "profit", 0.5, 0.0, 0.4), 0.7),  # better where the effect exists, else equal
        (("f", "profit", 0.5, 0.0, 1.0), 1.0),
    ],
    ids=["strength", "existence", "nothing-uncertain"],
)
def test_certainty_is_the_share_of_draws_in_which_the_best_option_stays_so(first, expected):
    recommendation, _ = advised({"Status quo": {"f": 0.0}, "A": {"f": 1.0}}, [first, GOAL])
    assert recommendation
    assert recommendation.certainty == pytest.approx(expected, abs=0.03)
    assert math.fsum(option.certainty for option in recommendation.options) == pytest.approx(1)


def test_draws_are_the_same_in_every_version_of_python_and_numpy():
    recommendation, _ = advised(OPTIONS, PRICE)
    assert recommendation
    assert [option.certainty for option in recommendation.options] == [0.610333, 0.354333, 0.035333]


def test_numbers_that_would_change_the_recommendation_come_with_their_sentence_and_edge():
    options = {"Status quo": {"f": 0.0, "h": 0.0}, "A": {"f": 0.5}, "B": {"h": 0.5}}
    effects = [("f", "profit", 0.5, 0.2, 1.0), ("h", "profit", 0.4, 0.02, 1.0), GOAL]
    _, deciding = advised(options, effects)
    assert [number.message for number in deciding] == [
        'If "F" had no effect on "Profit", "B" would be best.',
        'If "A" set "F" to 0 instead of 0.5, "B" would be best.',
    ]
    edges = [number.edge for number in deciding if number.edge]
    assert [(edge.source, edge.target) for edge in edges] == [("f", "profit"), ("o1", "f")]


def test_no_more_than_five_numbers_are_named():
    effects = [(f"f{place}", "profit", 0.1, 1.9, 1.0) for place in range(9)]
    options = {"Status quo": {"f0": 0.0}, "A": {f"f{place}": 1.0 for place in range(9)}}
    _, deciding = advised(options, [*effects, GOAL])
    assert len(deciding) == MAX_DECIDING


def test_an_option_is_recommended_only_where_one_changes_the_goal():
    options = {"Status quo": {"f": 0.0}, "A": {"f": 1.0}}
    assert advised(options, [("f", "profit", 0.0, 0.1, 1.0), GOAL]) == (None, ())


@given(st.lists(st.floats(-1e308, 1e308), min_size=8, max_size=8))
def test_hostile_numbers_never_raise(numbers):
    options = {"Status quo": {"f": numbers[0]}, "A": {"f": numbers[1]}}
    effects = [
        ("f", "profit", numbers[2], numbers[3], numbers[4]),
        ("profit", "goal", numbers[5], numbers[6], numbers[7]),
    ]
    recommendation, _ = advised(options, effects)
    if recommendation:
        assert all(math.isfinite(option.gain) for option in recommendation.options)
        assert 0 <= recommendation.certainty <= 1
