"""Whatever an answer holds, scoring says what is wrong with it, in bounded time and space, and
never raises.
"""

import json
import re
import time
from typing import Any

import pytest
from hypothesis import given, settings

from graph_evaluator.generate.answers import extract
from graph_evaluator.records.brief import Prompt, parse_brief
from graph_evaluator.records.codebook import parse_codebook
from graph_evaluator.records.json_text import line, parse
from graph_evaluator.records.record import written_yaml
from graph_evaluator.score import Scorer
from tests.builders.cases import cases
from tests.builders.graphs import ANSWERS, VALUES, edge
from tests.builders.responses import response
from tests.score.drafts import EXPECTATIONS, RULES, changed, draft, node, score, scored, sub_score

WITHIN_S = 5.0
"""Generous: a second is the aim on a machine that does nothing else."""


def bent(path, value):
    """The draft with another value at a path such as $.nodes[0].id."""
    graph = draft()
    place: Any = graph
    *parents, last = [int(step) if step.isdigit() else step for step in re.findall(r"\w+", path)]
    for step in parents:
        place = place[step]
    place[last] = value
    return graph


@cases(
    "graph, path",
    {
        "null": (None, "$"),
        "a text for a setting": (
            bent("$.nodes[1].data.interventions", {"a b": "high"}),
            "$.nodes[1].data.interventions.a b",
        ),
        "no std on a causal edge": (
            bent("$.edges[4].strength", {"mean": 1}),
            "$.edges[4].strength.std",
        ),
    },
)
def test_what_is_no_draft_graph_is_reported_by_its_path(graph, path):
    card = scored(graph)
    assert not card.structural_valid
    assert card.violation_codes[0] == "INVALID_SCHEMA"
    assert card.violations[0].path == path
    assert card.violations[0].message.startswith(path)
    assert line(card.to_json())


@cases(
    "path, value",
    {
        "data of a factor": ("nodes[3].data", "x"),
        "an effect direction of another type": ("edges[4].effect_direction", 5),
        "items of any type": ("coaching.strengthen_items", [None, 5, {}]),
        "a key that is not of the format": ("nodes[0].prior", {"deep": [[[]]]}),
    },
)
def test_what_scoring_never_looks_at_may_be_anything(path, value):
    assert scored(bent(path, value)).violation_codes == ()


def card_of(text):
    """The scorecard of an answer with this text."""
    parsed, _ = extract(text)
    status = "parse_failed" if parsed is None else "success"
    return score(response(status=status, parsed_graph=parsed), EXPECTATIONS, RULES)


def huge(nodes):
    graph = draft()
    graph["nodes"] += [
        {"id": f"fac_{index}", "kind": "factor", "label": "x" * 40} for index in range(nodes)
    ]
    graph["edges"] += [edge(f"fac_{index}", "fac_price", 0.1) for index in range(nodes)]
    return json.dumps(graph)


def chain(nodes):
    """Options that each lead to the next one, as many as are read."""
    options = [{"id": f"o{index}", "kind": "option"} for index in range(nodes - 2)]
    ends = [{"id": f"o{nodes - 2}", "kind": "decision"}, {"id": f"o{nodes - 1}", "kind": "goal"}]
    return json.dumps(
        {"nodes": options + ends, "edges": [edge(f"o{i}", f"o{i + 1}") for i in range(nodes - 1)]}
    )


@cases(
    "text",
    {
        "a chain of 5,000 options": chain(5_000),
        "20 MB of nodes and edges": huge(80_000),
        "two million empty edges": '{"nodes": [], "edges": [' + "{}," * 2_000_000 + "{}]}",
        "20 MB of prose": "x{" * 10_000_000,
    },
)
def test_huge_answers_are_scored_in_time_with_a_short_report(text):
    begun = time.process_time()
    card = card_of(text)
    assert time.process_time() - begun < WITHIN_S
    assert not card.structural_valid
    assert len(line(card.to_json())) < 3_000_000


BRIEF = "---\noptions: [[raise], [stay]]\n---\nRaise the price per seat, or stay? Profit, support, rivals, churn, seats, hours, year."
LONG = {
    "combining marks": "\u0301\u0316",
    "one letter": "a",
    "words": "seat price ",
    "Han": "価格",
    "digits": "9,9.",
    "one digit": "9",
    "numbers of letters": "½ ①",
    "dashes": "-",
    "backslashes": "\\",
    "code": "{<b>`$x_1",
}


def all_long(text):
    """The draft with this text behind each label, and as units and thresholds."""
    graph = changed("goal", goal_threshold_raw=text, goal_threshold_unit=text)
    node(graph, "fac_rivals")["data"] = {"raw_value": 7, "unit": text, "extractionType": "explicit"}
    for entry in graph["nodes"]:
        entry["label"] += text
    return graph


@pytest.mark.parametrize("run", LONG.values(), ids=LONG)
def test_long_texts_are_compared_by_their_beginning_in_time(run):
    about = parse_brief("b", BRIEF + run * (300_000 // len(run)), "b.md")
    prompt = Prompt("p.txt", json.dumps({"nodes": [{"label": run * 300_000}]}))
    codes = parse_codebook(about, written_yaml({"labels": {run * 50_000: None}}), "b.yaml")
    graph = all_long(" " + run * (300_000 // len(run)))
    begun = time.process_time()
    card = Scorer(RULES, [about], prompt, codebooks={"b": codes}).score_graph(graph, "b")
    assert time.process_time() - begun < WITHIN_S / 2
    assert [warning.code for warning in card.warnings] == ["LONG_TEXT"]
    assert card.overall_score == scored(draft(), about.expectations).overall_score
    assert len(line(card.to_json())) < 200_000


def test_the_beginning_of_a_long_label_is_compared_with_the_brief_and_all_of_it_by_the_form():
    about = parse_brief("b", BRIEF, "b.md")
    graph = changed("opt_stay", label=f"Stay {'x' * 1_000} status quo")
    card = Scorer(RULES, [about]).score_graph(graph, "b")
    assert sub_score(card, "status_quo_present").value == 1.0
    assert {check.name: check.share for check in card.fidelity}["options_kept"] == 1.0


@pytest.mark.parametrize(
    ("nodes", "edges", "codes"),
    [
        (5_001, 0, ("INVALID_SCHEMA", "NODE_LIMIT_EXCEEDED")),
        (5_001, 5_001, ("INVALID_SCHEMA", "NODE_LIMIT_EXCEEDED", "EDGE_LIMIT_EXCEEDED")),
    ],
)
def test_of_too_many_nodes_or_edges_only_the_number_is_reported(nodes, edges, codes):
    text = f'{{"nodes": [{",".join(["5"] * nodes)}], "edges": [{",".join(["{}"] * edges)}]}}'
    card = card_of(text)
    assert (card.violation_codes, card.node_count, card.edge_count) == (codes, nodes, edges)
    assert card.violations[0].path == ("$.nodes" if nodes else "$.edges")
    assert scored(parse(text)).violations == card.violations


@given(VALUES | ANSWERS)
@settings(max_examples=80)
def test_any_json_value_is_scored(value):
    card = scored(value)
    assert card.violation_codes
    assert json.loads(line(card.to_json()))["violation_codes"] == list(card.violation_codes)
