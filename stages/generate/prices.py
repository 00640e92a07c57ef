"""What an answer cost: its usage at the prices that apply to it. The config's prices come first, then the published ones."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

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


@dataclass(frozen=True, slots=True)
class Cost:
    """US dollars, and the source of the price; both None when the price or the usage is not known."""

    usd: float | None
    source: str | None


class PublishedModel(Protocol):
    """A model in a list of published prices."""

    @property
    def source(self) -> str:
        """The name of the list."""

    @property
    def deprecated(self) -> bool:
        """True when the list says that the provider has deprecated the model."""

    def rates(self, *, day: str, tier: str | None, input_tokens: int) -> Rates | None:
        """The prices on a day (ISO 8601), in a service tier (None: the standard one), for a prompt of this length.

        None when no price is known; a tier without a price of its own has the standard price.
        """


Published = Callable[[ModelConfig, Endpoint], PublishedModel | None]
"""Finds a model's published prices."""


class Prices:
    """The prices of the models of a run."""

    def __init__(self, published: Published) -> None:
        self._published = published

    def cost(self, planned: PlannedCell, answer: PaidAnswer) -> Cost:
        """What an answer to a draw of a cell cost."""
        found = self._applying(planned, answer)
        usd = amount(answer.content.usage, found[0]) if found else None
        return Cost(None, None) if usd is None or found is None else Cost(usd, found[1])

    def saved_by_cache(self, planned: PlannedCell, answer: PaidAnswer) -> float | None:
        """What reading from the prompt cache saved, US dollars; None when that is not known."""
        usage = answer.content.usage
        found = self._applying(planned, answer)
        if found is None:
            return None
        paid = amount(usage, found[0])
        full = amount(Usage(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens), found[0])
        return None if paid is None or full is None else full - paid

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
    special = tier not in STANDARD_TIERS
    actual = published.rates(day=day, tier=tier, input_tokens=input_tokens) if published else None
    if pricing is None:
        if actual is None or published is None:
            return None
        usual = published.rates(day=day, tier=None, input_tokens=input_tokens)
        source = f"{published.source}, price of {day}"
        return _for_tier(actual, source, tier, own_price=not special or actual != usual)
    rates = rates_of(pricing)
    usual = published.rates(day=day, tier=None, input_tokens=0) if published else None
    if usual is None or actual is None or usual == actual:
        return _for_tier(rates, pricing.source, tier, own_price=not special)
    scaled = Rates(
        input=_scaled(rates.input, usual.input, actual.input),
        output=_scaled(rates.output, usual.output, actual.output),
        cached=_scaled_or_none(rates.cached, (usual.cached, actual.cached), (usual.input, actual.input)),
        cache_write=_scaled_or_none(
            rates.cache_write, (usual.cache_write, actual.cache_write), (usual.input, actual.input)
        ),
    )
    return scaled, _labelled(pricing.source, tier)


def rates_of(pricing: Pricing) -> Rates:
    """The prices that a model config states."""
    return Rates(
        input=_decimal(pricing.input_per_1m),
        output=_decimal(pricing.output_per_1m),
        cached=None if pricing.cached_input_per_1m is None else _decimal(pricing.cached_input_per_1m),
        cache_write=None if pricing.cache_write_per_1m is None else _decimal(pricing.cache_write_per_1m),
    )


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
    price: Decimal | None, own: tuple[Decimal | None, Decimal | None], of_input: tuple[Decimal, Decimal]
) -> Decimal | None:
    """A price in the ratio of its own published prices (usual, actual), else in that of the input's."""
    if price is None:
        return None
    usual, actual = own
    return _scaled(price, *of_input) if usual is None or actual is None else _scaled(price, usual, actual)


def _scaled(price: Decimal, usual: Decimal, actual: Decimal) -> Decimal:
    return price * actual / usual if usual else price


def _decimal(price: float) -> Decimal:
    return Decimal(repr(price))
