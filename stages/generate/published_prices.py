"""The published prices, from the `genai-prices` package."""

import datetime
from decimal import Decimal
from functools import cache
from importlib.metadata import version

from genai_prices import data_snapshot
from genai_prices.types import ModelInfo, TieredPrices

from stages.contracts.model_config import ModelConfig
from stages.generate.plan.endpoint import Endpoint, is_loopback
from stages.generate.prices import STANDARD_TIERS, Rates


class GenaiPrices:
    """One model's prices in the `genai-prices` package."""

    def __init__(self, provider: str, model: ModelInfo) -> None:
        self._model = model
        self.source = f"genai-prices {version('genai-prices')} ({provider} {model.id})"

    @property
    def deprecated(self) -> bool:
        """True when the package says that the provider has deprecated the model."""
        return bool(self._model.deprecated)

    def rates(self, *, day: str, tier: str | None, input_tokens: int) -> Rates | None:
        """The prices on a day, in a service tier, for a prompt of this length; None when there are none."""
        when = datetime.datetime.fromisoformat(f"{day}T12:00:00+00:00")
        context: dict[str, str] | None = None
        if tier is not None and tier not in STANDARD_TIERS:
            context = {"processing": "batch"} if tier == "batch" else {"service_tier": tier}
        prices = self._model.get_prices(when, context)
        into = _price(prices.input_mtok, input_tokens)
        out = _price(prices.output_mtok, input_tokens)
        if into is None or out is None:
            return None
        return Rates(
            input=into,
            output=out,
            cached=_price(prices.cache_read_mtok, input_tokens),
            cache_write=_price(prices.cache_write_mtok, input_tokens),
        )


@cache
def published_prices(provider: str, url: str | None, model: str, loopback: bool) -> GenaiPrices | None:
    """A model's published prices.

    Looked for at the provider whose address it is; at any other address, a proxy for instance, by OpenAI's names.
    """
    snapshot = data_snapshot.get_snapshot()
    references: list[tuple[str | None, str | None]] = [(provider, None)]
    if url is not None and provider == "openai":
        references = [("openai", None)] if loopback else [(None, url), ("openai", None)]
    for provider_id, api_url in references:
        try:
            found, info = snapshot.find_provider_model(model, None, provider_id, api_url)
        except LookupError:
            continue
        return GenaiPrices(found.id, info)
    return None


def published_for(config: ModelConfig, endpoint: Endpoint) -> GenaiPrices | None:
    """The published prices of a model config; None when there are none, and always for a simulated model."""
    if config.provider == "simulated":
        return None
    return published_prices(config.provider, endpoint.url, config.model, is_loopback(endpoint))


def _price(value: Decimal | TieredPrices | None, input_tokens: int) -> Decimal | None:
    if value is None or isinstance(value, Decimal):
        return value
    applying: Decimal = value.base
    for tier in value.tiers:
        if input_tokens > tier.start:
            applying = tier.price
    return applying
