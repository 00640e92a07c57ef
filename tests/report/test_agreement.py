"""The section on the agreement with people, in the summary and on the site."""

import re
from dataclasses import replace

import pytest
from markdown_it.token import Token

from stages.agree.agreement import agreement_of
from stages.contracts.review import Agreement
from stages.present.html import show_table
from stages.present.page import Frame
from stages.report.findings import Findings
from stages.report.site.overview import overview_file
from stages.report.validity import NOT_MEASURED, TITLE, agreement_section
from tests.agree.records import control, key, pair, reviewed, scores
from tests.builders.scorecards import card, findings
from tests.report.hostile import HOSTILE
from tests.report.test_summary import GITHUB, printed

THREE = key(pair("p1", "b1"), pair("p2", "b2"), pair("p3", "b3"))
BOTH = scores(("b1", "b2", "b3"), low=0.5, high=0.7)
FOUND = findings(
    *(
        card(model, brief, score)
        for model, score in (("low", 0.5), ("high", 0.7))
        for brief in ("b1", "b2", "b3")
    )
)


def measured(reason: str = "") -> Agreement:
    """Two people who agree with the score twice of three times; one says why not."""
    judged = {"p1": "right", "p2": "right", "p3": "left"}
    return agreement_of([reviewed(THREE, name, judged, reason) for name in ("ann", "bob")], BOTH)  # type: ignore[arg-type]


def section(found: Agreement) -> str:
    return printed(replace(FOUND, agreement=found)).split(f"## {TITLE}")[1].split("\n## ")[0]


def tokens(markdown: str) -> list[Token]:
    return [token for block in GITHUB.parse(markdown) for token in (block, *(block.children or ()))]


def overview(of: Findings) -> str:
    return overview_file(Frame("run", "prompt", "1"), of)[1].decode()


def test_without_reviews_the_section_says_that_nothing_was_measured() -> None:
    for nothing in (None, agreement_of([], BOTH)):
        given = replace(FOUND, agreement=nothing)
        assert f"## {TITLE}\n\n{NOT_MEASURED}" in printed(given)
        assert NOT_MEASURED in overview(given)


def test_the_share_is_shown_with_its_counts_and_its_interval() -> None:
    shown = section(measured())
    assert "67% (4/6) of the decided judgements agree with the score (95% interval " in shown
    assert "in 2 reviews of 3 briefs." in shown
    assert "| scores differ by 0.15 or more | 67% (4/6) |" in " ".join(shown.split())
    assert "| scores differ by less than 0.05 | — (0/0) |" in " ".join(shown.split())


def test_a_disagreement_leads_to_its_two_cells() -> None:
    given = replace(FOUND, agreement=measured("it has the goal"))
    row = r"b3 +\| \[LOW 0.500\]\(site/cell/low/b3-1.html\) +\| \[HIGH 0.700\]\(site/cell/high/b3-1.html\) +\| 2 for"
    assert re.search(row, printed(given))
    page = overview(given)
    assert '<a href="cell/low/b3-1.html">LOW 0.500</a>' in page
    assert "it has the goal · it has the goal" in page


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_reason_does_nothing(text: str) -> None:
    links = [
        token.attrGet("href")
        for token in tokens(section(measured(text)))
        if token.type == "link_open"
    ]
    assert links == ["site/cell/low/b3-1.html", "site/cell/high/b3-1.html"]
    kinds = {token.type for token in tokens(section(measured(text)))}
    assert not kinds & {"image", "html_inline"}
    shown = agreement_section(measured(text), FOUND.names)
    page = "".join(map(show_table, (*shown.tables, *shown.closed)))
    assert not [tag for tag in ("<img", "<script>alert", "<!--", "\u202e", "\x1b") if tag in page]


def test_a_review_with_missed_controls_is_listed_as_not_counted() -> None:
    of = key(pair("p1"), control("c1"), control("c2"))
    found = agreement_of(
        [reviewed(of, "dee", {"p1": "right", "c1": "left", "c2": "none"})],
        scores(low=0.5, high=0.7),
    )
    shown = section(found)
    assert "1 review with more than one missed control is not counted." in shown
    assert "| dee | 100% (1/1) | no | 2 of 2 |" in " ".join(shown.split())
    assert "all pairs" not in shown


def test_only_reviews_that_are_not_counted_are_announced_and_one_brief_has_no_interval() -> None:
    of = key(pair("p1"), control("c1"), control("c2"))
    missed = [
        reviewed(of, name, {"p1": "right", "c1": "left", "c2": "none"}) for name in ("dee", "eve")
    ]
    counted = reviewed(of, "ann", {"p1": "right", "c1": "right", "c2": "right"})
    shown = section(agreement_of([counted, *missed], scores(low=0.5, high=0.7)))
    assert "2 reviews with more than one missed control are not counted." in shown
    assert (
        "100% (1/1) of the decided judgements agree with the score, in 1 review of 1 brief."
        in shown
    )
    assert "not counted." not in section(measured())


def test_judgements_of_other_runs_and_preferences_of_sides_are_reported() -> None:
    sides = ("old-run", "new-run")
    pairs = [one.model_copy(update={"left": one.left.model_copy(update={"side": sides[0]}),
                                    "right": one.right.model_copy(update={"side": sides[1]})}) for one in THREE.pairs]  # fmt: skip
    found = agreement_of(
        [reviewed(key(*pairs, sides=sides), "ann", {"p1": "right", "p2": "none"})], {}
    )
    shown = section(found)
    assert "2 judgements are about graphs that are not in this run" in shown
    assert (
        "new-run was preferred to old-run 50% (1/2), the other way round 0% (0/2), no difference 50% (1/2)."
        in shown
    )
