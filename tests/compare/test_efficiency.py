"""Valid share, cost and latency."""

import pytest

from stages.compare.efficiency import efficiency
from stages.compare.pairing import pair
from tests.compare.cards import card


def test_the_valid_share_is_over_answers() -> None:
    found = efficiency(pair([card(0.8), card(None, sample=2)], [card(codes=("X",)), card(0.8, sample=2)]).pairs)
    assert (found.base_valid, found.base_answered, found.base_valid_share) == (1, 1, 1.0)
    assert (found.head_valid, found.head_answered, found.head_valid_share) == (1, 2, 0.5)


def test_the_cost_ratio_is_of_the_mean_costs_per_answer() -> None:
    base = [card(est_cost_usd=0.01), card(brief="b02", est_cost_usd=0.03)]
    head = [card(est_cost_usd=0.02), card(brief="b02", est_cost_usd=0.04)]
    found = efficiency(pair(base, head).pairs)
    assert found.base_cost_usd == pytest.approx(0.02)
    assert found.head_cost_usd == pytest.approx(0.03)
    assert found.cost_ratio == pytest.approx(1.5)


def test_the_latency_ratio_is_the_geometric_mean_over_pairs() -> None:
    base = [card(latency_ms=100.0), card(brief="b02", latency_ms=1000.0)]
    head = [card(latency_ms=200.0), card(brief="b02", latency_ms=500.0)]
    assert efficiency(pair(base, head).pairs).latency_ratio == pytest.approx(1.0)


def test_what_is_known_on_one_side_only_makes_no_ratio() -> None:
    found = efficiency(pair([card(est_cost_usd=0.01, latency_ms=5.0)], [card()]).pairs)
    assert (found.cost_ratio, found.latency_ratio, found.base_cost_usd) == (None, None, None)


def test_free_answers_make_no_ratio() -> None:
    found = efficiency(pair([card(est_cost_usd=0.0)], [card(est_cost_usd=0.0)]).pairs)
    assert (found.base_cost_usd, found.cost_ratio) == (0.0, None)
