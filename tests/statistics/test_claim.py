"""The rule of claims, case by case, and what would undo one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.statistics.claim import (
    Claim,
    Reading,
    answers_to_exclude,
    choose_claim,
    claim_of,
    read_interval,
    undoing_share,
)
from stages.statistics.estimates import Difference, IntervalEstimate, difference_of, side_of
from tests.builders.cases import cases

FEWER, EQUAL, MORE = (0.1, 0.0), (0.1, 0.1), (0.0, 0.1)
"""The shares of failures of the base and of the head."""


@cases(
    "value, low, high, reading",
    {
        "above 0": (0.05, 0.01, 0.09, "better"),
        "below 0": (-0.05, -0.09, -0.01, "worse"),
        "just enough": (0.02, 0.001, 0.039, "better"),
        "just enough but for rounding": (0.42 - 0.40, 0.019, 0.021, "better"),
        "clear, and may not matter": (0.015, 0.001, 0.029, "open"),
        "an end at 0": (0.05, 0.0, 0.10, "open"),
        "the other end at 0": (-0.05, -0.10, 0.0, "open"),
        "either": (0.05, -0.01, 0.11, "open"),
        "within the margin": (0.01, -0.01, 0.019, "no meaningful difference"),
        "clear and within": (0.015, 0.011, 0.019, "no meaningful difference"),
        "an end at the margin": (0.0, -0.02, 0.015, "open"),
        "the other end at the margin": (0.0, -0.015, 0.02, "open"),
        "no interval": (0.05, None, None, "open"),
        "nothing": (None, None, None, "open"),
    },
)
def test_an_interval_is_read(
    value: float | None, low: float | None, high: float | None, reading: Reading
) -> None:
    assert read_interval(IntervalEstimate(value, low, high, 6), 0.02) == reading
    assert read_interval(IntervalEstimate(value, low, high, 5), 0.02) == "open"


@pytest.mark.parametrize(
    ("quality", "failures", "claim"),
    [
        ("better", FEWER, "better where usable"),
        ("better", EQUAL, "better where usable"),
        ("better", MORE, "better graphs, more failures"),
        ("worse", MORE, "worse where usable"),
        ("worse", EQUAL, "worse where usable"),
        ("worse", FEWER, "worse graphs, fewer failures"),
        ("no meaningful difference", FEWER, "no meaningful difference where usable"),
        ("no meaningful difference", EQUAL, "no meaningful difference where usable"),
        (
            "no meaningful difference",
            MORE,
            "no meaningful difference where usable, more failures",
        ),
        ("open", FEWER, "open"),
        ("open", EQUAL, "open"),
        ("open", MORE, "open"),
    ],
)
def test_an_open_expected_score_leaves_what_the_graphs_and_the_failures_say(
    quality: Reading, failures: tuple[float, float], claim: Claim
) -> None:
    assert choose_claim("open", quality, *failures) == claim


@pytest.mark.parametrize("expected", ["better", "worse", "no meaningful difference"])
@pytest.mark.parametrize("quality", ["better", "worse", "no meaningful difference", "open"])
@pytest.mark.parametrize("failures", [FEWER, EQUAL, MORE])
def test_what_the_expected_score_says_is_claimed(
    expected: Claim, quality: Reading, failures: tuple[float, float]
) -> None:
    assert choose_claim(expected, quality, *failures) == expected  # type: ignore[arg-type]


def test_shares_that_differ_by_rounding_alone_are_equal() -> None:
    assert choose_claim("open", "better", 0.3, 0.1 + 0.2) == "better where usable"


def compared(gains: list[float], failing: int = 0) -> Difference:
    base = side_of({f"b{index:02}": [0.6] for index in range(len(gains))})
    head = side_of(
        {f"b{n:02}": [None if n < failing else 0.6 + gain] for n, gain in enumerate(gains)}
    )
    return difference_of({"m": base}, {"m": head})


@cases(
    "gains, failing, claim",
    {
        "gains": ([0.08, 0.10, 0.12, 0.10] * 4, 0, "better where usable"),
        "losses": ([-0.08, -0.10, -0.12, -0.10] * 4, 0, "worse where usable"),
        "gains and a failure": ([0.08, 0.10, 0.12, 0.10] * 4, 1, "better graphs, more failures"),
        "large gains": ([0.33, 0.35, 0.30, 0.37] * 4, 0, "better"),
        "many briefs": ([0.08, 0.10, 0.12, 0.10] * 20, 0, "better"),
        "equal": ([-0.001, 0.001] * 8, 0, "no meaningful difference where usable"),
        "either": ([-0.1, 0.12] * 8, 0, "open"),
        "all fail": ([0.1] * 16, 16, "worse"),
    },
)
def test_a_difference_supports_a_claim(gains: list[float], failing: int, claim: Claim) -> None:
    assert claim_of(compared(gains, failing), 0.02) == claim


@cases(
    "gain, quality, failures, share, answers",
    {
        "0.10 at 0.75": (0.10, 0.75, 0.0, 0.1176, 30),
        "half as much": (0.05, 0.75, 0.0, 0.0625, 58),
        "a base that fails": (0.10, 0.75, 0.1, 0.2059, 17),
        "a base of 0": (0.20, 0.0, 0.0, 1.0, 1),
        "a loss": (-0.10, 0.75, 0.0, 0.0, None),
        "nothing": (0.0, 0.0, 0.0, 0.0, None),
    },
)
def test_a_share_of_failures_undoes_a_gain_and_clean_answers_exclude_it(
    gain: float, quality: float, failures: float, share: float, answers: int | None
) -> None:
    undoing = undoing_share(gain, quality, failures)
    assert undoing == pytest.approx(share, abs=5e-5)
    assert answers_to_exclude(undoing) == answers


@given(st.floats(0.001, 0.5), st.floats(0.1, 1), st.floats(0, 0.9))
def test_a_head_that_fails_so_often_has_the_expected_score_of_the_base(
    gain: float, quality: float, failures: float
) -> None:
    share = undoing_share(gain, quality, failures)
    assert (1 - share) * (quality + gain) == pytest.approx((1 - failures) * quality)
    answers = answers_to_exclude(share)
    assert answers is not None
    assert (1 - share) ** answers <= 0.025 + 1e-12 < (1 - share) ** (answers - 1) + 2e-12


def test_a_margin_leaves_room_for_more_failures() -> None:
    share = undoing_share(-0.01, 0.75, 0.1, margin=0.03)
    assert (1 - share) * 0.74 == pytest.approx(0.9 * 0.75 - 0.03)
