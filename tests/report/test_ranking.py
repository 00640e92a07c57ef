import pytest

from stages.report.leaderboard import Leaderboard
from stages.report.ranking import rank
from tests.report.records import card, cells, config, invalid, sub_score, unanswered, unusable


def board(*cards: object, rank_by: str = "expected_score") -> Leaderboard:
    ids = {one.model_id for one in cards}  # type: ignore[attr-defined]
    return rank(cells(*cards), {key: config(key) for key in ids}, rank_by, 0.95)  # type: ignore[arg-type]


FLATTERED = (
    card("flattered", "b1", 0.9),
    invalid("flattered", "b2", "CYCLE_DETECTED"),
    card("steady", "b1", 0.6),
    card("steady", "b2", 0.6),
)


def test_a_model_that_fails_half_its_briefs_does_not_lead_by_expected_score() -> None:
    standings = board(*FLATTERED).standings
    assert [(one.model_id, one.rank, one.expected.mean) for one in standings] == [
        ("steady", 1, 0.6),
        ("flattered", 2, 0.45),
    ]


def test_the_mean_over_scored_cells_ranks_when_asked_to() -> None:
    standings = board(*FLATTERED, rank_by="overall_score").standings
    assert [(one.model_id, one.overall_mean) for one in standings] == [("flattered", 0.9), ("steady", 0.6)]


@pytest.mark.parametrize("status", ["parse_failed", "truncated", "refused"])
def test_failures_of_the_models_doing_count_zero(status: str) -> None:
    (one,) = board(card(score=0.8), unusable(status, brief="b2")).standings
    assert (one.expected.mean, one.expected.n, one.overall.mean, one.overall.n) == (0.4, 2, 0.8, 1)


def test_cells_without_an_answer_are_left_out_and_counted() -> None:
    (one,) = board(card(score=0.8), unanswered(brief="b2")).standings
    assert (one.expected.mean, one.expected.n, one.counts.cells, one.counts.unanswered) == (0.8, 1, 2, 1)


def test_a_model_without_any_answer_has_no_rank_and_stands_last() -> None:
    standings = board(unanswered(model="a"), card("b", score=0.0)).standings
    assert [(one.model_id, one.rank) for one in standings] == [("b", 1), ("a", None)]


def test_equal_scores_share_a_rank_and_the_cheaper_stands_first() -> None:
    standings = board(card("a", est_cost_usd=0.9), card("b", est_cost_usd=0.1), card("c", score=0.1)).standings
    assert [(one.model_id, one.rank) for one in standings] == [("b", 1), ("a", 1), ("c", 3)]


def test_every_brief_counts_once_however_many_samples_it_has() -> None:
    (one,) = board(card(score=0.2), card(score=0.4, sample=2), card(brief="b2", score=0.9)).standings
    assert one.expected.mean == pytest.approx(0.6)
    assert [mean.expected_score for mean in one.briefs] == [pytest.approx(0.3), 0.9]


def test_one_brief_has_no_interval() -> None:
    (one,) = board(card()).standings
    assert (one.expected.low, one.expected.high) == (None, None)


def test_an_interval_lies_around_its_mean_and_within_the_scale() -> None:
    (one,) = board(*(card(brief=f"b{number}", score=0.9 + number / 100) for number in range(8))).standings
    assert one.expected.low is not None
    assert one.expected.mean is not None
    assert one.expected.high is not None
    assert 0 <= one.expected.low < one.expected.mean < one.expected.high <= 1


def test_sub_scores_are_means_over_the_cells_that_have_them() -> None:
    def scored(brief: str, value: float) -> object:
        return card(brief=brief, sub_scores={"completeness": (sub_score("goal_threshold", value),)})

    (one,) = board(scored("b1", 1.0), scored("b2", 0.0), unusable("refused", brief="b3")).standings
    assert one.sub_scores == {"completeness.goal_threshold": 0.5}


def test_briefs_name_their_best_and_worst_model() -> None:
    (brief,) = board(card("a", score=0.2), card("b", score=0.7), unanswered(model="c")).briefs
    assert (brief.best_model, brief.best_score, brief.worst_model, brief.worst_score) == ("b", 0.7, "a", 0.2)


def test_a_brief_that_nobody_answered_has_neither() -> None:
    (brief,) = board(unanswered()).briefs
    assert (brief.best_model, brief.worst_model, brief.expected_score) == (None, None, None)


@pytest.mark.parametrize(
    ("cards", "said"),
    [
        ((card(),), "none"),
        ((card(), card("b", simulated=True)), "some"),
        ((card(simulated=True),), "all"),
    ],
    ids=["none", "some", "all"],
)
def test_simulated_models_are_told_of(cards: tuple[object, ...], said: str) -> None:
    assert board(*cards).simulated == said


def test_a_model_without_a_config_is_named_by_its_id() -> None:
    (one,) = rank(cells(card("mine")), {}, "expected_score", 0.95).standings
    assert (one.display_name, one.target_mode) == ("mine", None)


def test_no_cells_make_an_empty_leaderboard() -> None:
    empty = rank([], {}, "expected_score", 0.95)
    assert (empty.standings, empty.briefs, empty.expected_mean, empty.simulated) == ((), (), None, "none")
