"""What an answer cost: its usage at the prices that apply to it. The config's prices come first,
then those of `genai-prices`.
"""

import datetime
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.metadata import version
from typing import Literal

from genai_prices import data_snapshot
from genai_prices.types import ModelInfo, TieredPrices

from stages.shared.records.model_config import ModelConfig, Pricing
from stages.shared.records.response import Answer, Usage

STANDARD_TIERS = frozenset({None, "auto", "default", "standard"})
TIER_FACTORS = {"flex": Decimal("0.5"), "batch": Decimal("0.5"), "priority": Decimal(2)}
"""What a service tier costs against the standard one where no price of its own is published
(OpenAI's pricing page).
"""
WARN_BEYOND = Decimal("0.20")
STATED = "stated with the recorded answer"

TokenKind = Literal["input", "output", "cached", "cache write"]
Rates = Mapping[TokenKind, Decimal]
"""US dollars per million tokens; a kind of input without a price of its own costs what input
costs.
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """US dollars, and the source of the price; both None when the price or the usage is not
    known.
    """

    usd: float | None
    source: str | None


class PublishedModel:
    """One model's prices in the `genai-prices` package."""

    def __init__(self, provider: str, model: ModelInfo) -> None:
        self._model = model
        self.source = f"genai-prices {version('genai-prices')} ({provider} {model.id})"

    def rates(self, *, day: str, tier: str | None, input_tokens: int) -> Rates | None:
        """The prices on a day (ISO 8601), in a service tier or, where that has none, the standard
        one; None when none are known.
        """
        context: dict[str, str] | None = None
        if tier == "batch":
            context = {"processing": "batch"}
        elif tier is not None:
            context = {"service_tier": tier}
        noon = datetime.datetime.fromisoformat(f"{day}T12:00:00+00:00")
        prices = self._model.get_prices(noon, context)
        listed: dict[TokenKind, Decimal | TieredPrices | None] = {
            "input": prices.input_mtok,
            "output": prices.output_mtok,
            "cached": prices.cache_read_mtok,
            "cache write": prices.cache_write_mtok,
        }
        rates = {
            kind: _price(price, input_tokens) for kind, price in listed.items() if price is not None
        }
        return rates if "input" in rates and "output" in rates else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPrices:
    """The prices of one model: those that its config states, and the published ones.

    `requested_tier` is asked for in calls; `expected_tier` is the one that a call made `today` will
    have ("batch" in batches).
    """

    pricing: Pricing | None
    published: PublishedModel | None
    requested_tier: str | None = None
    expected_tier: str | None = None
    today: datetime.date

    def cost(self, answer: Answer, day: str | None = None) -> Cost:
        """What an answer of the model cost on a day (ISO 8601), else on that of its arrival; a
        recorded one may state it.
        """
        if answer.stated_usd is not None:
            return Cost(answer.stated_usd, STATED)
        usage, arrived_on = answer.usage, (answer.created_at or "")[:10]
        tier = answer.service_tier or self.requested_tier
        priced = self.rates(day or arrived_on, tier, usage.input_tokens or 0)
        usd = amount(usage, priced[0]) if priced else None
        if priced is None or usd is None:
            return Cost(None, None)
        return Cost(usd, priced[1])

    def expected_rates(self, input_tokens: int) -> Rates | None:
        """The prices to expect for a prompt of this length; None when none are known."""
        priced = self.rates(self.today.isoformat(), self.expected_tier, input_tokens)
        return priced[0] if priced else None

    def upper_usd(self, input_tokens: int, output_tokens: int) -> float | None:
        """The most that a call may cost; None when no price is known.

        That is all input at its dearest kind, and nothing read from the prompt cache.
        """
        rates = self.expected_rates(input_tokens)
        if rates is None:
            return None
        dearest = max(float(rates["input"]), float(rates.get("cache write", 0)))
        return (input_tokens * dearest + output_tokens * float(rates["output"])) / 1e6

    def rates(self, day: str, tier: str | None, input_tokens: int) -> tuple[Rates, str] | None:
        """The prices that apply to a call, and their source; None when there are none.

        The config states those of the standard tier; a tier that has no price of its own costs the
        usual factor.
        """
        special = None if tier in STANDARD_TIERS else tier
        if self.pricing is not None:
            return _in_tier(special, rates_of(self.pricing), self.pricing.source)
        if self.published is None:
            return None
        rates = self.published.rates(day=day, tier=special, input_tokens=input_tokens)
        if rates is None:
            return None
        source = f"{self.published.source}, price of {day}"
        standard = self.published.rates(day=day, tier=None, input_tokens=input_tokens)
        if rates != standard:
            return rates, f"{source}, {special} tier"
        return _in_tier(special, rates, source)


def _in_tier(tier: str | None, rates: Rates, source: str) -> tuple[Rates, str]:
    """Standard prices as they are in a tier, and their source; None is the standard one."""
    if tier is None:
        return rates, source
    factor = TIER_FACTORS.get(tier)
    if factor is None:
        return rates, f"{source}, at the standard price: none is known for tier {tier}"
    in_tier = {kind: price * factor for kind, price in rates.items()}
    return in_tier, f"{source}, {tier} tier x{factor}"


def amount(usage: Usage, rates: Rates) -> float | None:
    """Usage times prices per million, US dollars; None when the input or the output was not
    reported.
    """
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    cached = min(usage.cached_tokens or 0, usage.input_tokens)
    written = min(usage.cache_write_tokens or 0, usage.input_tokens - cached)
    tokens: dict[TokenKind, int] = {
        "input": usage.input_tokens - cached - written,
        "output": usage.output_tokens,
        "cached": cached,
        "cache write": written,
    }
    total = sum(number * rates.get(kind, rates["input"]) for kind, number in tokens.items())
    return float(total / 1_000_000)


def rates_of(pricing: Pricing) -> Rates:
    """The prices that a model config states."""
    stated: dict[TokenKind, float | None] = {
        "input": pricing.input_per_1m,
        "output": pricing.output_per_1m,
        "cached": pricing.cached_input_per_1m,
        "cache write": pricing.cache_write_per_1m,
    }
    return {kind: Decimal(repr(price)) for kind, price in stated.items() if price is not None}


def deviation(config: ModelConfig, published: PublishedModel | None, *, day: str) -> str | None:
    """A warning when a config's price is more than 20 % off the published one; None when it is not,
    or none is known.
    """
    theirs = published.rates(day=day, tier=None, input_tokens=0) if published else None
    if config.pricing is None or published is None or theirs is None:
        return None
    differences: list[str] = []
    for kind, price in rates_of(config.pricing).items():
        their_price = theirs.get(kind)
        if their_price is not None and abs(price - their_price) > WARN_BEYOND * their_price:
            differences.append(f"{kind} ${price:f} against ${their_price:f}")
    if not differences:
        return None
    file, listed = f"models/{config.id}.json", ", ".join(differences)
    return f"{file}: pricing is more than 20 % off {published.source}: {listed} per million"


@cache
def published_prices(provider: str, url: str | None, model: str) -> PublishedModel | None:
    """The published prices of a model: those of the provider at this address, else (at a proxy)
    those by OpenAI's names.
    """
    if provider in ("simulated", "recorded"):
        return None
    places: list[tuple[str | None, str | None]] = [(provider, None)]
    if url is not None and provider == "openai":
        places.insert(0, (None, url))
    snapshot = data_snapshot.get_snapshot()
    for provider_id, api_url in places:
        with suppress(LookupError):
            owner, info = snapshot.find_provider_model(model, None, provider_id, api_url)
            return PublishedModel(owner.id, info)
    return None


def _price(value: Decimal | TieredPrices, input_tokens: int) -> Decimal:
    if not isinstance(value, TieredPrices):
        return value
    reached: list[Decimal] = [tier.price for tier in value.tiers if input_tokens > tier.start]
    return reached[-1] if reached else value.base
