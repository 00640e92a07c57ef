"""The recommended options in tables, texts and files."""

from graph_evaluator.records.json_text import JsonValue
from graph_evaluator.records.scorecard import DecidingNumber, EdgeRef
from graph_evaluator.report.choices import choices_table, options_table, reading_table
from graph_evaluator.report.site.pages import site_files
from tests.builders.scorecards import card, findings, invalid, option, recommending, stored

BUY, BUILD, WAIT = "Buy a standard product", "Build our own system", "Leave it"


def ranked(*labels):
    """These options, the best one first, with certainties of 70%, 20% and 10%."""
    figures = zip(labels, (0.25, 0.1, 0.0), (0.7, 0.2, 0.1), strict=False)
    options = [
        option(*given, status_quo=given[0] == WAIT, stated="buy" if given[0] == BUY else "")
        for given in figures
    ]
    return recommending(*options)


GRAPH: JsonValue = {
    "nodes": [
        {"id": "d", "kind": "decision", "label": "Which?"},
        {"id": "f", "kind": "factor", "label": "Fee"},
        {"id": "g", "kind": "goal", "label": "Profit"},
    ],
    "edges": [{"from": "d", "to": "f"}, {"from": "f", "to": "g", "strength": {"mean": 0.5}}],
}


def cards():
    """Two models that agree on the first brief in most answers, and never on the second."""
    chosen = {
        ("a", "b1", 1): (BUY, BUILD, WAIT),
        ("a", "b1", 2): (BUILD, BUY, WAIT),
        ("a", "b1", 3): (BUY, BUILD, WAIT),
        ("c", "b1", 1): (BUY, BUILD, WAIT),
        ("e", "b1", 1): (WAIT, BUY, BUILD),
        ("a", "b2", 1): (BUY, WAIT),
        ("c", "b2", 1): (WAIT, BUY),
    }
    return [
        card(model, brief, sample=sample, recommendation=ranked(*options))
        for (model, brief, sample), options in chosen.items()
    ]


def found():
    return findings(*cards(), invalid("e", "b3"))


def texts(table_rows):
    return [[entry.text for entry in row] for row in table_rows]


def test_every_model_has_its_usual_option_and_an_unusual_one_is_marked():
    results = found()
    table = choices_table(results.briefs, results.candidates)
    assert [column.title for column in table.columns] == ["Brief", "Agree", "A", "C", "E"]
    assert texts(table.rows) == [
        [
            "b1",
            "33%",
            "Buy a standard product (53%)",
            "Buy a standard product (70%)",
            "≠ Leave it (status quo) (70%)",
        ],
        ["b2", "0%", "Buy a standard product (70%)", "≠ Leave it (status quo) (70%)", ""],
    ]
    assert [entry.look for entry in table.rows[0]] == ["", "", "h3", "h4", "h4"]


def test_every_option_of_a_brief_has_its_gain_and_certainty_by_model():
    results = found()
    table = options_table(results.briefs[0], results.candidates)
    assert texts(table.rows) == [
        ["Buy a standard product", "buy", "+0.200 (53%)", "+0.250 (70%)", "+0.100 (20%)"],
        ["Build our own system", "", "+0.150 (37%)", "+0.100 (20%)", "0.000 (10%)"],
        ["Leave it (status quo)", "", "0.000 (10%)", "0.000 (10%)", "+0.250 (70%)"],
    ]
    looks = [[entry.look for entry in row[2:]] for row in table.rows]
    assert looks == [["good", "good", ""], ["", "", ""], ["", "", "good"]]


def results_cards():
    number = DecidingNumber(
        message="If Fee weighed nothing, another would be best.",
        edge=EdgeRef(index=1, source="f", target="g"),
    )
    return [one.model_copy(update={"deciding": (number,)}) for one in cards()]


def test_briefs_with_exact_names_have_a_row_for_each_model_and_complexity():
    exact = {"exact_names": True, "drawn_effects": 8}
    results = findings(
        card(
            "a",
            "e1",
            content=0.5,
            effect_counts={"right": 4, "wrong": 1, "missing": 3},
            invented_effects=2,
            right_choice=True,
            **exact,
        ),
        card(
            "a",
            "e2",
            content=1.0,
            effect_counts={"right": 9, "wrong": 0, "missing": 0},
            invented_effects=0,
            right_choice=False,
            **exact,
        ),
        invalid("a", "e3", "X", complexity="complex", exact_names=True, states_effects=True),
        card("c", "b1", content=0.7),
    )
    table = reading_table(results.cells, results.candidates)
    assert texts(table.rows) == [
        ["A", "simple", "2", "100%", "0.750", "13", "1", "3", "2", "12%", "50% (1/2)"],
        ["A", "complex", "1", "0%", "0.000", "0", "0", "0", "0", "—", "—"],
    ]


def test_a_cell_page_has_the_recommended_option_bars_and_deciding_numbers():
    results = found()
    files = dict(site_files(results, {}, stored(*results_cards(), invalid("e", "b3"), graph=GRAPH)))
    page = files["cell/a/b1-1.html"].decode()
    head = page.partition("<main")[2]
    assert "Recommends <strong><bdi>Buy a standard product (margin +0.150" in head
    assert head.count('<progress max="1" value="0.7"') == 1
    assert '<a href="#g-e1">' in page
    assert 'id="g-e1"' in page
    assert "≠ Leave it" in files["index.html"].decode()
    assert "+0.250 (70%)" in files["brief/b1.html"].decode()
    assert "What the graph recommends" not in files["cell/e/b3-1.html"].decode()
