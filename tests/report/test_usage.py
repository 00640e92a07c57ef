import pytest

from stages.contracts.model_config import Pricing
from stages.report.usage import percentile, usage_of
from tests.report.records import card, cells, invalid, unanswered

PRICE = Pricing(
    input_per_1m=2.0, output_per_1m=8.0, cached_input_per_1m=0.5, cache_write_per_1m=2.5, source="published"
)


def test_cost_per_valid_graph_pays_for_the_invalid_ones_too() -> None:
    usage = usage_of(cells(card(), invalid("a", "b2", "CYCLE_DETECTED")), {})
    assert usage.cost_usd == pytest.approx(0.02)
    assert usage.cost_per_valid_usd == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("second", "cost", "unknown"),
    [(card(brief="b2", est_cost_usd=None), 0.01, 1), (unanswered(brief="b2"), 0.01, 0)],
    ids=["an answer of unknown cost", "no answer"],
)
def test_an_unknown_cost_is_counted_and_not_taken_for_zero(second: object, cost: float, unknown: int) -> None:
    usage = usage_of(cells(card(), second), {})  # type: ignore[arg-type]
    assert (usage.cost_usd, usage.cost_unknown) == (cost, unknown)
    assert usage.cost_per_valid_usd == (None if unknown else cost)


def test_nothing_measured_is_none_and_not_zero() -> None:
    usage = usage_of(cells(unanswered()), {"a": PRICE})
    assert (usage.cost_usd, usage.latency_ms_p50, usage.input_tokens, usage.cached_share, usage.cache_saved_usd) == (
        None,
    ) * 5
    assert usage.calls == 8


def test_the_cached_share_is_over_the_cells_that_tell_both() -> None:
    usage = usage_of(cells(card(), card(brief="b2", cached_tokens=None)), {})
    assert usage.cached_share == 0.25


def test_the_cache_saves_on_reads_and_costs_on_writes() -> None:
    read = usage_of(cells(card(cached_tokens=1_000_000)), {"a": PRICE})
    written = usage_of(cells(card(cached_tokens=0, cache_write_tokens=1_000_000)), {"a": PRICE})
    assert (read.cache_saved_usd, written.cache_saved_usd) == (1.5, -0.5)


def test_what_the_cache_saved_is_unknown_without_a_price() -> None:
    assert usage_of(cells(card()), {}).cache_saved_usd is None


def test_percentiles_interpolate() -> None:
    assert percentile([float(number) for number in range(1, 102)], 95) == 96.0
