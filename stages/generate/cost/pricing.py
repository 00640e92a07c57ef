"""What an answer cost: its actual usage at the prices that apply to it. What is not known stays unknown."""

from decimal import Decimal
from typing import Protocol

import msgspec

from stages.contracts.model_config import Pricing
from stages.generate.answers.reading import Usage
from stages.generate.cost.rates import Rates, amount, rates_of

STANDARD_TIERS = frozenset({None, "auto", "default", "standard"})
TIER_FACTORS = {"flex": Decimal("0.5"), "batch": Decimal("0.5"), "priority": Decimal(2)}
"""What a service tier costs against the standard one where no price of its own is published (OpenAI's pricing page)."""
LONG_CONTEXT_TOKENS = 128_000
"""Below this many input tokens no published price has a long-context tier."""


class PublishedModel(Protocol):
    """A model's published prices."""

    source: str
    """The list that they stand in."""

    def rates(self, *, day: str, tier: str | None, input_tokens: int) -> Rates | None:
        """The prices on a day (ISO 8601), in a service tier (None: the standard one), for a prompt of this length.

        None when no price is known; a tier without a price of its own has the standard price.
        """


class Cost(msgspec.Struct, frozen=True):
    """US dollars and where the price is from; both None when the price or the usage is not known."""

    usd: float | None
    source: str | None


def applying_rates(
    pricing: Pricing | None, published: PublishedModel | None, *, day: str, tier: str | None, input_tokens: int
) -> tuple[Rates, str] | None:
    """The prices that apply to a call and where they are from; None when there are none.

    The config's prices are those of the standard tier and of short prompts. Another tier, or a long prompt, changes them in
    the ratio in which the published prices change, else by the factor that is usual for the tier.
    """
    special = tier not in STANDARD_TIERS
    if pricing is None:
        rates = published.rates(day=day, tier=tier, input_tokens=input_tokens) if published else None
        if rates is None or published is None:
            return None
        usual = published.rates(day=day, tier=None, input_tokens=input_tokens)
        source = f"{published.source}, price of {day}"
        return _for_tier(rates, source, tier, own_price=not special or rates != usual)
    rates, source = rates_of(pricing), pricing.source
    usual = published.rates(day=day, tier=None, input_tokens=0) if published else None
    actual = published.rates(day=day, tier=tier, input_tokens=input_tokens) if published else None
    if usual is None or actual is None or usual == actual:
        return _for_tier(rates, source, tier, own_price=not special)
    rates = Rates(
        input=_scaled(rates.input, usual.input, actual.input),
        output=_scaled(rates.output, usual.output, actual.output),
        cached=_scaled_or_none(rates.cached, usual.cached, actual.cached, usual.input, actual.input),
        cache_write=_scaled_or_none(
            rates.cache_write, usual.cache_write, actual.cache_write, usual.input, actual.input
        ),
    )
    return rates, _labelled(source, tier)


def cost_of(
    usage: Usage, pricing: Pricing | None, published: PublishedModel | None, *, day: str, tier: str | None
) -> Cost:
    """What a call cost.

    Args:
        usage: What the API says it used.
        pricing: The config's prices, which come first.
        published: The published prices, for what the config does not state.
        day: The day of the call, ISO 8601.
        tier: The service tier that the API says it used.
    """
    found = applying_rates(pricing, published, day=day, tier=tier, input_tokens=usage.input or 0)
    usd = amount(usage, found[0]) if found else None
    return Cost(None, None) if usd is None or found is None else Cost(usd, found[1])


def needs_published(pricing: Pricing | None, *, tier: str | None, input_tokens: int | None) -> bool:
    """True when the published prices can make a difference to the cost of a call."""
    return pricing is None or tier not in STANDARD_TIERS or (input_tokens or 0) > LONG_CONTEXT_TOKENS


def _for_tier(rates: Rates, source: str, tier: str | None, *, own_price: bool) -> tuple[Rates, str]:
    if tier in STANDARD_TIERS or own_price:
        return rates, _labelled(source, tier)
    factor = TIER_FACTORS.get(tier or "")
    if factor is None:
        return rates, f"{source}, at the standard price: none is known for tier {tier}"
    scaled = Rates(
        input=rates.input * factor,
        output=rates.output * factor,
        cached=None if rates.cached is None else rates.cached * factor,
        cache_write=None if rates.cache_write is None else rates.cache_write * factor,
    )
    return scaled, f"{_labelled(source, tier)} x{factor}"


def _labelled(source: str, tier: str | None) -> str:
    return source if tier in STANDARD_TIERS else f"{source}, {tier} tier"


def _scaled_or_none(
    price: Decimal | None, usual: Decimal | None, actual: Decimal | None, usual_input: Decimal, actual_input: Decimal
) -> Decimal | None:
    if price is None:
        return None
    if usual is None or actual is None:
        return _scaled(price, usual_input, actual_input)
    return _scaled(price, usual, actual)


def _scaled(price: Decimal, usual: Decimal, actual: Decimal) -> Decimal:
    return price * actual / usual if usual else price
