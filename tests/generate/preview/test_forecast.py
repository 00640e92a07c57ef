"""The forecast: low, expected, high; from history where there is any; unknown prices stay unknown."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.contracts.params import RuntimeParams
from stages.generate.preview.forecast import Forecaster, Range, estimated_tokens, forecast_call, output_range, total_of
from stages.generate.prices import Prices, Rates
from tests.generate.asking import cells, config

RATES = Rates(input=Decimal(2), output=Decimal(8), cache_write=Decimal(3))


@given(history=st.lists(st.integers(0, 10**6)), bound=st.none() | st.integers(16, 10**6))
def test_low_expected_and_high_are_in_order_and_within_the_bound(history: list[int], bound: int | None) -> None:
    found, known = output_range(history, bound)
    assert 0 <= found.low <= found.expected <= found.high
    assert bound is None or found.high <= bound
    assert known == (len(history) >= 5)


def test_history_counts_by_its_percentiles() -> None:
    assert output_range(list(range(101)), None) == (Range(10, 50, 90), True)


def test_a_call_costs_its_tokens_and_at_most_the_dearest_input_and_the_longest_output() -> None:
    found = forecast_call(1_000_000, Range(0, 500_000, 1_000_000), 2_000_000, RATES)
    assert found.cost_usd == Range(2, 6, 10)
    assert found.most_usd == pytest.approx(3 + 16)


def test_a_total_adds_what_is_known_and_counts_what_is_not() -> None:
    known = forecast_call(1_000_000, Range(0, 0, 0), None, RATES)
    unknown = forecast_call(500_000, Range(1, 2, 3), None, None)
    assert unknown.most_usd is None
    found = total_of([known, known, unknown])
    assert (found.calls, found.input_tokens, found.unpriced) == (3, 2_500_000, 1)
    assert found.cost_usd == Range(4, 4, 4)
    assert total_of([]).cost_usd == Range(0, 0, 0)


def test_only_answers_at_the_same_settings_are_history() -> None:
    (plain,), (warm,) = cells(config()), cells(config("warm", model="m", params={"temperature": 1.0}))
    history = [(plain.canonical(1), 100)] * 10
    prices = Prices(lambda *_: None)
    forecaster = Forecaster(RuntimeParams.model_validate({}), prices, lambda _: history, today="2026-11-01")
    assert forecaster.forecast(plain).output_tokens == Range(100, 100, 100)
    assert forecaster.forecast(warm).output_tokens.expected == 4_000
    assert (forecaster.from_history(plain), forecaster.from_history(warm)) == (True, False)


@given(st.text())
def test_the_estimate_of_tokens_is_never_below_a_quarter_of_the_characters(text: str) -> None:
    assert len(text) / 4 <= estimated_tokens(text) <= len(text)
