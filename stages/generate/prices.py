"""What an answer cost: its usage at the prices that apply to it. The config's prices come first, then those of `genai-prices`."""

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.metadata import version

from genai_prices import data_snapshot
from genai_prices.types import ModelInfo, TieredPrices

from stages.contracts.cell import Usage
from stages.contracts.model_config import ModelConfig, Pricing
from stages.generate.answers.api_answer import PaidAnswer
from stages.generate.plan.cells import PlannedCell
from stages.generate.plan.endpoint import Endpoint

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
        context: dict[str, str] | None = None
        if tier not in STANDARD_TIERS and tier is not None:
            context = {"processing": "batch"} if tier == "batch" else {"service_tier": tier}
        prices = self._model.get_prices(datetime.datetime.fromisoformat(f"{day}T12:00:00+00:00"), context)
        into, out = _price(prices.input_mtok, input_tokens), _price(prices.output_mtok, input_tokens)
        if into is None or out is None:
            return None
        cached, cache_write = (_price(one, input_tokens) for one in (prices.cache_read_mtok, prices.cache_write_mtok))
        return Rates(input=into, output=out, cached=cached, cache_write=cache_write)


class Prices:
    """The prices of the models of a run; `published` finds a model's published prices, None when there are none."""

    def __init__(self, published: Callable[[ModelConfig, Endpoint], PublishedModel | None]) -> None:
        self._published = published

    def cost(self, planned: PlannedCell, answer: PaidAnswer) -> Cost:
        """What an answer to a draw of a cell cost."""
        found = self._applying(planned, answer)
        usd = amount(answer.content.usage, found[0]) if found else None
        return Cost(None, None) if usd is None or found is None else Cost(usd, found[1])

    def expected_rates(self, planned: PlannedCell, *, day: str, input_tokens: int, batch: bool) -> Rates | None:
        """The prices to expect for a call of a cell: in a batch, else in the service tier that it asks for."""
        published = self._published(planned.config, planned.request.endpoint)
        tier = "batch" if batch else planned.config.params.service_tier
        found = applying_rates(planned.config.pricing, published, day=day, tier=tier, input_tokens=input_tokens)
        return found[0] if found else None

    def deviation(self, config: ModelConfig, endpoint: Endpoint, *, day: str) -> str | None:
        """A warning when a config's price is more than 20 % off the published one; None when it is not, or none is known."""
        published = self._published(config, endpoint)
        rates = published.rates(day=day, tier=None, input_tokens=0) if published else None
        if config.pricing is None or published is None or rates is None:
            return None
        found = ", ".join(deviations(config.pricing, rates))
        file = f"models/{config.id}.json"
        return f"{file}: pricing is more than 20 % off {published.source}: {found} per million" if found else None

    def deprecated(self, config: ModelConfig, endpoint: Endpoint) -> bool:
        """True when the published prices say that the provider has deprecated the model."""
        published = self._published(config, endpoint)
        return published is not None and published.deprecated

    def _applying(self, planned: PlannedCell, answer: PaidAnswer) -> tuple[Rates, str] | None:
        return applying_rates(
            planned.config.pricing,
            self._published(planned.config, planned.request.endpoint),
            day=answer.arrived_at[:10],
            tier=answer.service_tier or planned.config.params.service_tier,
            input_tokens=answer.content.usage.input_tokens or 0,
        )


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


def deviations(pricing: Pricing, published: Rates) -> list[str]:
    """Where a config's price is more than 20 % off the published one: one phrase for each such price."""
    stated = rates_of(pricing)
    pairs = {
        "input": (stated.input, published.input),
        "output": (stated.output, published.output),
        "cached": (stated.cached, published.cached),
        "cache write": (stated.cache_write, published.cache_write),
    }
    return [
        f"{name} ${ours:f} against ${theirs:f}"
        for name, (ours, theirs) in pairs.items()
        if ours is not None and theirs is not None and abs(ours - theirs) > WARN_BEYOND * theirs
    ]


def published_for(config: ModelConfig, endpoint: Endpoint) -> PublishedModel | None:
    """The published prices of a model config; None when there are none, and always for a simulated model."""
    return None if config.provider == "simulated" else published_prices(config.provider, endpoint.url, config.model)


@cache
def published_prices(provider: str, url: str | None, model: str) -> PublishedModel | None:
    """The published prices of a model: of the provider whose address it is, else (at a proxy, or on this machine) by OpenAI's names."""
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
