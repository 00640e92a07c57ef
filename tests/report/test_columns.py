from graph_evaluator.report.columns import (
    FAILURES,
    HEADLINES,
    LEADERBOARD,
    OTHERS,
    cell_columns,
    cost_text,
    leaderboard,
    table_of,
)
from tests.builders.cases import cases
from tests.builders.scorecards import card, config, findings, invalid, one_of_each, unanswered

_, NAME, SCORE, _, USABLE = LEADERBOARD[:5]


def texts_of(table):
    return [[entry.text for entry in row] for row in table.rows]


def test_a_table_has_the_fields_in_their_order_and_numbers_have_a_value_to_sort_by():
    table = table_of(
        findings(card("a", score=0.5), card("b", score=0.75)).candidates, (SCORE, NAME)
    )
    assert [column.title for column in table.columns] == ["Form", "Model"]
    assert texts_of(table) == [["0.750", "B"], ["0.500", "A"]]
    assert [entry.value for entry in table.rows[0]] == [0.75, None]


def test_every_column_of_a_model_has_its_own_figure():
    models = findings(*one_of_each(), configs=[config("m", "deep")]).candidates
    table = table_of(models, (*LEADERBOARD, *HEADLINES, *OTHERS))
    shown = zip(table.columns, table.rows[0], strict=True)
    assert {column.title: entry.text for column, entry in shown} == {
        "#": "1", "Model": "M", "Form": "0.287", "Content": "0.227", "Same choice": "100%", "Usable": "45% (5/11)",
        "Per usable graph": "$0.0180", "p50": "1.2 s", "Interval of form": "0.000 to 0.591",
        "Interval of content": "0.000 to 0.576", "Briefs": "4", "With effects": "3", "p95": "9.2 s", "Mode": "deep",
        "Cost": "$0.0900", "Right choice": "100%",
        "Certainty": "69%",         "Interval of same choice": "—", "Status quo": "", "Not compared": "0",
    }  # fmt: skip


def test_content_that_is_not_measured_says_what_measures_it():
    board = leaderboard(
        findings(card("a", score=0.6, content=None), card("c", score=0.7, content=0.5)).candidates,
        LEADERBOARD,
    )
    content = [
        entry.text for row in board.rows for entry in row if entry.text in ("not measured", "0.500")
    ]
    assert sorted(content) == ["0.500", "not measured"]
    assert board.notes == (
        "Content of 1 usable graph is not measured: `graph-evaluator briefs code` (about $0.02 a brief).",
    )


def test_entries_have_the_links_of_their_rows_on_a_page_but_for_a_count_of_0():
    found = findings(invalid("a", "b1", "CYCLE_DETECTED"))
    code, share, *_ = table_of(found.failures, FAILURES, root="../").rows[0]
    assert code.href == "../glossary.html#CYCLE_DETECTED"
    assert share.href == "../cells.html#code=CYCLE_DETECTED"
    (usable,) = table_of(found.candidates, (USABLE,), root="../").rows[0]
    assert usable.href == ""
    assert not any(entry.href for entry in table_of(found.failures, FAILURES).rows[0])


@cases(
    "cards, shown",
    {
        "known": ((card(),), "$0.0100"),
        "partly known": ((card(), card(brief="b2", est_cost_usd=None)), "$0.0100 + 1 unknown"),
        "unknown": ((card(est_cost_usd=None),), "not measured (1 answer)"),
        "nothing to pay": ((unanswered(),), "—"),
    },
)
def test_unknown_costs_are_counted_beside_the_known(cards, shown):
    assert cost_text(findings(*cards).total.cost) == shown


def test_a_cell_is_shown_with_its_outcome_and_figures():
    found = findings(card(score=0.5, content=0.25), unanswered("rate_limited", brief="b2"))
    assert texts_of(table_of(found.cells, cell_columns(found.names, of_brief=True))) == [
        ["A", "0.500", "usable", "1", "0.500", "0.500", "0.500", "0.250", "", "900", "$0.0100", "1.0 s"],
        ["A", "—", "rate limited", "1", "—", "—", "—", "—", "Rate limited", "—", "—", "—"],
    ]  # fmt: skip
