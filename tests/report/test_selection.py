"""Which model is named: it leads, it is the cheapest that is not worse, or the question is open."""

from dataclasses import replace
from typing import Any

from graph_evaluator.analysis.summary import BriefScore
from graph_evaluator.records.params import CompareParams
from graph_evaluator.report.ranking import Candidate
from graph_evaluator.report.selection import Selection, select
from tests.builders.cases import cases
from tests.builders.scorecards import candidate, card, invalid

PARAMS = CompareParams.model_validate({"min_difference": 0.03})
WAVE = [-0.02, 0.01, 0.03, -0.01, 0.0, -0.03, 0.02, 0.0]


def model(
    name: str,
    mean: float,
    *,
    briefs: int = 40,
    usd: float | None = 0.01,
    usable: bool = True,
    swing: float = 1.0,
    content: float | None = None,
) -> Candidate:
    """A model whose scores vary around their mean, each model in its own order, and its contents alike."""
    turn = sum(map(ord, name)) % len(WAVE)
    cards = []
    for index in range(briefs):
        move = swing * WAVE[(index * (turn + 1)) % len(WAVE)]
        figures: dict[str, Any] = {"est_cost_usd": usd}
        if content is not None:
            figures |= {"content": content + move}
        brief = f"b{index:03}"
        if usable:
            cards.append(card(name, brief, mean + move, **figures))
        else:
            cards.append(invalid(name, brief, "X", **figures))
    return candidate(*cards)


def chosen(*candidates: Candidate) -> Selection:
    by_score = sorted(candidates, key=lambda one: -(one.summary.expected.value or 0.0))
    return select(by_score, PARAMS)


DEAR = model("dear", 0.84, briefs=16, usd=0.05, swing=8)
CHEAP = model("cheap", 0.80, briefs=16)


@cases(
    "candidates, verdict, named",
    {
        "ahead of every other, whatever it costs": (
            [model("dear", 0.90, usd=9.0), model("cheap", 0.60), model("free", 0.50, usd=0.0)],
            "leads",
            "dear",
        ),
        "of unknown cost": (
            [model("dear", 0.80, briefs=200, usd=0.05), model("x", 0.80, briefs=200, usd=None)],
            "not_worse",
            "dear",
        ),
        "alike on few briefs": ([CHEAP, DEAR], "undecided", "dear"),
        "as good on few briefs": (
            [model("a", 0.80, briefs=16, usd=0.05), model("b", 0.80, briefs=16, swing=-1)],
            "not_worse",
            "b",
        ),
        "nothing usable": ([model("a", 0.8, usable=False)], "none", None),
        "one with a score": (
            [model("a", 0.8), model("b", 0.8, usable=False)],
            "only_candidate",
            "a",
        ),
    },
)
def test_the_verdict_and_the_named_model(
    candidates: list[Candidate], verdict: str, named: str | None
) -> None:
    found = chosen(*candidates)
    assert (found.verdict, found.model_id) == (verdict, named)


@cases(
    "candidates, verdict, named",
    {
        "ahead in content": (
            [model("a", 0.8, content=0.6, usd=0.01), model("c", 0.8, content=0.8, usd=0.05)],
            "leads_content",
            "c",
        ),
        "ahead in content, beaten in score": (
            [model("a", 0.9, content=0.6), model("c", 0.8, content=0.8)],
            "leads",
            "a",
        ),
        "the cheapest is worse in content": (
            [
                model("a", 0.8, content=0.8, swing=0, usd=0.05),
                model("c", 0.8, content=0.8, swing=0, usd=0.03),
                model("d", 0.8, content=0.6, swing=0, usd=0.01),
            ],
            "not_worse",
            "c",
        ),
        "content not measured of one": (
            [model("a", 0.8, swing=0), model("c", 0.8, content=0.8, swing=0, usd=0.05)],
            "not_worse",
            "a",
        ),
    },
)
def test_content_decides_among_those_that_no_other_beats_in_score(
    candidates: list[Candidate], verdict: str, named: str
) -> None:
    found = chosen(*candidates)
    assert (found.verdict, found.model_id) == (verdict, named)
    measured = all(one.summary.content.n for one in candidates)
    assert any(rival.content for rival in found.rivals) is (measured and verdict != "leads")


def test_an_open_question_says_how_many_briefs_would_settle_it() -> None:
    briefs = chosen(DEAR, CHEAP).briefs
    assert briefs is not None
    dear = model("dear", 0.84, briefs=briefs, usd=0.05, swing=8)
    assert chosen(dear, model("cheap", 0.80, briefs=briefs)).verdict != "undecided"


def test_not_worse_is_judged_against_every_other_model_and_not_the_leader_alone() -> None:
    """The cheapest has too few briefs in common with one rival to be compared with it."""
    cheap, dear, other = (
        model(name, 0.8, briefs=200, usd=usd)
        for name, usd in (("cheap", 0.01), ("dear", 0.05), ("x", 0.09))
    )
    elsewhere = {f"z{index}": BriefScore(0.75, 1.0, 0.75) for index in range(3)}
    apart = model("apart", 0.75, briefs=3, usd=0.5)
    apart = replace(apart, summary=replace(apart.summary, briefs=elsewhere))
    assert chosen(cheap, dear, other).model_id == "cheap"
    assert chosen(cheap, dear, other, apart).verdict == "undecided"


def test_leads_share_the_error_rate_and_the_settled_ones_leave_more_to_the_others() -> None:
    clear = model("m0", 0.4, briefs=16)
    alone, both = chosen(DEAR, CHEAP), chosen(DEAR, clear, CHEAP)
    differences = {rival.model: rival.difference for rival in both.rivals}
    assert differences["cheap"] == alone.rivals[0].difference
    assert differences["m0"] != chosen(DEAR, clear).rivals[0].difference
    assert both.compared == 3
