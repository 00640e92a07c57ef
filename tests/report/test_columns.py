from graph_evaluator.report.columns import (
    FAILURES,
    LEADERBOARD,
    cost_text,
    table_of,
)
from graph_evaluator.report.ranking import failures_of
from tests.builders.cases import cases
from tests.builders.scorecards import card, findings, invalid, unanswered

USABLE = LEADERBOARD[5]


def test_entries_have_the_links_of_their_rows_on_a_page_but_for_a_count_of_0():
    found = findings(invalid("a", "b1", "CYCLE_DETECTED"))
    failed = failures_of(found.cells, found.names)
    code, share, *_ = table_of(failed, FAILURES, root="../").rows[0]
    assert code.href == "../glossary.html#CYCLE_DETECTED"
    assert share.href == "../cells.html#code=CYCLE_DETECTED"
    (usable,) = table_of(found.candidates, (USABLE,), root="../").rows[0]
    assert usable.href == ""
    assert not any(entry.href for entry in table_of(failed, FAILURES).rows[0])


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
