"""The share of stated effects that graphs have right is compared beside the score, by the front-matter of the later side."""

from typing import Any

import pytest

from graph_evaluator.compare.comparer import Comparer
from graph_evaluator.compare.revisions import Revisions
from graph_evaluator.records.params import Params
from graph_evaluator.records.response import Cell
from tests.builders.graphs import edge, node
from tests.builders.responses import response
from tests.compare.cards import card, manifest
from tests.compare.repository import Results

BODY = """
We run a small bakery in the harbour street. Every evening a third of the bread is thrown away,
because the old oven takes two hours for one batch, while the shelves are empty after lunch and the
queue at noon reaches the door. Should we buy a second oven or stay with what we have?
"""
EFFECTS = "concepts:\n  waste: [thrown away]\nexact_names: true\neffects:\n  - waste lowers goal\n"
BRIEFS = ("b01", "b02")
PARAMS = Params.model_validate({"prompt": "prompts/p.txt", "models": ["*"], "briefs": ["*"]})


def bakery(brief, mean):
    """A valid graph in which what is thrown away changes the goal by `mean`."""
    nodes = [
        node("d", "decision", label="Which oven?"),
        node("o1", "option", label="Buy a second oven", data={"interventions": {"f": 1.0}}),
        node("o2", "option", label="Status quo", data={"interventions": {"f": 0.0}}),
        node("f", category="controllable", label="Ovens in the bakery"),
        node("r", "risk", label="Bread thrown away"),
        node("g", "goal", label="Profit of the bakery"),
    ]
    links = [("d", "o1"), ("d", "o2"), ("o1", "f"), ("o2", "f")]
    edges = [edge(start, end) for start, end in links]
    for start, end, size in (("f", "r", -0.5), ("r", "g", mean)):
        edges.append(edge(start, end) | {"strength": {"mean": size, "std": 0.1}})
    graph: Any = {"nodes": nodes, "edges": edges}
    return response(Cell("m", brief, 1), parsed_graph=graph)


@pytest.mark.pipeline
@pytest.mark.parametrize(
    ("body", "measured"), [(BODY, True), (f"{BODY}\nBy May.", False)], ids=["same", "changed"]
)
def test_the_later_front_matter_serves_both_sides_where_the_body_is_the_same(
    tmp_path, body, measured
):
    results = Results(tmp_path / "project")
    for tag, head, text, mean in (("old", "", BODY, -0.6), ("new", EFFECTS, body, -0.4)):
        results.write(briefs={f"briefs/{brief}.md": f"---\n{head}---\n{text}" for brief in BRIEFS})
        content: dict[str, Any] = {"content": 1.0} if head else {}
        cards = [card(0.5, brief=brief, **content) for brief in BRIEFS]
        answers = [bakery(brief, mean) for brief in BRIEFS]
        results.record(manifest(run_id=tag, briefs={"b01": tag}), cards, answers, tag=tag)
    revisions = Revisions(results.folder)
    result = Comparer(revisions, PARAMS).compare("old", "new")
    known = [
        end.content for pair in result.pairing.pairs for end in (pair.baseline, pair.candidate)
    ]
    assert (known == [1.0] * 4) is measured
