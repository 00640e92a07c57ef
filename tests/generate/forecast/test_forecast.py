"""The forecast: low, expected, high; from history where there is any; unknown prices stay unknown."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.generate.forecast import Forecaster, Range, forecast_call, output_range
from stages.generate.plan.call import estimated_tokens
from stages.generate.prices import Rates
from tests.generate.asking import cells, config, planned_model

RATES: Rates = {"input": Decimal(2), "output": Decimal(8), "cache write": Decimal(3)}


@given(history=st.lists(st.integers(0, 10**6)), bound=st.integers(16, 10**6))
def test_low_expected_and_high_are_in_order_and_within_the_bound(
    history: list[int], bound: int
) -> None:
    found, known = output_range(history, bound)
    assert 0 <= found.low <= found.expected <= found.high
    assert found.high <= bound
    assert known == (len(history) >= 5)


def test_history_counts_by_its_percentiles() -> None:
    assert output_range(list(range(101)), 128_000) == (Range(10, 50, 90), True)


def test_a_call_costs_its_tokens() -> None:
    assert forecast_call(1_000_000, Range(0, 500_000, 1_000_000), RATES).cost_usd == Range(2, 6, 10)


def test_a_call_costs_at_most_the_dearest_input_and_the_longest_output() -> None:
    pricing = {"input_per_1m": 2.0, "cache_write_per_1m": 3.0, "output_per_1m": 8.0, "source": "a"}
    prices = planned_model(config(pricing=pricing)).prices
    assert prices.upper_usd(1_000_000, 2_000_000) == pytest.approx(3 + 16)
    assert planned_model(config()).most_output_tokens == 128_000
    assert cells(config(pricing=None))[0].calls[0].cost_upper_usd is None


def test_a_total_adds_what_is_known_and_counts_what_is_not() -> None:
    known = forecast_call(1_000_000, Range(0, 0, 0), RATES, from_history=True)
    unknown = forecast_call(500_000, Range(1, 2, 3), None)
    found = known + known + unknown
    assert found.calls == 3
    assert found.input_tokens == 2_500_000
    assert found.unpriced == 1
    assert found.from_history == 2
    assert found.cost_usd == Range(4, 4, 4)
    assert Forecaster(lambda _: []).total([]).cost_usd == Range(0, 0, 0)


def test_only_answers_at_the_same_settings_are_history() -> None:
    (plain,), (warm,) = (
        cells(config()),
        cells(config("warm", model="m", params={"temperature": 1.0})),
    )
    forecaster = Forecaster(lambda _: [(plain.calls[0].canonical, 100)] * 10)
    assert forecaster.forecast(plain.calls[0]).output_tokens == Range(100, 100, 100)
    assert forecaster.forecast(warm.calls[0]).output_tokens.expected == 4_000
    assert forecaster.total([plain.calls[0], warm.calls[0]]).from_history == 1


@given(st.text())
def test_the_estimate_of_tokens_is_never_below_a_quarter_of_the_characters(text: str) -> None:
    assert len(text) / 4 <= estimated_tokens(text) <= len(text)
