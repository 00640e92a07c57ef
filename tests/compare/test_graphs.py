"""The graphs and prompts on the page of a comparison."""

import json

from graph_evaluator.compare.views import PageEvidence, comparison_page, diff_prompts, draw_pairs
from tests.builders.graphs import edge, graph, node
from tests.compare.cards import compared, side, with_content
from tests.report.page import Read

FACTORS = [node("a"), node("b", label="B <b>")]
BEFORE, AFTER = graph(FACTORS, [edge("a", "b", 0.5)]), graph(FACTORS, [edge("a", "b", -0.5)])


def drawn():
    """Three briefs: one fell in content, one in form by more, one has no graph on one side."""
    base = side(with_content([0.9, 0.9, 0.5], [0.8, 0.8, 0.5]), "main")
    cards = with_content([0.9, 0.6, 0.7], [0.7, 0.8, 0.5])
    last = cards[2].model_copy(update={"status": "truncated"})
    result = compared(base, side([*cards[:2], last], "v21"))
    graphs = {"main": BEFORE, "v21": AFTER}
    return result, draw_pairs(result, lambda of_side, _cell: graphs[of_side.name])


def test_the_brief_that_fell_most_is_first_and_each_has_both_graphs_and_their_parts():
    result, pairs = drawn()
    assert [pair.pair.brief_id for pair in pairs] == ["b02", "b01", "b03"]
    sides = json.loads(pairs[0].parts)
    only = [{part[0] for part in parts} for parts in sides]
    assert [len(only[0] - only[1]), len(only[0] & only[1])] == [1, 2]
    assert [bool(sketch.svg) for sketch in pairs[2].sketches] == [True, False]
    page = comparison_page(result, PageEvidence(("-old <b>", "+new"), pairs))
    shown = Read(page.decode())
    assert [details["data-names"] for details in shown.all("details") if "data-names" in details] == [
        "p0-0 p0-1", "p1-0 p1-1", "p2-0 p2-1"
    ]  # fmt: skip
    assert "b02 m form 0.900 → 0.600 content 0.800" in shown.text
    assert (shown.all("ins"), shown.all("del"), shown.all("b")) == ([{}], [{}], [])


def test_prompts_differ_in_lines():
    assert diff_prompts("Draft.\nBe brief.", "Draft.\nBe exact.") == [
        "@@ -1,2 +1,2 @@", " Draft.", "-Be brief.", "+Be exact."
    ]  # fmt: skip
    assert diff_prompts("same", "same") == []
