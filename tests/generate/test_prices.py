"""A call costs its actual usage at the prices that apply; what is not known stays unknown."""

import datetime
import json
from decimal import Decimal

import pytest
from genai_prices.types import ClauseEquals, ModelInfo, ModelPrice, PriceVariant

from graph_evaluator.generate.prices import ModelPrices, PublishedModel, published_prices
from graph_evaluator.records.model_config import Pricing
from graph_evaluator.records.response import Measured, Usage
from tests.builders.cases import cases
from tests.generate.asking import cells, config
from tests.generate.entries import paid

DAY = "2026-11-01"


def pricing(**changed):
    return Pricing.model_validate(
        {"input_per_1m": 2.0, "output_per_1m": 8.0, "source": "list"} | changed
    )


def published(**prices):
    """A model at these prices, flex at half of them."""
    flex = ModelPrice(**{name: price / 2 for name, price in prices.items()})
    variants = [PriceVariant(when={"service_tier": "flex"}, prices=flex)]
    info = ModelInfo("m", ClauseEquals("m"), prices=ModelPrice(**prices), price_variants=variants)
    return PublishedModel("published", info)


LISTED = published(input_mtok=Decimal(2), output_mtok=Decimal(8))


def prices(stated, listed=None):
    return ModelPrices(pricing=stated, published=listed, today=datetime.date(2026, 11, 1))


@cases(
    "usage, changed, expected",
    {
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
        "reasoning is output, cached without a price is input": (
            Usage(input_tokens=10**6, cached_tokens=9, output_tokens=10**6, reasoning_tokens=9),
            {},
            10.0,
        ),
        "more cached than there was": (
            Usage(input_tokens=100, cached_tokens=500, cache_write_tokens=500, output_tokens=0),
            {"cached_input_per_1m": 1.0},
            100 * 1.0 / 1e6,
        ),
        "output not reported": (Usage(input_tokens=100), {}, None),
    },
)
def test_each_kind_of_token_has_its_price(usage, changed, expected):
    price = prices(pricing(**changed)).price(DAY, None)
    assert price is not None
    assert price.usd(usage) == (None if expected is None else pytest.approx(expected))


@cases(
    "stated, listed, tier, expected",
    {
        "the config's": (pricing(), LISTED, None, (1.0, "list")),
        "priority": (pricing(), LISTED, "priority", (2.0, "list, priority tier x2")),
        "a tier that nobody knows": (
            pricing(),
            None,
            "gold",
            (1.0, "list, gold tier x1"),
        ),
        "published": (None, LISTED, None, (1.0, f"published, price of {DAY}")),
        "published flex": (None, LISTED, "flex", (0.5, f"published, price of {DAY}, flex tier")),
        "published, no batch price": (
            None,
            LISTED,
            "batch",
            (0.5, f"published, price of {DAY}, batch tier x0.5"),
        ),
    },
)
def test_the_price_that_applies_is_found_and_named(stated, listed, tier, expected):
    price = prices(stated, listed).price(DAY, tier)
    usage = Usage(input_tokens=100_000, output_tokens=100_000)
    assert (price and (price.usd(usage), price.source)) == expected


def test_a_call_may_cost_what_input_costs_at_its_dearest_kind():
    assert prices(pricing()).upper_usd(1_000_000, 500_000) == 6.0
    assert prices(pricing(cache_write_per_1m=3.0)).upper_usd(1_000_000, 500_000) == 7.0
    assert prices(None).upper_usd(1, 1) is None


@cases(
    "model, url, expected",
    {
        "at the provider": ("gpt-4.1", None, 10.0),
        "a proxy": ("gpt-4.1", "https://proxy.example/v1", 10.0),
        "a name that nobody lists": ("no-such-model", None, None),
    },
)
def test_the_published_prices_are_those_of_the_model_that_is_named(model, url, expected):
    price = prices(None, published_prices("openai", url, model)).price(DAY, None)
    usage = Usage(input_tokens=1_000_000, output_tokens=1_000_000)
    assert (price and price.usd(usage)) == expected


@cases(
    "name, listed",
    {
        "as it is": ("gpt-4.1-mini-2025-04-14", "(openai gpt-4.1-mini), newest price"),
        "another provider": ("claude-sonnet-4-5", "(anthropic claude-sonnet-4-5), newest price"),
        "after the provider": ("openai:chat:gpt-4.1", "(openai gpt-4.1), newest price"),
        "a name that nobody lists": ("m-1", None),
    },
)
def test_a_recorded_answer_has_the_price_of_the_name_in_its_log(name, listed):
    usage = Usage(input_tokens=1_000, output_tokens=1_000)
    cost = prices(None, published_prices("recorded", None, name)).cost(Measured(usage=usage))
    assert (cost.source and cost.source.partition(" ")[2].partition(" ")[2]) == listed
    assert (cost.usd is None) == (listed is None)


PRICING = {"input_per_1m": 10.0, "output_per_1m": 20.0, "source": "a test"}


def planned(tier="flex", *, mode="direct", **changes):
    (cell,) = cells(
        config(params={"service_tier": tier}, pricing=PRICING, **changes), runtime={"mode": mode}
    )
    return cell


def answer(cell, tier, source="call"):
    body = {"output": [], "usage": {"input_tokens": 1_000, "output_tokens": 500}}
    if tier is not None:
        body["service_tier"] = tier
    return paid(cell.calls[0], json.dumps(body), source=source)


@cases(
    "asked, answered, factor",
    {
        "flex": ("flex", "flex", 0.5),
        "flex was full, so it ran as usual": ("flex", "default", 1.0),
        "the answer does not say": ("flex", None, 0.5),
        "the project's own setting decided": ("auto", "priority", 2.0),
    },
)
def test_an_answer_costs_what_the_tier_that_it_names_costs(asked, answered, factor):
    cell = planned(asked)
    assert cell.calls[0].planned.prices.cost(answer(cell, answered).measured).usd == pytest.approx(
        0.02 * factor
    )


@pytest.mark.parametrize(
    ("mode", "tier", "share"), [("batch", None, 0.5), ("direct", "flex", 0.5), ("direct", None, 1)]
)
def test_the_forecast_and_the_budget_use_the_discount(mode, tier, share):
    plain, found = planned(None).calls[0], planned(tier, mode=mode).calls[0]
    assert plain.cost_upper_usd is not None
    assert found.cost_upper_usd == pytest.approx(plain.cost_upper_usd * share)
