"""Laws of scoring, over graphs of any shape: what must hold whatever a model drafts."""

import copy
from collections import defaultdict

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bench.draft_graphs import draft_graph
from graph_evaluator.records.codes import VIOLATIONS, WARNINGS
from tests.builders.graphs import node
from tests.score.drafts import scored

KINDS = ("decision", "option", "factor", "factor", "outcome", "risk", "goal", "action")
TENTHS = st.integers(-15, 15).map(lambda tenths: tenths / 10)
MANY = settings(max_examples=40)


@st.composite
def sound_graphs(draw):
    """Valid graphs, with what they may lack left out here and there."""
    graph = draft_graph(draw(st.sampled_from([6, 7, 10, 12, 14])), draw(st.integers(0, 10**6)))
    optional = st.sets(st.sampled_from(["label", "category", "goal_threshold"]))
    for entry in graph["nodes"]:
        for key in draw(optional):
            entry.pop(key, None)
    for link in graph["edges"]:
        link["strength"]["mean"] = draw(TENTHS)
    graph["coaching"] = draw(st.sampled_from([None, {"summary": "x"}, graph["coaching"]]))
    return graph


def edge(draw, source, target, kind=None):
    return {
        "from": source,
        "to": target,
        "strength": {"mean": draw(TENTHS), "std": draw(st.sampled_from([0.1, 0.125, 0.2]))},
        "exists_probability": draw(st.sampled_from([0.5, 0.88, 0.92])),
        "edge_type": kind,
    }


@st.composite
def any_graphs(draw):
    """Graphs of any shape over a few ids, some of them repeated or dangling: mostly invalid."""
    ids = st.sampled_from("abcdefgh")
    categories = st.sampled_from([None, "controllable", "external"])
    nodes = [
        node(draw(ids), draw(st.sampled_from(KINDS)), category=draw(categories))
        for _ in range(draw(st.integers(0, 9)))
    ]
    kinds = st.sampled_from([None, "directed", "bidirected", "other"])
    edges = [edge(draw, draw(ids), draw(ids), draw(kinds)) for _ in range(draw(st.integers(0, 12)))]
    return {"nodes": nodes, "edges": edges}


GRAPHS = st.one_of(sound_graphs(), any_graphs())
SCORES = ("param_quality", "option_diff", "completeness", "overall_score", "expected_score")


def verdict(card):
    return (card.violation_codes, *(getattr(card, key) for key in SCORES))


def inbound_is_clear(graph):
    """No inbound sum lies within rounding of the bound, where the order of addition decides."""
    sums: dict[str, float] = {}
    for entry in graph["edges"]:
        sums[entry["to"]] = sums.get(entry["to"], 0.0) + abs(entry["strength"]["mean"])
    return all(abs(total - 1.0) > 1e-9 for total in sums.values())


@given(GRAPHS, st.randoms(use_true_random=False))
@MANY
def test_names_and_order_change_nothing(graph, shuffle):
    assume(inbound_is_clear(graph))
    before = verdict(scored(graph))
    new = list("abcdefghijklmnopqrstuvwxyz")
    shuffle.shuffle(new)
    renamed: defaultdict[str, str] = defaultdict(new.pop)
    graph = copy.deepcopy(graph)
    for entry in graph["nodes"]:
        entry["id"] = renamed[entry["id"]]
        settings = entry.get("data", {}).get("interventions", {})
        items = [(renamed[key], value) for key, value in settings.items()]
        shuffle.shuffle(items)
        entry["data"] = {"interventions": dict(items)}
    for entry in graph["edges"]:
        entry["from"], entry["to"] = renamed[entry["from"]], renamed[entry["to"]]
    if len({entry["id"] for entry in graph["nodes"]}) == len(graph["nodes"]):
        shuffle.shuffle(graph["nodes"])  # of nodes that share an id the last one counts
    shuffle.shuffle(graph["edges"])
    assert verdict(scored(graph)) == before


@given(GRAPHS, st.data())
@MANY
def test_a_bidirected_edge_between_two_factors_changes_nothing(graph, data):
    factors = [entry["id"] for entry in graph["nodes"] if entry["kind"] == "factor"]
    assume(factors)
    source, target = (data.draw(st.sampled_from(factors)) for _ in range(2))
    more = {**graph, "edges": [*graph["edges"], edge(data.draw, source, target, "bidirected")]}
    assert verdict(scored(more)) == verdict(scored(graph))


@given(GRAPHS)
@MANY
def test_every_score_is_between_0_and_1(graph):
    card = scored(graph)
    for key in SCORES:
        value = getattr(card, key)
        assert value is None or -1e-12 <= value <= 1 + 1e-12
    for parts in card.sub_scores.values():
        assert all(0.0 <= part.value <= 1.0 for part in parts)
    assert card.structural_valid == (not card.violation_codes) == (card.overall_score is not None)


@given(GRAPHS)
@MANY
def test_findings_are_in_order_and_name_only_what_is_in_the_answer(graph):
    card = scored(graph)
    assert card.violation_codes == tuple(finding.code for finding in card.violations)
    order = [*VIOLATIONS, *WARNINGS]
    codes = [finding.code for finding in (*card.violations, *card.warnings)]
    assert codes == sorted(codes, key=order.index)
    ids = {entry["id"] for entry in graph["nodes"]}
    for finding in (*card.violations, *card.warnings):
        assert set(finding.nodes) <= ids
        for reference in finding.edges:
            named = graph["edges"][reference.index]
            assert (reference.source, reference.target) == (named["from"], named["to"])
