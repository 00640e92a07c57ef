"""What a run would call and what that would cost: low, expected, high. Unknown prices stay unknown."""

from collections.abc import Sequence

import msgspec

from stages.generate.cost.pricing import TIER_FACTORS
from stages.generate.cost.rates import Rates

LOW_OUTPUT_TOKENS, EXPECTED_OUTPUT_TOKENS, HIGH_OUTPUT_TOKENS = 1_500, 4_000, 16_000
"""The prior: output tokens of a draft graph where the ledger knows nothing of the model."""
UNBOUNDED_OUTPUT_TOKENS = 128_000
"""The most that a model may write when its config does not bound it."""
LEAST_HISTORY = 5
"""Answers that the ledger must have of a model before its history counts."""


class Spread(msgspec.Struct, frozen=True):
    """A quantity that is not known yet: low, expected and high."""

    low: float
    expected: float
    high: float


class CallForecast(msgspec.Struct, frozen=True, kw_only=True):
    """One call: its tokens, and its cost in US dollars (None when no price is known).

    `most_output` bounds the output: the config's `max_output_tokens`, else what a model may write at most.
    `most_usd` is what the call costs at that bound with nothing read from the cache: what the budget sets aside.
    """

    input_tokens: int
    output_tokens: Spread
    most_output: int
    cost_usd: Spread | None
    most_usd: float | None


def output_spread(history: Sequence[int], bound: int | None) -> tuple[Spread, bool]:
    """The output tokens to expect, and whether that is from history (else from the prior).

    From history: the tenth, the fiftieth and the ninetieth percentile of `LEAST_HISTORY` answers or more. Never above `bound`.
    """
    known = len(history) >= LEAST_HISTORY
    if known:
        from statistics import quantiles  # a run that calls nothing does without

        cuts = quantiles(sorted(history), n=10, method="inclusive")
        low, expected, high = cuts[0], cuts[4], cuts[8]
    else:
        low, expected, high = LOW_OUTPUT_TOKENS, EXPECTED_OUTPUT_TOKENS, HIGH_OUTPUT_TOKENS
    top = float(bound) if bound is not None else float("inf")
    return Spread(min(low, top), min(expected, top), min(high, top)), known


def forecast_call(input_tokens: int, output: Spread, bound: int | None, rates: Rates | None) -> CallForecast:
    """The forecast of one call at the standard price of its model, nothing read from the prompt cache."""
    most_output = bound if bound is not None else UNBOUNDED_OUTPUT_TOKENS
    if rates is None:
        return CallForecast(
            input_tokens=input_tokens, output_tokens=output, most_output=most_output, cost_usd=None, most_usd=None
        )

    def usd(tokens: float, *, dearest: bool = False) -> float:
        into = max(rates.input, rates.cache_write or rates.input) if dearest else rates.input
        return (input_tokens * float(into) + tokens * float(rates.output)) / 1e6

    return CallForecast(
        input_tokens=input_tokens,
        output_tokens=output,
        most_output=most_output,
        cost_usd=Spread(usd(output.low), usd(output.expected), usd(output.high)),
        most_usd=usd(most_output, dearest=True),
    )


def in_a_batch(call: CallForecast) -> CallForecast:
    """The forecast of a call that goes in a batch: half its cost."""
    half = float(TIER_FACTORS["batch"])
    cost = call.cost_usd
    return msgspec.structs.replace(
        call,
        cost_usd=None if cost is None else Spread(cost.low * half, cost.expected * half, cost.high * half),
        most_usd=None if call.most_usd is None else call.most_usd * half,
    )


class Total(msgspec.Struct, frozen=True, kw_only=True):
    """Many calls together. `cost_usd` covers the calls with a known price; `unpriced` counts the others."""

    calls: int
    input_tokens: int
    output_tokens: Spread
    cost_usd: Spread
    unpriced: int


def total(calls: Sequence[CallForecast]) -> Total:
    """The sum over calls; zeros when there are none."""
    priced = [call.cost_usd for call in calls if call.cost_usd is not None]
    return Total(
        calls=len(calls),
        input_tokens=sum(call.input_tokens for call in calls),
        output_tokens=_sum([call.output_tokens for call in calls]),
        cost_usd=_sum(priced),
        unpriced=len(calls) - len(priced),
    )


def _sum(spreads: Sequence[Spread]) -> Spread:
    return Spread(
        sum(spread.low for spread in spreads),
        sum(spread.expected for spread in spreads),
        sum(spread.high for spread in spreads),
    )
