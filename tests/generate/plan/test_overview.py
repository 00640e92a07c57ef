"""The sentences before and after a run."""

from collections import Counter

import pytest

from stages.contracts.response import Status
from stages.generate.cost.forecast import Spread, Total
from stages.generate.plan.overview import cache_line, forecast_line, outcome_lines


def total(calls: int = 2, *, unpriced: int = 0) -> Total:
    spread = Spread(1_000, 2_000, 3_000)
    return Total(calls=calls, input_tokens=4_000, output_tokens=spread, cost_usd=Spread(0.5, 1, 2), unpriced=unpriced)


@pytest.mark.parametrize(
    ("given", "from_history", "told"),
    [
        (total(), 2, "3 cells: 1 answered already, 2 to call; about 4,000 input tokens (counted), "
                     "2,000 expected (1,000 to 3,000) output tokens (from earlier answers); "
                     "$1.00 expected ($0.5000 to $2.00)"),
        (total(), 0, "output tokens (for 2 of them a prior of 1,500 to 16,000 a call)"),
        (total(unpriced=2), 2, "(from earlier answers); no price is known for 2 calls"),
        (total(unpriced=1), 2, "$1.00 expected ($0.5000 to $2.00); no price is known for 1 call"),
        (total(0), 0, "3 cells: all answered already, nothing to call"),
    ],
    ids=["all known", "a prior", "no price", "some prices", "nothing to call"],
)  # fmt: skip
def test_the_forecast_says_what_is_known_and_what_is_not(given: Total, from_history: int, told: str) -> None:
    assert told in forecast_line(given, 3, counted="counted", from_history=from_history)


@pytest.mark.parametrize(
    ("counts", "called", "cost", "unpriced", "told"),
    [
        ({"success": 3}, 0, None, 0, ["3 cells: 3 success; nothing was called"]),
        ({"success": 1}, 1, 0.25, 0, ["1 cell: 1 success; 1 answer fetched for $0.2500"]),
        ({"success": 2}, 2, None, 2, ["2 cells: 2 success; 2 answers fetched (2 at an unknown price)"]),
        (
            {"server_error": 2, "parse_failed": 1, "budget_stopped": 3, "success": 4},
            5,
            1.5,
            0,
            [
                "10 cells: 4 success, 1 parse_failed, 3 budget_stopped, 2 server_error; 5 answers fetched for $1.50",
                "5 cells have no answer: `dvc repro -f` calls just those",
            ],
        ),
        ({"success": 1, "rate_limited": 1}, 1, 0.5, 0,
         ["2 cells: 1 success, 1 rate_limited; 1 answer fetched for $0.5000",
          "1 cell has no answer: `dvc repro -f` calls just it"]),
    ],
    ids=["nothing called", "one", "at an unknown price", "many endings", "one without an answer"],
)  # fmt: skip
def test_the_end_counts_every_status_and_names_the_mend(
    counts: dict[Status, int], called: int, cost: float | None, unpriced: int, told: list[str]
) -> None:
    assert outcome_lines(Counter(counts), called=called, cost_usd=cost, unpriced=unpriced) == told


def test_the_prompt_caches_share_is_told_where_it_is_reported() -> None:
    assert cache_line(750, 1_000, 0.5) == (
        "prompt cache: 75% of 1,000 input tokens were read from it, which saved $0.5000"
    )
    assert cache_line(0, 1_000, 0.0) == "prompt cache: 0% of 1,000 input tokens were read from it"
    assert cache_line(0, 0, None) is None
