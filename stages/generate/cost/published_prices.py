"""The published prices, from the `genai-prices` package; the package is loaded when a price is first asked for."""

import datetime
from decimal import Decimal
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

from stages.contracts.model_config import ModelConfig
from stages.generate.call import Endpoint
from stages.generate.cost.pricing import STANDARD_TIERS
from stages.generate.cost.rates import Rates
from stages.generate.plan.endpoint import is_loopback

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, TieredPrices


class GenaiPrices:
    """One model's prices in the `genai-prices` package."""

    def __init__(self, provider: str, model: "ModelInfo") -> None:
        self._model = model
        self.source = f"genai-prices {_package_version()} ({provider} {model.id})"

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
    from genai_prices import data_snapshot

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


@cache
def _package_version() -> str:
    return version("genai-prices")


def _price(value: "Decimal | TieredPrices | None", input_tokens: int) -> Decimal | None:
    if value is None or isinstance(value, Decimal):
        return value
    applying: Decimal = value.base
    for tier in value.tiers:
        if input_tokens > tier.start:
            applying = tier.price
    return applying
