"""Which model is named: it leads, it is the cheapest that is not worse, or the question is open."""

from dataclasses import replace

import pytest

from stages.report.selection import Candidate, select
from stages.statistics.estimates import BriefScore, Scores, difference_of, side_of

WAVE = [-0.02, 0.01, 0.03, -0.01, 0.0, -0.03, 0.02, 0.0]


def model(
    name: str,
    mean: float,
    *,
    briefs: int = 40,
    usd: float | None = 0.01,
    seconds: float | None = 5.0,
    failing: int = 0,
    swing: float = 1.0,
) -> Candidate:
    """A model whose scores vary around their mean, each model in its own order; its first briefs fail."""
    turn = sum(map(ord, name)) % len(WAVE)
    answers: dict[str, Scores] = {
        f"b{index:03}": [
            None if index < failing else mean + swing * WAVE[(index * (turn + 1)) % len(WAVE)]
        ]
        for index in range(briefs)
    }
    return Candidate(
        model_id=name,
        side=side_of(answers),
        asked_briefs=briefs,
        usd_per_usable=usd,
        latency_s=seconds,
        usd_per_brief={name: usd},
    )


def test_a_model_that_is_ahead_of_every_other_leads_whatever_it_costs() -> None:
    found = select(
        [model("dear", 0.90, usd=9.0), model("cheap", 0.60), model("free", 0.50, usd=0.0)],
        0.95,
        0.03,
    )
    assert (found.verdict, found.model_id) == ("leads", "dear")
    assert [lead.rival for lead in found.leads] == ["cheap", "free"]
    assert all(lead.is_above(0.0) for lead in found.leads)


def test_two_models_that_are_alike_on_many_briefs_are_settled_by_cost() -> None:
    found = select(
        [model("dear", 0.80, briefs=200, usd=0.05), model("cheap", 0.80, briefs=200)], 0.95, 0.03
    )
    assert (found.verdict, found.model_id) == ("not_worse", "cheap")
    (lead,) = found.leads
    assert lead.rival == "dear"
    assert lead.is_above(-0.03)


def test_the_same_two_models_on_few_briefs_are_undecided_and_the_leader_is_named() -> None:
    dear, cheap = (
        model("dear", 0.82, briefs=16, usd=0.05, seconds=9, swing=8),
        model("cheap", 0.80, briefs=16),
    )
    found = select([cheap, dear], 0.95, 0.03)
    assert (found.verdict, found.model_id) == ("undecided", "dear")
    assert [equal and equal.model for equal in (found.cheapest, found.fastest)] == ["cheap"] * 2


def next_step(*candidates: Candidate) -> tuple[int, float | None]:
    """How many briefs would decide an open question, and the cost of the additional ones."""
    found = select(candidates, 0.95, 0.03)
    assert found.verdict == "undecided"
    assert found.next_step is not None
    assert found.next_step.briefs is not None
    return found.next_step.briefs, found.next_step.usd


def test_an_open_question_says_how_many_briefs_would_settle_it_and_what_they_cost() -> None:
    dear, cheap = model("dear", 0.84, briefs=16, usd=0.05, swing=8), model("cheap", 0.80, briefs=16)
    briefs, usd = next_step(cheap, dear)
    assert usd == pytest.approx((briefs - 16) * 0.06)
    of_both = {"dear": 0.05, "cheap": 0.01}
    policy = replace(cheap, model_id="policy", usd_per_brief=of_both)
    with_policy, usd = next_step(dear, cheap, policy)
    assert usd == pytest.approx((with_policy - 16) * 0.06)
    more = select(
        [
            model("cheap", 0.80, briefs=briefs),
            model("dear", 0.84, briefs=briefs, usd=0.05, swing=8),
        ],
        0.95,
        0.03,
    )
    assert more.verdict != "undecided"


def test_briefs_without_a_score_are_among_those_that_would_settle_it() -> None:
    dear, cheap = model("dear", 0.84, briefs=16, usd=0.05, swing=8), model("cheap", 0.80, briefs=16)
    odd = {brief: score for brief, score in cheap.side.items() if int(brief[1:]) % 2}
    pairs, all_asked = (
        next_step(dear, replace(cheap, side=odd, asked_briefs=asked)) for asked in (8, 16)
    )
    briefs, usd = all_asked
    assert briefs > 16
    assert usd == pytest.approx((briefs - 16) * 0.06)
    assert pairs[0] == briefs


def test_a_model_whose_cost_is_unknown_is_not_called_the_cheapest() -> None:
    found = select(
        [model("dear", 0.80, briefs=200, usd=0.05), model("unknown", 0.80, briefs=200, usd=None)],
        0.95,
        0.03,
    )
    assert (found.verdict, found.model_id) == ("not_worse", "dear")
    hidden = [model(name, 0.80, briefs=16, usd=None, swing=8) for name in "ae"]
    assert select(hidden, 0.95, 0.03).verdict == "undecided"


def test_not_worse_is_judged_against_every_other_model_and_not_the_leader_alone() -> None:
    """The cheapest has too few briefs in common with one rival to be compared with it."""
    cheap, dear, other = (
        model(name, 0.8, briefs=200, usd=usd)
        for name, usd in (("cheap", 0.01), ("dear", 0.05), ("x", 0.09))
    )
    apart = Candidate(
        model_id="apart",
        side={f"z{index}": BriefScore(0.75, 1.0, 0.75) for index in range(3)},
        asked_briefs=3,
        usd_per_usable=0.5,
        latency_s=1,
        usd_per_brief={"apart": 1},
    )
    assert select([cheap, dear, other], 0.95, 0.03).model_id == "cheap"
    assert select([cheap, dear, other, apart], 0.95, 0.03).verdict == "undecided"


def test_where_the_scores_leave_it_open_the_graphs_decide() -> None:
    ahead, behind = model("ahead", 0.85, briefs=16, usd=0.05), model("behind", 0.80, briefs=16)
    found = select([ahead, behind], 0.95, 0.03)
    assert (found.verdict, found.model_id) == ("leads_where_usable", "ahead")
    (lead,) = found.leads
    assert lead.judged == lead.difference.quality
    assert (lead.difference.low or 0) < 0
    assert found.undoing is not None
    share = 1 - 0.80 / (0.80 + (lead.judged.value or 0))
    assert found.undoing.failure_share == pytest.approx(share, abs=1e-3)


def test_the_cheapest_whose_graphs_are_as_good_is_named_and_the_margin_leaves_room_for_failures() -> (
    None
):
    dear, cheap = model("a", 0.80, briefs=16, usd=0.05), model("b", 0.80, briefs=16, swing=-1)
    found = select([dear, cheap], 0.95, 0.03)
    assert (found.verdict, found.model_id) == ("not_worse_where_usable", "b")
    assert found.undoing is not None
    assert found.undoing.failure_share == pytest.approx(0.03 / 0.80, abs=0.02)


def test_graphs_of_five_briefs_name_no_model() -> None:
    ahead = model("ahead", 0.95, briefs=16, failing=11)
    behind = model("behind", 0.75, briefs=16, failing=11)
    assert select([ahead, behind], 0.95, 0.03).verdict == "undecided"


@pytest.mark.parametrize(
    ("ahead", "behind", "verdict", "named"),
    [(1, 0, "undecided", "ahead"), (1, 1, "leads_where_usable", "ahead")],
    ids=["it fails more often", "they fail equally often"],
)
def test_a_model_that_fails_more_often_is_not_named_by_its_graphs(
    ahead: int, behind: int, verdict: str, named: str
) -> None:
    found = select(
        [
            model("ahead", 0.88, briefs=16, usd=0.05, failing=ahead),
            model("behind", 0.80, briefs=16, failing=behind),
        ],
        0.95,
        0.03,
    )
    assert (found.verdict, found.model_id) == (verdict, named)


def test_where_usable_graphs_alone_count_a_failure_that_was_not_seen_keeps_nothing_open() -> None:
    found = select(
        [model("ahead", 0.85, briefs=16), model("behind", 0.80, briefs=16)],
        0.95,
        0.03,
        usable_only=True,
    )
    assert (found.verdict, found.model_id) == ("leads", "ahead")


@pytest.mark.parametrize(
    ("candidates", "verdict", "named"),
    [
        ([], "none", None),
        ([model("a", 0.8, failing=40)], "none", None),
        ([model("a", 0.8)], "only_candidate", "a"),
        ([model("a", 0.8), model("b", 0.8, failing=40)], "only_candidate", "a"),
    ],
    ids=["no candidate", "nothing usable", "one candidate", "one candidate with a score"],
)
def test_without_a_rival_there_is_nothing_to_compare(
    candidates: list[Candidate], verdict: str, named: str | None
) -> None:
    found = select(candidates, 0.95, 0.03)
    assert (found.verdict, found.model_id) == (verdict, named)


def test_the_order_of_the_candidates_does_not_matter() -> None:
    three = [model("a", 0.80), model("b", 0.80), model("c", 0.78, usd=0.001)]
    assert select(three, 0.95, 0.03) == select(three[::-1], 0.95, 0.03)


@pytest.mark.parametrize(("rivals", "level"), [(1, 0.975), (2, 0.975), (4, 0.975), (5, 0.98)])
def test_more_rivals_make_a_lead_harder(rivals: int, level: float) -> None:
    best = model("best", 0.9)
    others = [model(f"m{number}", 0.5) for number in range(rivals)]
    found = select([best, *others], 0.95, 0.03)
    assert found.confidence == pytest.approx(level)
    assert found.leads[0].difference == difference_of(
        {"": others[0].side}, {"": best.side}, found.confidence or 0
    )
