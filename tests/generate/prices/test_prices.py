"""A call costs its actual usage at the prices that apply; what is not known stays unknown."""

from decimal import Decimal
from typing import Any

import pytest

from stages.contracts.model_config import Pricing
from stages.contracts.response import Usage
from stages.generate.prices import (
    PublishedModel,
    Rates,
    TokenKind,
    amount,
    applying_rates,
    deviation,
    rates_of,
)
from tests.builders.cases import cases
from tests.generate.asking import config

DAY = "2026-11-01"


def pricing(**changed: Any) -> Pricing:
    return Pricing.model_validate(
        {"input_per_1m": 2.0, "output_per_1m": 8.0, "source": "list"} | changed
    )


def rates(input_: str, output: str, cached: str | None = None) -> Rates:
    found: dict[TokenKind, Decimal] = {"input": Decimal(input_), "output": Decimal(output)}
    return found if cached is None else {**found, "cached": Decimal(cached)}


class Published(PublishedModel):
    """Standard prices, flex at half of them, and double beyond 200,000 input tokens."""

    def __init__(self) -> None:
        self.source, self.deprecated = "published", False

    def rates(self, *, day: str, tier: str | None, input_tokens: int) -> Rates | None:
        found = rates("1", "4", "0.1") if tier == "flex" else rates("2", "8", "0.2")
        if input_tokens <= 200_000:
            return found
        return {kind: price * 2 for kind, price in found.items()}


class Unpublished(Published):
    """A model that is listed without a price."""

    def rates(self, *, day: str, tier: str | None, input_tokens: int) -> Rates | None:
        return None


@cases(
    "usage, prices, expected",
    {
        "plain": (Usage(input_tokens=1_000_000, output_tokens=500_000), {}, 2.0 + 4.0),
        "cached at its price": (
            Usage(input_tokens=1_000_000, cached_tokens=400_000, output_tokens=0),
            {"cached_input_per_1m": 0.5},
            0.6 * 2 + 0.4 * 0.5,
        ),
        "cached without one": (
            Usage(input_tokens=1_000_000, cached_tokens=400_000, output_tokens=0),
            {},
            2.0,
        ),
        "cache writes": (
            Usage(
                input_tokens=1_000_000,
                cached_tokens=400_000,
                cache_write_tokens=100_000,
                output_tokens=0,
            ),
            {"cached_input_per_1m": 0.5, "cache_write_per_1m": 2.5},
            0.5 * 2 + 0.4 * 0.5 + 0.1 * 2.5,
        ),
        "reasoning is output": (
            Usage(input_tokens=0, output_tokens=1_000_000, reasoning_tokens=900_000),
            {},
            8.0,
        ),
        "more cached than there was": (
            Usage(input_tokens=100, cached_tokens=500, cache_write_tokens=500, output_tokens=0),
            {"cached_input_per_1m": 1.0},
            100 * 1.0 / 1e6,
        ),
        "output not reported": (Usage(input_tokens=100), {}, None),
        "input not reported": (Usage(output_tokens=100), {}, None),
    },
)
def test_each_kind_of_token_has_its_price(
    usage: Usage, prices: dict[str, float], expected: float | None
) -> None:
    cost = amount(usage, rates_of(pricing(**prices)))
    assert cost == (None if expected is None else pytest.approx(expected))


PLAIN, SHORT = 1_000_000, 100_000


@cases(
    "config, published, tier, tokens, expected",
    {
        "the config's": (pricing(), None, None, SHORT, (1.0, "list")),
        "the standard tier": (pricing(), None, "default", SHORT, (1.0, "list")),
        "flex": (pricing(), None, "flex", SHORT, (0.5, "list, flex tier x0.5")),
        "batch": (pricing(), None, "batch", SHORT, (0.5, "list, batch tier x0.5")),
        "priority": (pricing(), None, "priority", SHORT, (2.0, "list, priority tier x2")),
        "a tier that nobody knows": (
            pricing(),
            None,
            "gold",
            SHORT,
            (1.0, "list, at the standard price: none is known for tier gold"),
        ),
        "flex as it is published": (
            pricing(),
            Published(),
            "flex",
            SHORT,
            (0.5, "list, flex tier"),
        ),
        "flex in the published ratio": (
            pricing(input_per_1m=4.0),
            Published(),
            "flex",
            SHORT,
            (0.6, "list, flex tier"),
        ),
        "a long prompt": (pricing(), Published(), None, PLAIN, (20.0, "list")),
        "published": (None, Published(), None, SHORT, (1.0, f"published, price of {DAY}")),
        "published, long": (None, Published(), None, PLAIN, (20.0, f"published, price of {DAY}")),
        "published flex": (
            None,
            Published(),
            "flex",
            SHORT,
            (0.5, f"published, price of {DAY}, flex tier"),
        ),
        "published, no batch price": (
            None,
            Published(),
            "batch",
            SHORT,
            (0.5, f"published, price of {DAY}, batch tier x0.5"),
        ),
        "listed without a price": (None, Unpublished(), None, SHORT, (None, None)),
        "no price": (None, None, None, SHORT, (None, None)),
    },
)
def test_the_price_that_applies_is_found_and_named(
    config: Pricing | None,
    published: Published | None,
    tier: str | None,
    tokens: int,
    expected: tuple[float | None, str | None],
) -> None:
    found = applying_rates(config, published, day=DAY, tier=tier, input_tokens=tokens)
    usd, source = expected
    assert (found[1] if found else None) == source
    if found and usd is not None:
        assert amount(Usage(input_tokens=tokens, output_tokens=tokens), found[0]) == pytest.approx(
            usd
        )


def test_a_price_more_than_a_fifth_off_the_published_one_is_reported() -> None:
    def found(**prices: float) -> str | None:
        return deviation(config(pricing=pricing(**prices).model_dump()), Published(), day=DAY)

    assert found() is None
    assert found(input_per_1m=2.4, output_per_1m=6.4) is None
    assert found(input_per_1m=2.41, cached_input_per_1m=1.0) == (
        "models/m.json: pricing is more than 20 % off published: input $2.41 against $2, cached $1.0 against $0.2 per million"
    )
    assert deviation(config(), None, day=DAY) is None
