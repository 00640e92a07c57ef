import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_evaluator.records.brief import parse_brief
from graph_evaluator.report.texts import analysis_pack, example_cells
from tests.approval import check_approved
from tests.builders.cases import cases
from tests.builders.graphs import DRAFT
from tests.builders.scorecards import (
    card,
    findings,
    invalid,
    stored,
    sub_score,
    unanswered,
    unusable,
)
from tests.report.hostile import HOSTILE
from tests.report.rich_run import rich_run

BRIEF = parse_brief("b1", "---\ncomplexity: simple\n---\nStay or go?\n", file="b1.md")


def pack(*cards, limit=30_000, brief=None, graph=None):
    """The pack, where every response holds this graph; None: there is no response."""
    briefs = dict.fromkeys((one.brief_id for one in cards), brief) if brief else {}
    return analysis_pack(findings(*cards), briefs, stored(*cards, graph=graph), limit)


def many(models, briefs):
    subs = {"completeness": (sub_score("goal_threshold", 0.5),)}
    return [
        one
        for model in range(models)
        for brief in range(briefs)
        for one in (
            card(f"m{model}", f"b{brief:03}", (model * 7 + brief * 3) % 10 / 10, sub_scores=subs),
            invalid(f"m{model}", f"b{brief:03}", "CYCLE_DETECTED", sample=2),
        )
    ]


def texts(markdown):
    """The fenced blocks."""
    return [
        found[2]
        for found in re.finditer(r"^(`{3,})text\n(.*?)\n\1$", markdown, re.MULTILINE | re.DOTALL)
    ]


@pytest.fixture(name="run", scope="module")
def _run():
    """The findings of a run, and its stored graphs."""
    cards = many(3, 12)
    return findings(*cards), stored(*cards, graph=DRAFT)


@settings(max_examples=25)
@given(st.integers(2_000, 60_000), st.integers(0, 5_000))
def test_the_pack_keeps_to_its_bound_and_its_parts_are_whole(run, limit, words):
    brief = BRIEF._replace(body="Ü word " * words)
    text = analysis_pack(run[0], {one.brief_id: brief for one in run[0].briefs}, run[1], limit)
    assert len(text.encode()) <= limit
    assert text.count("```") == 2 * len(texts(text))


def test_a_pack_with_room_leaves_nothing_out():
    found, briefs, read_cell = rich_run()
    check_approved("analysis-pack.md", analysis_pack(found, briefs, read_cell, 100_000))


@cases(
    "cards, chosen",
    {
        "of the brief that differs most": (
            [
                card("a", "b1", 0.5), card("b", "b1", 0.6), card("a", "b2", 0.2), card("b", "b2", 0.9),
                unusable("refused", "c", "b1"), unanswered(model="c", brief="b2"),
            ],
            [("best", "b", "b2"), ("worst", "a", "b2")],
        ),
        "an invalid graph is worse than a usable one": (
            [card("a", score=0.2), invalid("b", "b1", "X"), card("c", score=0.9)],
            [("best", "c", "b1"), ("worst", "b", "b1")],
        ),
        "no graph": ([unanswered(), unusable("refused", brief="b2")], []),
    },
)  # fmt: skip
def test_the_examples_are_the_best_and_the_worst_graph_of_a_brief(cards, chosen):
    examples = example_cells(findings(*cards))
    assert [(which, row.model_id, row.brief_id) for which, row in examples] == chosen


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_of_a_brief_or_a_graph_stays_in_its_block(value):
    node = {"id": value, "label": value, "kind": value, "category": value}
    graph = {"nodes": [node], "edges": [{"from": value, "to": value}]}
    text = pack(card(), brief=BRIEF._replace(body=f"{value}\nend"), graph=graph)
    body, drawn = texts(text)
    assert body.endswith("end")
    assert " -> " in drawn
    assert "\u202e" not in text
    assert "\x1b" not in text


def test_a_brief_and_a_table_have_a_part_of_the_pack_at_most():
    cards = [card(f"m{number}", "b1", number / 20) for number in range(12)]
    text = pack(*cards, limit=6_000, brief=BRIEF._replace(body="x" * 5_000))
    assert len([line for line in text.splitlines() if re.match(r"\| \d+ \|", line)]) == 6
    assert "and 6 more" in text
    assert texts(text) == ["x" * 1_500 + "\n…"]
