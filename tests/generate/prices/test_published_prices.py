"""The published prices are found for the model that is called, on the day of the call, and never for simulated ones."""

import pytest

from stages.generate.prices import PublishedModel, Rates, published_prices


def listed(
    model: str = "gpt-4.1", *, provider: str = "openai", base_url: str | None = None
) -> PublishedModel | None:
    return published_prices(provider, base_url, model)


def published(
    day: str = "2026-11-01", tier: str | None = None, tokens: int = 1_000, **changed: str
) -> Rates | None:
    found = listed(**changed)
    return None if found is None else found.rates(day=day, tier=tier, input_tokens=tokens)


def dollars(rates: Rates | None) -> tuple[str, str] | None:
    return None if rates is None else (str(rates["input"]), str(rates["output"]))


def test_a_model_at_the_provider_has_its_price() -> None:
    assert dollars(published()) == ("2", "8")
    assert dollars(published(model="gpt-4.1-2025-04-14")) == ("2", "8")


def test_a_proxy_and_a_stand_in_on_this_machine_have_the_price_of_the_model_that_they_name() -> (
    None
):
    assert dollars(published(base_url="http://127.0.0.1:1/v1")) == ("2", "8")
    assert dollars(published(base_url="https://proxy.example/v1")) == ("2", "8")


@pytest.mark.parametrize("model", ["no-such-model", "qwen3:8b"])
def test_a_model_that_nobody_lists_has_no_price(model: str) -> None:
    assert listed(model) is None


def test_a_simulated_model_is_not_looked_up() -> None:
    assert published(provider="simulated") is None


def test_the_price_is_that_of_the_day() -> None:
    early = published(model="gpt-5.6-terra", day="2026-07-01")
    late = published(model="gpt-5.6-terra", day="2026-08-01")
    assert dollars(early) != dollars(late)


def test_a_long_prompt_and_a_tier_have_prices_of_their_own() -> None:
    usual = published(model="gpt-5.4-mini")
    assert usual is not None
    flex = published(model="gpt-5.4-mini", tier="flex")
    assert flex is not None
    assert flex["input"] * 2 == usual["input"]
    long = published(model="gpt-5.6-terra", tokens=300_000)
    short = published(model="gpt-5.6-terra")
    assert long is not None
    assert short is not None
    assert long["input"] > short["input"]


def test_the_source_names_package_version_provider_and_model() -> None:
    found = listed()
    assert found is not None
    assert found.source.startswith("genai-prices ")
    assert found.source.endswith("(openai gpt-4.1)")
