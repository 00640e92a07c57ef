"""The verdict on two numbers that share one error rate."""

from hypothesis import given
from hypothesis import strategies as st

from stages.shared.analysis.paired_test import joint_test, paired_test
from stages.shared.records.params import CompareParams
from tests.builders.cases import cases

PARAMS = CompareParams.model_validate({"min_difference": 0.02, "min_content_difference": 0.05})
UP, DOWN = [0.09, 0.11] * 8, [-0.09, -0.11] * 8
SMALL_UP, SMALL_DOWN = [0.009, 0.011] * 8, [-0.009, -0.011] * 8
EQUAL, NOISE = [0.01, -0.01] * 8, [0.2, -0.2] * 8
LISTS = st.lists(st.floats(-1, 1), min_size=6, max_size=20)


@cases(
    "score, content, verdict",
    {
        "both better": (UP, UP, "better"),
        "score better, content not worse": (UP, EQUAL, "better"),
        "content better, score not worse": (EQUAL, UP, "better"),
        "score better, content worse by too little to matter": (UP, SMALL_DOWN, "better"),
        "score better, content may be worse": (UP, NOISE, "cannot tell"),
        "score better, content worse": (UP, DOWN, "mixed"),
        "content better, score worse": (DOWN, UP, "mixed"),
        "both worse": (DOWN, DOWN, "worse"),
        "score worse, content not better": (DOWN, EQUAL, "worse"),
        "score worse, content may be better": (DOWN, NOISE, "cannot tell"),
        "against each other by too little": (SMALL_UP, SMALL_DOWN, "no meaningful difference"),
        "both too small to matter": (EQUAL, EQUAL, "no meaningful difference"),
        "content unclear": (EQUAL, NOISE, "cannot tell"),
        "neither clear": (NOISE, NOISE, "cannot tell"),
        "too few briefs with content": (UP, DOWN[:5], "better"),
        "too few briefs": (UP[:5], UP[:5], "could not measure"),
    },
)
def test_the_two_intervals_decide(score: list[float], content: list[float], verdict: str) -> None:
    assert joint_test(score, content, PARAMS, 0.95).verdict == verdict


@given(LISTS)
def test_score_alone_has_the_whole_error_rate(differences: list[float]) -> None:
    found = joint_test(differences, UP, PARAMS, 0.95, by_score=True)
    assert found.score == paired_test(differences, 0.02, 0.95)
    assert found.verdict == found.score.verdict


@given(LISTS, LISTS)
def test_exchanged_sides_have_the_opposite_verdict(
    score: list[float], content: list[float]
) -> None:
    there = joint_test(score, content, PARAMS, 0.95)
    back = joint_test([-one for one in score], [-one for one in content], PARAMS, 0.95)
    opposite = {"better": "worse", "worse": "better"}
    assert back.verdict == opposite.get(there.verdict, there.verdict)


def test_what_one_number_settles_leaves_the_error_rate_to_the_other() -> None:
    alone = joint_test(UP, NOISE, PARAMS, 0.95)
    assert (alone.score.confidence, alone.content and alone.content.confidence) == (0.975, 0.95)
    neither = joint_test(NOISE, NOISE, PARAMS, 0.95)
    assert neither.score.confidence == 0.975
