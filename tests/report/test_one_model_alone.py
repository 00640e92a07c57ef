"""A figure of a model depends on that model alone, whatever else is in the run."""

import csv
import io

from hypothesis import given, settings
from hypothesis import strategies as st

from graph_evaluator.report.columns import HEADLINES, LEADERBOARD, OTHERS, leaderboard
from graph_evaluator.report.exports import metrics, models_csv, scores_csv
from graph_evaluator.shell.numbers import MISSING
from tests.builders.scorecards import card, findings, invalid, manifest, unanswered, unfaithful
from tests.compare.cards import compared

BRIEFS = {
    "coded": {"states_effects": True},
    "exact": {"states_effects": True, "exact_names": True},
    "form": {"states_effects": False},
}


@st.composite
def cell(draw, model, brief, sample):
    """An answer of any kind, or none; content is measured or not."""
    values = st.integers(1, 9).map(lambda tenths: tenths / 10)
    of_brief = BRIEFS[brief] | {"sample": sample}
    kind = draw(st.sampled_from(("usable", "usable", "invalid", "unfaithful", "unanswered")))
    if kind == "invalid":
        return invalid(model, brief, "ORPHAN_NODE", **of_brief)
    if kind == "unanswered":
        return unanswered(model=model, brief=brief, **of_brief)
    measured = {
        "latency_ms": 1000 * draw(values),
        "est_cost_usd": draw(st.none() | values),
    }
    if BRIEFS[brief]["states_effects"]:
        measured["content"] = draw(values if brief == "exact" else st.none() | values)
    if kind == "unfaithful":
        return unfaithful(model, brief, "target", **of_brief, **measured)
    return card(model, brief, draw(values), **of_brief, **measured)


def cells(model):
    places = [(brief, sample) for brief in BRIEFS for sample in (1, 2)]
    return st.tuples(*(cell(model, *place) for place in places)).map(list)


def figures(found, model):
    """All of a model that files and tables show, its rank apart."""
    rows = csv.DictReader(io.StringIO(scores_csv(found).decode()))
    (plotted,) = [
        line for line in models_csv(found).decode().splitlines() if line.startswith(model)
    ]
    board = leaderboard(found.candidates, (*LEADERBOARD, *HEADLINES, *OTHERS))
    (row,) = [row for row in board.rows if row[1].text == model.upper()]
    shown = zip(board.columns[1:], row[1:], strict=True)
    models = metrics(found)["models"]
    assert isinstance(models, dict)
    return [
        [",".join(row.values()) for row in rows if row["model_id"] == model],
        plotted,
        [f"{column.title} {entry.text}" for column, entry in shown if entry.text != MISSING],
        models[model],
    ]


@settings(max_examples=30)
@given(cells("a"), cells("b"), cells("c"))
def test_another_model_in_the_run_changes_no_figure_of_a_model(one, other, third):
    run = manifest("a", "b", "c")
    alone = figures(findings(*one, run=run), "a")
    assert figures(findings(*one, *other, run=run), "a") == alone
    assert figures(findings(*one, *other, *third, run=run), "a") == alone


@settings(max_examples=30)
@given(cells("a"), cells("a"), cells("b"), cells("b"))
def test_another_model_in_a_comparison_changes_no_figure_of_a_model(before, after, base, head):
    (alone,) = compared(before, after).models
    together, _ = compared([*before, *base], [*after, *head]).models
    assert (together.baseline, together.candidate) == (alone.baseline, alone.candidate)
    for number, test in alone.judgement.tests.items():
        difference = together.judgement.tests[number].difference
        assert (difference.value, difference.n) == (test.difference.value, test.difference.n)


@settings(max_examples=30)
@given(cells("a"))
def test_a_model_has_one_content_in_the_report_and_in_a_comparison(one):
    (compared_model,) = compared(one, one).models
    (reported,) = findings(*one).candidates
    assert compared_model.baseline.content == reported.summary.content
