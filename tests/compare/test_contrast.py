"""Contrasts: one difference per brief."""

import pytest

from stages.compare.contrast import contrasts
from stages.compare.pairing import pair
from tests.compare.cards import card


def test_models_weigh_the_same_however_many_samples_they_have() -> None:
    base = [card(0.5, model="a"), card(0.5, model="b"), card(0.5, model="b", sample=2)]
    head = [card(0.7, model="a"), card(0.5, model="b"), card(0.5, model="b", sample=2)]
    (found,) = contrasts(pair(base, head).pairs)
    assert found.difference == pytest.approx(0.1)


def test_the_spread_between_samples_is_pooled_over_a_models_cells() -> None:
    base = [card(0.4, sample=1), card(0.6, sample=2), card(0.5, brief="b02")]
    head = [card(0.5, sample=1), card(0.5, sample=2), card(0.5, brief="b02")]
    first, second = contrasts(pair(base, head).pairs)
    # Squares 0.02 over two degrees of freedom give 0.01 per sample.
    assert first.sampling_variance == pytest.approx(0.01 * (1 / 2 + 1 / 2))
    assert second.sampling_variance == pytest.approx(0.01 * (1 + 1))


def test_with_one_sample_the_spread_between_samples_is_not_known() -> None:
    (found,) = contrasts(pair([card()], [card()]).pairs)
    assert found.sampling_variance is None
