"""The tables of a comparison: every column has its own figure."""

from typing import Any

from graph_evaluator.compare.tables import models_table, moved_table
from tests.compare.cards import card, compared, side


def run(*forms: float, **figures: Any):
    """A cell for each form, of the briefs b0, b1, ...; content is half the form."""
    return [
        card(form, brief=f"b{number}", content=form / 2, **figures)
        for number, form in enumerate(forms)
    ]


def result():
    """The candidate is better on every brief but the last, where its graph is invalid."""
    base = run(0.5, 0.52, 0.5, 0.52, 0.5, 0.52, 0.5, 0.9, est_cost_usd=0.02, latency_ms=2000.0)
    head = run(0.7, 0.72, 0.7, 0.72, 0.7, 0.72, 0.7, est_cost_usd=0.03, latency_ms=5000.0)
    failed = card(
        brief="b7", codes=("NO_GOAL",), content=None, est_cost_usd=0.03, latency_ms=5000.0
    )
    return compared(base, side([*head, failed], "v21", revision=None))


def texts(table):
    names = [column.title for column in table.columns]
    return [
        dict(zip(names, (entry.text.replace("\xa0", " ") for entry in row), strict=True))
        for row in table.rows
    ]


def test_the_row_of_a_model_has_every_figure_in_its_column():
    (row,) = texts(models_table(result()))
    assert row == {
        "Model": "m", "Verdict": "cannot tell", "Form": "+0.062 ± 0.391", "Content": "+0.031 ± 0.195",
        "Usable": "100% → 88%", "Cost": "x 1.50", "Latency": "x 2.50",
    }  # fmt: skip


def test_the_row_of_a_cell_that_moved_has_every_figure_and_the_way_to_its_page():
    table = moved_table(result(), "site")
    rows = texts(table)
    assert rows[0] == {
        "Brief": "b7", "Form": "0.900 → 0.000", "Content": "0.450 → 0.000", "Violations": "gained No goal",
    }  # fmt: skip
    assert (len(rows), rows[1]["Form"], rows[1]["Content"]) == (8, "0.500 → 0.700", "0.250 → 0.350")
    brief, form = table.rows[0][:2]
    assert (brief.href, form.href) == ("site/brief/b7.html", "site/cell/m/b7-1.html")
