"""What a comparison says, once for every form: see test_views for the forms."""

import pytest

from graph_evaluator.compare.comparison import NotCompared
from graph_evaluator.compare.wording import describe
from graph_evaluator.records.run_results import RecordedCounts
from tests.builders.cases import cases
from tests.compare.cards import (
    BASE,
    BETTER,
    card,
    cards,
    compared,
    lines,
    manifest,
    side,
    with_content,
    with_verdict,
)


def better():
    return compared(cards(BASE), side([*cards(BETTER), card(brief="new")], "v21"))


def table_of(result, part):
    """The rows of a part's table below its titles."""
    table = describe(result).parts[part].table
    assert table is not None
    titles = [column.title for column in table.columns]
    return [titles, *([entry.text for entry in row] for row in table.rows)]


@cases(
    "verdict, title",
    {
        "better": ("better", "take v21 instead of main"),
        "worse": ("worse", "keep main instead of v21"),
        "mixed": ("mixed", "decide whether form or content matters; v21 compared with main"),
        "cannot tell": ("cannot tell", "keep main; v21 is not shown to be better or worse"),
        "unchanged": ("unchanged", "v21 has the same answers as main"),
    },
)
def test_the_title_says_what_to_do(verdict, title):
    assert describe(with_verdict(better(), verdict)).title == title


ALIKE = "keep main; v21 does not fail less, cost less or answer faster"


@cases(
    "base, head, title",
    {
        "fewer failures": (
            {"est_cost_usd": 0.01},
            {"est_cost_usd": 0.02},
            "take v21, which fails less than main",
        ),
        "cheaper": (
            {"est_cost_usd": 0.03, "latency_ms": 1_000.0},
            {"est_cost_usd": 0.02, "latency_ms": 9_000.0},
            "take v21, which costs less than main",
        ),
        "faster": (
            {"est_cost_usd": 0.021, "latency_ms": 7_000.0},
            {"est_cost_usd": 0.02, "latency_ms": 9_000.0},
            "take main, which answers faster than v21",
        ),
        "milliseconds": ({"latency_ms": 22.0}, {"latency_ms": 31.0}, ALIKE),
        "seconds of minutes": ({"latency_ms": 95_000.0}, {"latency_ms": 99_000.0}, ALIKE),
        "nothing": ({}, {}, ALIKE),
    },
)
def test_without_a_difference_failures_then_cost_then_latency_decide(base, head, title):
    failed = [card(codes=("X",), brief="b99")] if "fails" in title else []
    before = [*cards([0.8] * 99, **base)[: 99 - len(failed)], *failed]
    result = compared(before, side(cards([0.8] * 99, **head), "v21"))
    assert describe(result).title == title


def test_failures_are_counted_on_both_sides():
    head = [*cards([0.8] * 15), card(brief="b16", codes=("X",))]
    result = compared(cards([0.8] * 16), side(head, "v21"))
    said = describe(result).sentences[-1]
    assert said == "Without a usable graph: 1 of 16 answers of v21, 0 of 16 answers of main."


def test_models_of_one_side_are_named_next_to_the_verdict():
    several = [*cards(BETTER), *cards(BASE, model="old"), *cards(BASE, model="new")]
    one, other = several[:20], [*several[:10], *several[20:]]
    assert "Models that were not compared: new, old." in describe(compared(one, other)).sentences
    models = (side(of, model=name) for of, name in ((cards(BASE), "m"), (several[20:], "new")))
    assert not [line for line in describe(compared(*models)).sentences if "Models" in line]


def test_what_did_not_move_and_columns_without_anything_are_left_out():
    before, after = with_content([0.8] * 10, BASE), with_content([0.8] * 10, [*BASE[:9], 0.9])
    assert table_of(compared(before, after), 1) == [
        ["Brief", "Content"],
        ["b10", "0.340 → 0.900"],
    ]
    assert table_of(better(), 0)[0] == ["Model", "Verdict", "Form", "Usable"]


def test_a_comparison_that_could_not_be_made_says_why():
    report = describe(NotCompared(baseline="main", candidate="v21", reasons=("no results",)))
    assert (report.heading, report.sentences) == ("could not measure", ("no results",))


LOGGED = manifest(
    recorded={
        "logged": RecordedCounts(
            answers_sha256="0" * 64, prompt="prompts/live.txt", answers=10, not_recorded=0,
            left_out=0, without_answer=0,
        )
    }
)  # fmt: skip


def test_the_prompt_of_each_side_is_named_a_recorded_models_own():
    sides = side([], run=LOGGED, model="called"), side([], run=LOGGED, model="logged")
    baseline, candidate = (line for line in lines(compared(*sides)) if "prompt prompts" in line)
    assert "prompt prompts/v20.txt" in baseline
    assert "prompt prompts/live.txt" in candidate


def test_what_a_rerun_of_the_baseline_alone_changes_is_next_to_the_difference():
    base = [
        card(score, brief=f"b{brief}", sample=sample, content=content)
        for brief in range(6)
        for sample, score, content in ((1, 0.4, 0.5), (2, 0.6, 0.9))
    ]
    head = [card(0.7, brief=f"b{brief}", content=0.9) for brief in range(6)]
    found = compared(base, head)
    assert found.reruns == pytest.approx({"form": 0.1 / 3**0.5, "content": 0.2 / 3**0.5})
    said = " A rerun of main alone moves form by ±0.058 and content by ±0.115."
    assert describe(found).sentences[0].endswith(said)
    assert compared(head, base).reruns == {}
