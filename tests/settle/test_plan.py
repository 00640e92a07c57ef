"""What looks are expected to show, and what further samples could still change."""

import io

import pytest
from rich.console import Console
from scipy.special import stdtrit

from stages.compare.pairing import pair
from stages.contracts.settlement import Settlement
from stages.generate.forecast import Forecast, Range
from stages.present.terminal import show_table
from stages.settle.looks import answer_sd, chance_left, expected_half_widths
from stages.settle.wording import plan_table
from tests.compare.cards import card, sampled
from tests.settle.designs import design


def test_the_spread_of_many_answers_is_that_of_their_population() -> None:
    found = answer_sd(pair(*sampled(0.09, 0.06, 0.0, briefs=400, samples=3)).pairs)
    assert found == pytest.approx(0.09, abs=0.005)


def test_failures_are_part_of_the_spread() -> None:
    head = [card(0.5, brief=f"b{brief}", sample=sample) for brief in range(16) for sample in (1, 2)]
    failed = [card(brief=f"b{brief}", sample=3, codes=("X",)) for brief in range(16)]
    assert answer_sd(pair([*head, *failed], head).pairs) == pytest.approx(0.2357, abs=1e-4)
    equal = answer_sd(pair(head, head).pairs)
    assert equal == 0.01, "equal answers are not taken to have no spread at all"


def test_one_answer_for_each_cell_does_not_show_how_answers_vary() -> None:
    pairs = pair(*sampled(0.09, 0.06, 0.0, briefs=16, samples=1)).pairs
    assert answer_sd(pairs) is None
    assert chance_left(design((1, 8)), 1, pairs) is None, "nothing is given up"


def test_expected_half_widths_are_those_of_the_formulas() -> None:
    (width,) = expected_half_widths(design((4,), models=2), 0.1)
    variance = 0.03**2 + 2 * 0.1**2 / 8
    assert width == pytest.approx(stdtrit(15, 0.975) * (variance / 16) ** 0.5)


def test_early_looks_and_few_briefs_have_longer_intervals() -> None:
    few, many = (expected_half_widths(design((1, 2, 8), briefs=count), None) for count in (8, 40))
    assert few == sorted(few, reverse=True)
    assert few > many


@pytest.mark.parametrize(
    ("brief_sd", "answer_sd", "difference", "low", "high"),
    [
        (0.2, 0.02, 0.03, 0.0, 0.05),
        (0.02, 0.3, 0.03, 0.02, 0.9),
        (0.05, 0.05, 0.04, 0.9, 1.0),
        (0.02, 0.02, 0.3, 0.95, 1.0),
    ],
    ids=[
        "the briefs disagree",
        "the answers vary",
        "nearly clear",
        "a large difference",
    ],
)
def test_the_chance_that_is_left_depends_on_what_further_samples_can_change(
    brief_sd: float, answer_sd: float, difference: float, low: float, high: float
) -> None:
    pairs = pair(*sampled(answer_sd, brief_sd, difference, briefs=16, samples=2)).pairs
    chance = chance_left(design((2, 8)), 2, pairs)
    assert chance is not None
    assert low <= chance <= high


@pytest.mark.parametrize("width", [80, 140])
def test_the_table_of_the_plan_is_whole_beside_each_other_at_any_width(width: int) -> None:
    planned = design((2, 1000), models=9)
    settlement = Settlement(design=planned, stored_answers=0, stored_usd=0)
    costs = [Forecast(calls=9_999, cost_usd=Range(1_000.5, 2_000.5, 3_000.5))] * 2
    out = io.StringIO()
    console = Console(file=out, width=width, highlight=False)
    console.print(
        *show_table(plan_table(settlement, costs, None), width),
        sep="\n",
    )
    lines = [line.strip() for line in out.getvalue().splitlines()]
    assert max(map(len, lines)) <= width
    rows = [line.split() for line in lines if "9,999" in line]
    assert [row[:3] for row in rows] == [["1", "2", "9,999"], ["2", "1,000", "9,999"]]
    assert [" ".join(row[3:7]) for row in rows] == ["$2,000.50 $1,000.50 to $3,000.50"] * 2
    assert [len(row) for row in rows] == [8, 8]
    assert "expected" in "".join(lines[:4])
