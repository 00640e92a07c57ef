"""The table of checks: counts of outcomes, what each catches, and a team's own checks by model, in every report."""

import csv
import io

from graph_evaluator.records.check_cards import DAMAGES, BriefCard, CheckCard, CheckCards
from graph_evaluator.records.scorecard import RESERVED_NAMES
from graph_evaluator.report.analysis_pack import analysis_pack
from graph_evaluator.report.exports import metrics, scores_csv
from graph_evaluator.report.summary import summary
from tests.builders.scorecards import card, findings, invalid, stored

NONE = dict.fromkeys(DAMAGES, 0)
CARDS = CheckCards(
    copies={
        "labels shuffled": 4, "signs turned": 4, "another brief's graph": 4, "option dropped": 2, "target changed": 0,
    },
    checks=(
        CheckCard(name="target", question="Which?", own=False, caught=NONE),
        CheckCard(name="has_tax", question="Tax?", own=True, caught=NONE | {"signs turned": 3}),
        CheckCard(name="depth", question="How deep?", own=True, caught=NONE),
    ),
    briefs=(
        BriefCard(brief_id="b1", copies=10, caught=9),
        BriefCard(brief_id="b2", copies=4, caught=1),
    ),
)  # fmt: skip
CELLS = (
    card("a", "b1", checks={"target": "pass", "has_tax": "pass"}, own_checks={"has_tax": True, "depth": 0.5}),
    card("a", "b2", checks={"target": "warn", "has_tax": "warn"}, own_checks={"has_tax": False, "depth": 1.0}),
    card("b", "b1", checks={"has_tax": "not_applicable"}, own_checks={"has_tax": None, "depth": None}),
    invalid("b", "b2", "X"),
)  # fmt: skip
FOUND = findings(*CELLS, checks=CARDS)


(SECTION,) = FOUND.sections


def rows(table):
    return [[entry.text for entry in row] for row in SECTION.tables[table].rows]


def test_each_check_has_its_counts_and_what_it_catches():
    assert rows(0) == [
        ["target", "Which?", "1", "1", "0", "none"],
        ["has tax", "Tax?", "1", "1", "1", "signs turned 75%"],
        ["depth", "How deep?", "mean 0.750, n = 2", "—", "0", "none"],
    ]
    assert SECTION.texts[1].endswith("front-matter: b2 25% (1/4).")


def test_the_teams_own_checks_are_counted_by_model_with_example_cells_both_ways():
    assert rows(1) == [
        ["has_tax", "A", "1", "1", "0", "—", "a/b1/1", "a/b2/1"],
        ["has_tax", "B", "0", "0", "1", "—", "", ""],
        ["depth", "A", "0", "0", "0", "0.750", "", ""],
        ["depth", "B", "0", "0", "1", "—", "", ""],
    ]


def test_they_are_columns_metrics_and_in_the_texts():
    lines = list(csv.DictReader(io.StringIO(scores_csv(FOUND).decode())))
    assert [(line["has_tax"], line["depth"]) for line in lines] == [
        ("true", "0.5000"), ("false", "1.0000"), ("", ""), ("", ""),
    ]  # fmt: skip
    assert metrics(FOUND)["checks"] == {"depth": 0.75, "has_tax": 0.5}
    pack = analysis_pack(FOUND, {}, stored(*CELLS, graph=None), 30_000)
    for text in (summary(FOUND), pack):
        assert "mean 0.750, n = 2" in text
        assert "a/b2/1" in text


def test_no_own_check_can_have_the_name_of_a_column():
    columns = scores_csv(findings(card())).decode().partition("\n")[0].split(",")
    assert set(columns) <= RESERVED_NAMES
