"""What an answer cost: its usage at the prices that apply to it. The config's prices come first, then those of `genai-prices`."""

import datetime
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.metadata import version

from genai_prices import data_snapshot
from genai_prices.types import ModelInfo, TieredPrices

from stages.contracts.cell import Usage
from stages.contracts.model_config import ModelConfig, Pricing
from stages.generate.answers.api_answer import PaidAnswer

STANDARD_TIERS = frozenset({None, "auto", "default", "standard"})
TIER_FACTORS = {"flex": Decimal("0.5"), "batch": Decimal("0.5"), "priority": Decimal(2)}
"""What a service tier costs against the standard one where no price of its own is published (OpenAI's pricing page)."""
WARN_BEYOND = Decimal("0.20")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """US dollars per million tokens; a kind of input without a price of its own (None) costs what input costs."""

    input: Decimal
    output: Decimal
    cached: Decimal | None = None
    cache_write: Decimal | None = None

    def times(self, input_factor: Decimal, output_factor: Decimal) -> "Rates":
        """Every kind of input times the one factor, output times the other."""
        return Rates(
            input=self.input * input_factor,
            output=self.output * output_factor,
            cached=None if self.cached is None else self.cached * input_factor,
            cache_write=None if self.cache_write is None else self.cache_write * input_factor,
        )

    def upper_usd(self, input_tokens: int, output_tokens: int) -> float:
        """The most that a call may cost: the dearest kind of input, and nothing read from the prompt cache."""
        dearest = max(float(self.input), float(self.cache_write or 0))
        return (input_tokens * dearest + output_tokens * float(self.output)) / 1e6


@dataclass(frozen=True, slots=True)
class Cost:
    """US dollars, and the source of the price; both None when the price or the usage is not known."""

    usd: float | None
    source: str | None


class PublishedModel:
    """One model's prices in the `genai-prices` package."""

    def __init__(self, provider: str, model: ModelInfo) -> None:
        self._model = model
        self.source = f"genai-prices {version('genai-prices')} ({provider} {model.id})"
        self.deprecated = bool(model.deprecated)

    def rates(self, *, day: str, tier: str | None, input_tokens: int) -> Rates | None:
        """The prices on a day (ISO 8601), in a service tier (None: the standard one), for a prompt of this length.

        None when no price is known; a tier without a price of its own has the standard price.
        """
        context = {"processing": "batch"} if tier == "batch" else {"service_tier": tier} if tier else None
        prices = self._model.get_prices(datetime.datetime.fromisoformat(f"{day}T12:00:00+00:00"), context)
        into, out = _price(prices.input_mtok, input_tokens), _price(prices.output_mtok, input_tokens)
        if into is None or out is None:
            return None
        cached, cache_write = (_price(one, input_tokens) for one in (prices.cache_read_mtok, prices.cache_write_mtok))
        return Rates(input=into, output=out, cached=cached, cache_write=cache_write)


def cost_of(answer: PaidAnswer, config: ModelConfig, published: PublishedModel | None) -> Cost:
    """What an answer of a model cost."""
    usage = answer.content.usage
    found = applying_rates(
        config.pricing,
        published,
        day=answer.arrived_at[:10],
        tier=answer.service_tier or config.params.service_tier,
        input_tokens=usage.input_tokens or 0,
    )
    usd = amount(usage, found[0]) if found else None
    return Cost(None, None) if usd is None or found is None else Cost(usd, found[1])


def amount(usage: Usage, rates: Rates) -> float | None:
    """Usage times prices, US dollars; None when the input or the output was not reported.

    For plain usage this is `(input x input price + output x output price) / 1,000,000`.
    """
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    cached = min(usage.cached_tokens or 0, usage.input_tokens)
    written = min(usage.cache_write_tokens or 0, usage.input_tokens - cached)
    total = (
        (usage.input_tokens - cached - written) * rates.input
        + cached * (rates.input if rates.cached is None else rates.cached)
        + written * (rates.input if rates.cache_write is None else rates.cache_write)
        + usage.output_tokens * rates.output
    )
    return float(total / 1_000_000)


def applying_rates(
    pricing: Pricing | None, published: PublishedModel | None, *, day: str, tier: str | None, input_tokens: int
) -> tuple[Rates, str] | None:
    """The prices that apply to a call, and their source; None when there are none.

    The config's prices are those of the standard tier and of short prompts. Another tier, or a long prompt, changes them in
    the ratio in which the published prices change, else by the factor that is usual for the tier.
    """
    special = None if tier in STANDARD_TIERS else tier
    actual = published.rates(day=day, tier=special, input_tokens=input_tokens) if published else None
    usual = published.rates(day=day, tier=None, input_tokens=0 if pricing else input_tokens) if published else None
    changes = usual is not None and actual is not None and usual != actual
    if pricing is not None:
        rates, source = rates_of(pricing), pricing.source
        if usual is not None and actual is not None and changes:
            rates = rates.times(_ratio(actual.input, usual.input), _ratio(actual.output, usual.output))
    elif actual is not None and published is not None:
        rates, source = actual, f"{published.source}, price of {day}"
    else:
        return None
    if special is None:
        return rates, source
    if changes:
        return rates, f"{source}, {special} tier"
    factor = TIER_FACTORS.get(special)
    if factor is None:
        return rates, f"{source}, at the standard price: none is known for tier {special}"
    return rates.times(factor, factor), f"{source}, {special} tier x{factor}"


def rates_of(pricing: Pricing) -> Rates:
    """The prices that a model config states."""
    cached, written = pricing.cached_input_per_1m, pricing.cache_write_per_1m
    return Rates(
        input=Decimal(repr(pricing.input_per_1m)),
        output=Decimal(repr(pricing.output_per_1m)),
        cached=None if cached is None else Decimal(repr(cached)),
        cache_write=None if written is None else Decimal(repr(written)),
    )


def deviation(config: ModelConfig, published: PublishedModel | None, *, day: str) -> str | None:
    """A warning when a config's price is more than 20 % off the published one; None when it is not, or none is known."""
    theirs = published.rates(day=day, tier=None, input_tokens=0) if published else None
    if config.pricing is None or published is None or theirs is None:
        return None
    ours = rates_of(config.pricing)
    pairs = {
        "input": (ours.input, theirs.input),
        "output": (ours.output, theirs.output),
        "cached": (ours.cached, theirs.cached),
        "cache write": (ours.cache_write, theirs.cache_write),
    }
    found = ", ".join(
        f"{name} ${stated:f} against ${listed:f}"
        for name, (stated, listed) in pairs.items()
        if stated is not None and listed is not None and abs(stated - listed) > WARN_BEYOND * listed
    )
    file = f"models/{config.id}.json"
    return f"{file}: pricing is more than 20 % off {published.source}: {found} per million" if found else None


@cache
def published_prices(provider: str, url: str | None, model: str) -> PublishedModel | None:
    """The published prices of a model; None when there are none, and always for a simulated model.

    They are those of the provider whose address it is, else (at a proxy, or on this machine) those by OpenAI's names.
    """
    if provider == "simulated":
        return None
    places = [(None, url), (provider, None)] if url is not None and provider == "openai" else [(provider, None)]
    for provider_id, api_url in places:
        try:
            found, info = data_snapshot.get_snapshot().find_provider_model(model, None, provider_id, api_url)
        except LookupError:
            continue
        return PublishedModel(found.id, info)
    return None


def _price(value: Decimal | TieredPrices | None, input_tokens: int) -> Decimal | None:
    if not isinstance(value, TieredPrices):
        return value
    reached: list[Decimal] = [tier.price for tier in value.tiers if input_tokens > tier.start]
    return reached[-1] if reached else value.base


def _ratio(actual: Decimal, usual: Decimal) -> Decimal:
    return actual / usual if usual else Decimal(1)
