"""The drafted graphs of what moved, read from both revisions and set side by side."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stages.compare.comparison import compare
from stages.compare.pages import graphs_page
from stages.compare.revisions import Revisions
from stages.compare.sides import ComparedSide
from stages.contracts.response import Response
from stages.contracts.scorecard import Scorecard
from tests.builders.graphs import CHAIN, LINKS, node
from tests.compare.cards import PARAMS, cards, manifest
from tests.compare.repository import Results
from tests.report.page import Read


def side(name: str, *scores: float) -> tuple[ComparedSide, tuple[Scorecard, ...]]:
    found = cards(scores)
    return ComparedSide(
        name=name, revision=None, date=None, run=manifest(), scorecards=found
    ), found


@pytest.mark.pipeline
def test_the_graphs_of_a_cell_that_has_one_at_both_revisions_are_side_by_side(
    tmp_path: Path,
) -> None:
    results = Results(tmp_path / "repository")
    sides = {"v1": side("v1", 0.5, 0.4, 0.3), "v2": side("v2", 0.7, 0.6, 0.9)}
    for name, (_, found) in sides.items():
        labels = "Old <b>price</b>" if name == "v1" else "New price"
        graph: Any = {"nodes": [*CHAIN, node("p", label=labels)], "edges": LINKS}
        answer = Response(
            model_id="m", brief_id="b01", sample=1, status="success", parsed_graph=graph
        )
        answers = (
            [answer, answer.model_copy(update={"brief_id": "b03"})] if name == "v2" else [answer]
        )
        results.record(manifest(), found, answers, tag=name)
    base, head = (
        replace(sides[name][0], revision=results.git("rev-parse", name)) for name in ("v1", "v2")
    )
    page = Read(graphs_page(compare(base, head, PARAMS), Revisions(results.folder)).decode())
    text = " ".join(page.text.split())
    assert (
        "m on b01, 0.500 → 0.700 5 nodes and 4 edges are the same; 0 added, 0 removed, 1 changed"
        in text
    )
    assert "label “Old <b>price</b>” became “New price”" in page.text
    assert len([svg for svg in page.all("svg") if svg.get("class") == "graph"]) == 2
    assert "b02" not in page.text
    assert "b03" not in page.text, "it has a graph at v2 only"
