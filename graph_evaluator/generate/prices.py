"""What an answer cost: its usage at the price that a model config states, else at the one that
`genai-prices` publishes.
"""

import datetime
import re
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.metadata import version
from typing import NamedTuple

from genai_prices import Usage as PricedUsage
from genai_prices import data_snapshot
from genai_prices.types import ModelInfo, ModelPrice

from graph_evaluator.records.model_config import Pricing
from graph_evaluator.records.response import Measured, Usage

STANDARD_TIERS = frozenset({None, "auto", "default", "standard"})
TIER_FACTORS = {"flex": Decimal("0.5"), "batch": Decimal("0.5"), "priority": Decimal(2)}
"""What a service tier costs against the standard one where no price of its own is published
(OpenAI's pricing page); 1 for a tier that is not known.
"""
NEWEST = "9999-12-31"
"""The day of an answer whose day is not known."""
STATED = "stated with the recorded answer"


class Cost(NamedTuple):
    """US dollars, and the source of the price; both None when the price or the usage is not
    known.
    """

    usd: float | None
    source: str | None


@dataclass(frozen=True, slots=True)
class Price:
    """The price that applies to a call: a factor of a listed one."""

    listed: ModelPrice
    factor: Decimal
    source: str

    def usd(self, usage: Usage) -> float | None:
        """The cost of usage, US dollars; None if its input or output was not reported."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        cached = min(usage.cached_tokens or 0, usage.input_tokens)
        written = min(usage.cache_write_tokens or 0, usage.input_tokens - cached)
        counts = PricedUsage(
            input_tokens=usage.input_tokens,
            cache_read_tokens=cached,
            cache_write_tokens=written,
            output_tokens=usage.output_tokens,
        )
        return float(self.listed.calc_price(counts)["total_price"] * self.factor)


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """One model's prices in the `genai-prices` package."""

    source: str
    model: ModelInfo

    def price(self, day: str, tier: str | None) -> ModelPrice | None:
        """The price on a day (ISO 8601), in a service tier or, where that has none, the standard
        one; None when none is known.
        """
        context = {"processing": "batch"} if tier == "batch" else {"service_tier": tier or ""}
        noon = datetime.datetime.fromisoformat(f"{day}T12:00:00+00:00")
        price = self.model.get_prices(noon, context)
        return None if price.input_mtok is None or price.output_mtok is None else price


@dataclass(frozen=True, slots=True)
class ModelPrices:
    """The prices of one model: those that its config states, and the published ones.

    `requested_tier` is asked for in calls; `expected_tier` is the one that a call made `today` will
    have ("batch" in batches).
    """

    pricing: Pricing | None
    published: PublishedModel | None
    today: datetime.date
    requested_tier: str | None = None
    expected_tier: str | None = None

    def cost(self, measured: Measured, day: str | None = None) -> Cost:
        """What an answer of the model cost on a day (ISO 8601), else on that of its arrival; a
        recorded one may state it.
        """
        if measured.stated_usd is not None:
            return Cost(measured.stated_usd, STATED)
        day = day or (measured.created_at or NEWEST)[:10]
        price = self.price(day, measured.service_tier or self.requested_tier)
        usd = price.usd(measured.usage) if price else None
        return Cost(None, None) if price is None or usd is None else Cost(usd, price.source)

    def upper_usd(self, input_tokens: int, output_tokens: int) -> float | None:
        """The most that a call of this length may cost today; None when no price is known.

        It counts all input at its highest price, without the prompt cache.
        """
        price = self.price(self.today.isoformat(), self.expected_tier)
        if price is None:
            return None
        written = {0, input_tokens} if price.listed.cache_write_mtok else {0}
        usages = [
            Usage(input_tokens=input_tokens, cache_write_tokens=tokens, output_tokens=output_tokens)
            for tokens in written
        ]
        return max(price.usd(usage) or 0.0 for usage in usages)

    def price(self, day: str, tier: str | None) -> Price | None:
        """The price that applies to a call in a tier; None when there is none.

        The config states that of the standard tier; a tier that has no price of its own costs the
        usual factor.
        """
        special = None if tier in STANDARD_TIERS else tier
        if self.pricing is not None:
            return _in_tier(special, stated_price(self.pricing), self.pricing.source)
        listed = self.published.price(day, special) if self.published else None
        if self.published is None or listed is None:
            return None
        source = f"{self.published.source}, newest price"
        if day != NEWEST:
            source = f"{self.published.source}, price of {day}"
        if listed != self.published.price(day, None):
            return Price(listed, Decimal(1), f"{source}, {special} tier")
        return _in_tier(special, listed, source)


def _in_tier(tier: str | None, standard: ModelPrice, source: str) -> Price:
    """The price in a tier that has none of its own; None is the standard tier."""
    if tier is None:
        return Price(standard, Decimal(1), source)
    factor = TIER_FACTORS.get(tier, Decimal(1))
    return Price(standard, factor, f"{source}, {tier} tier x{factor}")


@cache
def stated_price(pricing: Pricing) -> ModelPrice:
    """The price that a model config states."""
    stated = {
        "input_mtok": pricing.input_per_1m,
        "output_mtok": pricing.output_per_1m,
        "cache_read_mtok": pricing.cached_input_per_1m,
        "cache_write_mtok": pricing.cache_write_per_1m,
    }
    return ModelPrice(**{key: Decimal(repr(usd)) for key, usd in stated.items() if usd is not None})


@cache
def published_prices(provider: str, url: str | None, model: str) -> PublishedModel | None:
    """The published prices of a model: those of the provider at this address, else (at a proxy)
    those by OpenAI's names; of a recorded model those of any provider, by its whole name or by what
    follows the provider in it.
    """
    if provider == "simulated":
        return None
    places: list[tuple[str, str | None, str | None]] = [(model, provider, None)]
    if url is not None and provider == "openai":
        places.insert(0, (model, None, url))
    if provider == "recorded":
        places = [(model, None, None), (re.split("[/:]", model)[-1], None, None)]
    snapshot = data_snapshot.get_snapshot()
    for name, provider_id, api_url in places:
        with suppress(LookupError):
            owner, info = snapshot.find_provider_model(name, None, provider_id, api_url)
            source = f"genai-prices {version('genai-prices')} ({owner.id} {info.id})"
            return PublishedModel(source, info)
    return None
