"""The forecast: low, expected, high; from history where there is any; unknown prices stay unknown."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.contracts.params import RuntimeParams
from stages.generate.cost.costing import Costing
from stages.generate.cost.forecast import Spread, forecast_call, output_spread, total
from stages.generate.cost.forecaster import Forecaster
from stages.generate.cost.rates import Rates
from tests.generate.asking import cells, config

RATES = Rates(input=Decimal(2), output=Decimal(8), cache_write=Decimal(3))


@given(history=st.lists(st.integers(0, 10**6)), bound=st.none() | st.integers(16, 10**6))
def test_low_expected_and_high_are_in_order_and_within_the_bound(history: list[int], bound: int | None) -> None:
    spread, known = output_spread(history, bound)
    assert 0 <= spread.low <= spread.expected <= spread.high
    assert bound is None or spread.high <= bound
    assert known == (len(history) >= 5)


def test_history_counts_by_its_percentiles() -> None:
    assert output_spread(list(range(101)), None) == (Spread(10, 50, 90), True)


def test_a_call_costs_its_tokens_and_at_most_the_dearest_input_and_the_longest_output() -> None:
    found = forecast_call(1_000_000, Spread(0, 500_000, 1_000_000), 2_000_000, RATES)
    assert found.cost_usd == Spread(2, 6, 10)
    assert found.most_usd == pytest.approx(3 + 16)


def test_a_total_adds_what_is_known_and_counts_what_is_not() -> None:
    known = forecast_call(1_000_000, Spread(0, 0, 0), None, RATES)
    unknown = forecast_call(500_000, Spread(1, 2, 3), None, None)
    assert unknown.most_usd is None
    found = total([known, known, unknown])
    assert (found.calls, found.input_tokens, found.unpriced) == (3, 2_500_000, 1)
    assert found.cost_usd == Spread(4, 4, 4)
    assert total([]).cost_usd == Spread(0, 0, 0)


def test_only_answers_at_the_same_settings_are_history() -> None:
    (plain,), (warm,) = cells(config()), cells(config("warm", model="m", params={"temperature": 1.0}))
    history = [(plain.canonical[0], 100)] * 10
    forecaster = Forecaster(
        RuntimeParams.model_validate({}), Costing(lambda *_: None), lambda _: history, len, today="2026-11-01"
    )
    assert forecaster.forecast(plain).output_tokens == Spread(100, 100, 100)
    assert forecaster.forecast(warm).output_tokens.expected == 4_000
    assert (forecaster.known(plain), forecaster.known(warm)) == (True, False)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [({}, 300.0), ({"params": {"service_tier": "flex"}}, 1800.0), ({"timeout_s": 7.0}, 7.0)],
    ids=["the runtime's", "flex has its own", "the config's first"],
)
def test_a_calls_deadline(changed: dict[str, Any], expected: float) -> None:
    (planned,) = cells(config(**changed))
    forecaster = Forecaster(
        RuntimeParams.model_validate({}), Costing(lambda *_: None), lambda _: [], len, today="2026-11-01"
    )
    assert forecaster.call(planned, 1).timeout_s == expected
