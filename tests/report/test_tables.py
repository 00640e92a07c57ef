import pandas as pd

from stages.report.columns import CELLS, FAILURES, cost_text, model_fields
from stages.report.tables import table_of
from stages.shared.present.table import Table
from stages.shared.records.scorecard import Scorecard
from tests.builders.cases import cases
from tests.builders.scorecards import card, findings, frame, invalid, unanswered


def texts_of(table: Table) -> list[list[str]]:
    return [[entry.text for entry in row] for row in table.rows]


def test_a_table_has_the_named_fields_in_their_order() -> None:
    found = findings(card("a", score=0.5), card("b", score=0.75))
    table = table_of(found.models, model_fields(0.95), "score name")
    assert [column.title for column in table.columns] == ["Expected score", "Model"]
    assert texts_of(table) == [["0.750", "B"], ["0.500", "A"]]


def test_numbers_have_a_value_to_sort_by_and_texts_have_none() -> None:
    found = findings(invalid("a", "b1", "CYCLE_DETECTED"), card("a", "b2"), configs=())
    table = table_of(found.models, model_fields(0.95), "name usable refused cost")
    assert [entry.value for entry in table.rows[0]] == [None, 0.5, 0, 0.02]


def test_what_was_not_measured_has_no_value_to_sort_by() -> None:
    (row,) = table_of(frame(unanswered()), CELLS, "expected cost").rows
    assert [(entry.text, entry.value) for entry in row] == [("—", None), ("—", None)]


def test_entries_have_the_links_and_looks_of_their_rows() -> None:
    failures = findings(invalid("a", "b1", "CYCLE_DETECTED"), configs=()).failures
    (row,) = table_of(failures.assign(look="bad"), FAILURES, "name code", root="../").rows
    links = [(entry.href, entry.look) for entry in row]
    assert links == [("../model/a.html", ""), ("", "bad")]
    (row,) = table_of(failures, FAILURES, "name code").rows
    assert [entry.href for entry in row] == ["", ""]


def test_a_table_without_rows_has_its_columns() -> None:
    table = table_of(pd.DataFrame(columns=["code", "cells"]), FAILURES, "code cells")
    assert ([column.title for column in table.columns], table.rows) == (["Code", "Cells"], ())


@cases(
    "cards, shown",
    {
        "known": ((card(),), "$0.0100"),
        "partly known": ((card(), card(brief="b2", est_cost_usd=None)), "$0.0100 + 1 unknown"),
        "unknown": ((card(est_cost_usd=None),), "— + 1 unknown"),
        "nothing to pay": ((unanswered(),), "—"),
    },
)
def test_unknown_costs_are_counted_beside_the_known(
    cards: tuple[Scorecard, ...], shown: str
) -> None:
    total = findings(*cards).total
    assert cost_text(total.cost_usd, total.cost_unknown) == shown


def test_a_cell_is_shown_with_its_outcome_and_figures() -> None:
    cells = frame(card(score=0.5), unanswered("rate_limited", brief="b2"), configs=())
    shown = "brief outcome expected nodes output cost latency failures"
    assert texts_of(table_of(cells, CELLS, shown)) == [
        ["b1", "usable", "0.500", "8", "900", "$0.0100", "1.0 s", ""],
        ["b2", "rate limited", "—", "—", "—", "—", "—", "Rate limited"],
    ]
