"""Prices per million tokens, and what a usage comes to at them."""

from decimal import Decimal

import msgspec

from stages.contracts.model_config import Pricing
from stages.generate.answers.reading import Usage

WARN_BEYOND = Decimal("0.20")


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """US dollars per million tokens; a kind of input without a price of its own (None) costs what input costs."""

    input: Decimal
    output: Decimal
    cached: Decimal | None = None
    cache_write: Decimal | None = None


def rates_of(pricing: Pricing) -> Rates:
    """The prices that a model config states."""
    return Rates(
        input=_decimal(pricing.input_per_1m),
        output=_decimal(pricing.output_per_1m),
        cached=None if pricing.cached_input_per_1m is None else _decimal(pricing.cached_input_per_1m),
        cache_write=None if pricing.cache_write_per_1m is None else _decimal(pricing.cache_write_per_1m),
    )


def amount(usage: Usage, rates: Rates) -> float | None:
    """Usage times prices, US dollars; None when the input or the output was not reported.

    For plain usage this is `(input x input price + output x output price) / 1,000,000`.
    """
    if usage.input is None or usage.output is None:
        return None
    cached = min(usage.cached or 0, usage.input)
    written = min(usage.cache_write or 0, usage.input - cached)
    plain = usage.input - cached - written
    total = (
        plain * rates.input
        + cached * (rates.input if rates.cached is None else rates.cached)
        + written * (rates.input if rates.cache_write is None else rates.cache_write)
        + usage.output * rates.output
    )
    return float(total / 1_000_000)


def deviations(pricing: Pricing, published: Rates) -> list[str]:
    """Where a config's price is more than 20 % off the published one: one phrase for each such price."""
    stated = rates_of(pricing)
    found: list[str] = []
    for name in ("input", "output", "cached", "cache_write"):
        ours: Decimal | None = getattr(stated, name)
        theirs: Decimal | None = getattr(published, name)
        if ours is not None and theirs is not None and abs(ours - theirs) > WARN_BEYOND * theirs:
            found.append(f"{name.replace('_', ' ')} ${ours:f} against ${theirs:f}")
    return found


def _decimal(price: float) -> Decimal:
    return Decimal(repr(price))
