"""The line of each reviewer: counted by hand, in the summary and on the site."""

from dataclasses import replace

from stages.report.agreement import TITLE, ReviewFile, agreement_section
from stages.report.site.overview import overview_file
from stages.report.summary import summary
from stages.shared.analysis.interval import share_interval
from stages.shared.present.page import Frame
from stages.shared.present.table import Section
from stages.shared.records.commands import PairKey
from tests.builders.cases import cases
from tests.builders.reviews import Judged, graph, key, pair, reviewed
from tests.builders.scorecards import card, findings

BRIEFS = ("b1", "b2", "b3")
THREE = key(pair("p1", "b1"), pair("p2", "b2"), pair("p3", "b3", left="high", right="low"))
RUN = [
    card(model, brief, score, content=content, fingerprint=f"of {model}")
    for brief in BRIEFS
    for model, score, content in (("low", 0.5, 0.8), ("high", 0.7, 0.4))
]
FOUND = findings(*RUN)


def section_of(*files: ReviewFile) -> Section:
    return agreement_section(files, FOUND.cells, 0.95)


def line_of(file: ReviewFile) -> dict[str, str]:
    """The fields of a reviewer's line by the titles of their columns, intervals left out."""
    (table,) = section_of(file).tables
    titles = [column.title for column in table.columns]
    texts = [entry.text for entry in table.rows[0]]
    return {title: text for title, text in zip(titles, texts, strict=True) if "%" not in title}


def counted(judged: Judged) -> tuple[str, str, str, str]:
    line = line_of(reviewed(THREE, "ann", judged))
    return (
        line["Score agrees"], line["Content agrees"], line["No difference"], line["Not in this run"]
    )  # fmt: skip


@cases(
    "judged, expected",
    {
        "preferred": (
            {"p1": "right", "p2": "left", "p3": "left"},
            ("67% (2/3)", "33% (1/3)", "0", "0"),
        ),
        "no difference": (
            {"p1": "right", "p2": "none"},
            ("100% (1/1)", "0% (0/1)", "1", "0"),
        ),
        "never a preference": ({"p1": "none"}, ("—", "—", "1", "0")),
    },
)
def test_score_and_content_agree_where_the_preferred_graph_has_more(
    judged: Judged, expected: tuple[str, ...]
) -> None:
    assert counted(judged) == expected


@cases(
    "other, expected",
    {
        "equal scores": (card("low", "b1", 0.7, fingerprint="of low"), ("—", "0")),
        "no score": (
            card("low", "b1", 0.7, fingerprint="of low", expected_score=None),
            ("—", "0"),
        ),
        "another answer": (card("low", "b1", 0.5, fingerprint="of another"), ("—", "1")),
        "no such cell": (card("low", "b2", 0.5, fingerprint="of low"), ("—", "1")),
    },
)
def test_a_pair_without_two_different_values_of_this_run_is_in_no_share(
    other: object, expected: tuple[str, str]
) -> None:
    cells = findings(card("high", "b1", 0.7, fingerprint="of high"), other).cells  # type: ignore[arg-type]
    section = agreement_section([reviewed(THREE, "ann", {"p1": "right"})], cells, 0.95)
    row = section.tables[0].rows[0]
    assert (row[1].text, row[6].text) == expected


def test_each_share_has_the_interval_of_its_n() -> None:
    (table,) = section_of(reviewed(THREE, "ann", {"p1": "right", "p2": "right"})).tables
    score, content = table.rows[0][2].value, table.rows[0][4].value
    assert score == share_interval(1.0, 2)[0]
    assert content == share_interval(0.0, 2)[0]


def test_two_sides_are_counted_whatever_the_run_holds() -> None:
    pairs = [
        PairKey(pair=name, brief_id="b1", left=graph("m", left), right=graph("m", right))
        for name, left, right in (
            ("p1", "main", "workspace"),
            ("p2", "workspace", "main"),
            ("p3", "main", "workspace"),
        )
    ]
    of = key(*pairs, sides=("main", "workspace"))
    file = reviewed(of, "ann", {"p1": "right", "p2": "left", "p3": "none"})
    assert section_of(file).tables[0].notes == (
        "ann preferred main in 0 pairs, workspace in 2 pairs, neither in 1 pair.",
    )
    assert line_of(file)["Not in this run"] == "3"


def test_a_run_without_reviews_does_not_mention_them() -> None:
    assert TITLE not in summary(FOUND)
    assert TITLE not in overview_file(Frame("run", "prompt", "1"), FOUND)[1].decode()


def test_reviews_are_shown_in_the_summary_and_on_the_site() -> None:
    files = tuple(reviewed(THREE, name, {"p1": "right"}) for name in ("ann", "bob"))
    given = replace(FOUND, reviews=files)
    shown = " ".join(summary(given).split(f"## {TITLE}")[1].split())
    assert "| ann | 100% (1/1) | 15% to 100% | 0% (0/1) | 0% to 85% |" in shown
    assert "| bob | 100% (1/1) |" in shown
    assert TITLE in overview_file(Frame("run", "prompt", "1"), given)[1].decode()
