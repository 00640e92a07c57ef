"""The shares, counted by hand."""

import pytest

from stages.agree.agreement import Scored, Vote, agreement_of, share_of
from stages.contracts.response import Cell
from stages.contracts.review import AgreementShare, Choice, PairKey
from tests.agree.records import Judged, control, graph, key, pair, reviewed, scores
from tests.builders.cases import cases

BOTH = scores(("b1", "b2", "b3"), low=0.5, high=0.7)
THREE = key(pair("p1", "b1"), pair("p2", "b2"), pair("p3", "b3", left="high", right="low"))


def counts(share: AgreementShare) -> tuple[int, int, int, int, int]:
    return share.judgements, share.decided, share.agreed, share.ties, share.score_ties


@cases(
    "judged, high, counted, share",
    {
        "decided": ({"p1": "right", "p2": "left", "p3": "left"}, 0.7, (3, 3, 2, 0, 0), 2 / 3),
        "a tie": ({"p1": "right", "p2": "none"}, 0.7, (2, 1, 1, 1, 0), 1.0),
        "equal scores": ({"p1": "right", "p2": "left"}, 0.5, (2, 0, 0, 0, 2), None),
    },
)
def test_a_person_agrees_where_they_prefer_the_graph_with_the_higher_score(
    judged: Judged, high: float, counted: tuple[int, ...], share: float | None
) -> None:
    present = scores(("b1", "b2", "b3"), low=0.5, high=high)
    found = agreement_of([reviewed(THREE, "ann", judged)], present).overall
    assert (counts(found), found.share) == (counted, share)


def test_without_reviews_nothing_is_measured() -> None:
    found = agreement_of([], BOTH)
    assert (found.measured, found.overall.share, found.between.alpha, found.reviews, found.judgements) == (
        False, None, None, 0, 0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("high", "size"),
    [(0.54, "small"), (0.55, "middle"), (0.64, "middle"), (0.65, "large"), (0.5, "small")],
)
def test_an_agreement_belongs_to_the_size_of_its_difference(high: float, size: str) -> None:
    found = agreement_of([reviewed(THREE, "ann", {"p1": "right"})], scores(low=0.5, high=high))
    assert {one.size: one.agreement.judgements for one in found.by_size} == {
        "small": 0,
        "middle": 0,
        "large": 0,
    } | {size: 1}


def test_every_sub_score_has_its_own_agreement() -> None:
    found = agreement_of(
        [reviewed(THREE, "ann", {"p1": "right", "p2": "right", "p3": "none"})], BOTH
    )
    shares = {one.name: counts(one.agreement) for one in found.by_sub_score}
    assert shares == {"odd": (3, 2, 0, 1, 0), "even": (3, 0, 0, 1, 2)}


def test_new_scores_need_no_new_reviews() -> None:
    files = [reviewed(THREE, "ann", {"p1": "right", "p2": "right", "p3": "left"})]
    assert agreement_of(files, BOTH).overall.share == 1.0
    assert agreement_of(files, scores(("b1", "b2", "b3"), low=0.9, high=0.1)).overall.share == 0.0


@cases(
    "present",
    {
        "the cell is gone": scores(("b2", "b3"), low=0.5, high=0.7),
        "the cell has another answer": BOTH | {Cell("low", "b1", 1): Scored("of another", 0.5, {})},
    },
)
def test_reviews_of_graphs_that_are_not_in_the_run_are_kept_and_counted(
    present: dict[Cell, Scored],
) -> None:
    found = agreement_of([reviewed(THREE, "ann", {"p1": "right", "p2": "right"})], present)
    assert (found.judgements, found.not_in_run, found.overall.judgements) == (2, 1, 1)


CONTROLS = key(pair("p1"), control("c1"), control("c2"), control("c3"))


@pytest.mark.parametrize(
    ("answers", "missed", "counted"),
    [
        (("right", "right", "right"), 0, True),
        (("left", "right", "right"), 1, True),
        (("none", "right", "right"), 1, True),
        (("left", "none", "right"), 2, False),
    ],
)
def test_who_misses_more_than_one_control_is_shown_apart(
    answers: tuple[Choice, Choice, Choice], missed: int, counted: bool
) -> None:
    judged = dict(zip(("c1", "c2", "c3"), answers, strict=True)) | {"p1": "right"}
    found = agreement_of([reviewed(CONTROLS, "ann", judged)], BOTH)
    (reviewer,) = found.reviewers
    assert (reviewer.controls, reviewer.controls_missed, reviewer.counted) == (3, missed, counted)
    assert reviewer.agreement.agreed == 1
    assert (found.overall.agreed, found.judgements) == ((1, 1) if counted else (0, 0))


def test_a_repeat_is_answered_alike_when_the_same_graph_is_preferred_on_the_other_side() -> None:
    first, second = pair("p1", "b1"), pair("p2", "b2")
    repeats = [
        PairKey(
            pair=name,
            kind="repeat",
            brief_id=one.brief_id,
            left=one.right,
            right=one.left,
            repeats=one.pair,
        )
        for name, one in (("r1", first), ("r2", second))
    ]
    judged: dict[str, Choice] = {"p1": "right", "r1": "left", "p2": "right", "r2": "right"}
    found = agreement_of([reviewed(key(first, second, *repeats), "ann", judged)], BOTH)
    assert (found.reviewers[0].repeats, found.reviewers[0].repeated_alike) == (2, 1)
    assert found.overall.judgements == 2


def test_reviewers_who_answer_alike_have_an_alpha_of_one() -> None:
    judged: dict[str, Choice] = {"p1": "right", "p2": "left", "p3": "none"}
    found = agreement_of([reviewed(THREE, name, judged) for name in ("ann", "bob")], BOTH)
    assert (found.between.alpha, found.between.pairs, found.between.briefs, found.between.high) == (
        1.0,
        3,
        3,
        1.0,
    )
    assert found.between.low is not None


def test_the_strongest_disagreements_come_first_with_their_reasons() -> None:
    of = key(
        pair("p1", "b1"),
        pair("p2", "b1", left="low", right="top"),
        pair("p3", "b1", left="high", right="top"),
    )
    present = scores(low=0.5, high=0.7, top=0.9)
    files = [
        reviewed(of, "ann", {"p1": "left", "p2": "left", "p3": "left"}, "clearer"),
        reviewed(of, "bob", {"p1": "left", "p2": "none", "p3": "right"}),
    ]
    found = agreement_of(files, present).disagreements
    assert [(one.pair, one.lower.model_id, one.lower.preferred, one.higher.preferred, one.ties) for one in found] == [
        ("p2", "low", 1, 0, 1), ("p1", "low", 2, 0, 0),
    ]  # fmt: skip
    assert found[1].reasons == ("clearer",)


def test_two_sides_are_preferred_whatever_the_present_run_holds() -> None:
    pairs = [
        PairKey(
            pair=name, kind="pair", brief_id="b1", left=graph("m", left), right=graph("m", right)
        )
        for name, left, right in (
            ("p1", "main", "workspace"),
            ("p2", "workspace", "main"),
            ("p3", "main", "workspace"),
        )
    ]
    of = key(*pairs, sides=("main", "workspace"))
    (found,) = agreement_of(
        [reviewed(of, "ann", {"p1": "right", "p2": "left", "p3": "none"})], {}
    ).preferences
    assert (found.preferred_first, found.preferred_second, found.ties) == (0, 2, 1)


def test_the_order_of_files_changes_nothing() -> None:
    files = [
        reviewed(THREE, name, {"p1": "right", "p2": "left", "p3": "left"})
        for name in ("ann", "bob", "cy")
    ]
    assert agreement_of(files, BOTH) == agreement_of(files[::-1], BOTH)


def test_many_judgements_of_one_brief_are_not_many_observations() -> None:
    def length(found: AgreementShare) -> float:
        assert found.low is not None
        assert found.high is not None
        return found.high - found.low

    spread = share_of([Vote(f"b{place}", 1 if place % 4 else -1, 0.1) for place in range(16)])
    piled = share_of([Vote(f"b{place % 4}", 1 if place % 4 else -1, 0.1) for place in range(16)])
    assert spread.share == piled.share == 0.75
    assert length(piled) > 1.5 * length(spread)


def test_one_brief_gives_a_share_without_an_interval() -> None:
    found = share_of([Vote("b1", 1, 0.1), Vote("b1", -1, 0.1)])
    assert (found.share, found.low, found.high) == (0.5, None, None)
