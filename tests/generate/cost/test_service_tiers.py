"""Flex and priority: a deadline of its own, and the price of the tier that the answer names."""

import json
from typing import Any

import pytest

from stages.contracts.brief import Brief, Expectations
from stages.contracts.model_config import ModelConfig
from stages.contracts.params import GenerateParams, RuntimeParams
from stages.generate.answers.draws import state_of
from stages.generate.answers.record import response_of
from stages.generate.call import Answer, Endpoint
from stages.generate.cost.costing import Costing
from stages.generate.cost.forecaster import Forecaster
from stages.generate.ledger.adoption import adoptable
from stages.generate.ledger.row import answer_of, values_of
from stages.generate.plan.cell_plan import PlannedCell, plan_cells

BRIEF = Brief(id="b", expectations=Expectations.model_validate({}), body="Rent or buy?", sha256="0" * 64)


def planned(**changes: Any) -> PlannedCell:
    fields = {
        "id": "m",
        "display_name": "M",
        "provider": "openai",
        "model": "m",
        "target_mode": "fast",
        "params": {"service_tier": "flex"},
        "pricing": {"input_per_1m": 10.0, "output_per_1m": 20.0, "source": "a test"},
    }
    config = ModelConfig.model_validate({**fields, **changes})
    (cell,) = plan_cells(
        [(config, Endpoint(provider="openai"))],
        [BRIEF],
        GenerateParams.model_validate({}),
        instructions="Draft.",
        instructions_sha256="0" * 64,
        schema=None,
    )
    return cell


def cost_of(cell: PlannedCell, tier: str | None, source: Any = "call") -> float | None:
    body: dict[str, Any] = {"output": [], "usage": {"input_tokens": 1_000, "output_tokens": 500}}
    if tier is not None:
        body["service_tier"] = tier
    answer = Answer(
        fingerprint="f",
        body=json.dumps(body),
        latency_ms=1.0,
        attempts=1,
        arrived_at="2026-11-21T00:00:00Z",
        endpoint="",
        source=source,
    )
    return Costing(lambda _config, _endpoint: None).of_answer(cell, answer).usd


@pytest.mark.parametrize(
    ("asked", "answered", "factor"),
    [
        pytest.param("flex", "flex", 0.5, id="flex"),
        pytest.param("flex", "default", 1.0, id="flex was full, so it ran as usual"),
        pytest.param("flex", None, 0.5, id="the answer does not say"),
        pytest.param("auto", "priority", 2.0, id="the project's own setting decided"),
        pytest.param(None, None, 1.0, id="nothing special"),
    ],
)
def test_an_answer_costs_what_the_tier_that_it_names_costs(
    asked: str | None, answered: str | None, factor: float
) -> None:
    assert cost_of(planned(params={"service_tier": asked}), answered) == pytest.approx(0.02 * factor)


def test_an_answer_out_of_a_batch_costs_half_whatever_tier_it_names() -> None:
    assert cost_of(planned(), "default", source="batch") == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("changes", "timeout_s"),
    [
        pytest.param({}, 1_800.0, id="flex"),
        pytest.param({"params": {"service_tier": "priority"}}, 300.0, id="priority"),
        pytest.param({"timeout_s": 42.0}, 42.0, id="the config's own"),
    ],
)
def test_flex_has_a_longer_deadline(changes: dict[str, Any], timeout_s: float) -> None:
    assert forecaster("direct").call(planned(**changes), 1).timeout_s == timeout_s


def test_the_tier_that_is_asked_for_goes_into_the_request() -> None:
    assert planned().request.settings["service_tier"] == "flex"


@pytest.mark.parametrize(
    ("mode", "tier", "share"), [("batch", None, 0.5), ("direct", "flex", 0.5), ("direct", None, 1)]
)
def test_the_forecast_and_the_budget_reckon_with_the_discount(mode: str, tier: str | None, share: float) -> None:
    plain = forecaster("direct").call(planned(params={}), 1).cost_upper_usd
    found = forecaster(mode).call(planned(params={"service_tier": tier}), 1).cost_upper_usd
    assert plain is not None
    assert found == pytest.approx(plain * share)


def forecaster(mode: str) -> Forecaster:
    settings = RuntimeParams.model_validate({"mode": mode})
    costing = Costing(lambda _config, _endpoint: None)
    return Forecaster(settings, costing, lambda _model: [], len, today="2026-11-21")


def test_a_colleague_who_pulls_an_answer_out_of_a_batch_sees_the_same_cost() -> None:
    cell = planned(params={})
    costing = Costing(lambda _config, _endpoint: None)
    body = json.dumps({"output": [], "usage": {"input_tokens": 1_000, "output_tokens": 500}, "service_tier": "default"})
    answer = Answer(
        fingerprint=cell.fingerprints[0],
        body=body,
        latency_ms=None,
        attempts=1,
        arrived_at="2026-11-21T00:00:00Z",
        endpoint="https://api.openai.com/v1",
        source="batch",
    )
    written = response_of(cell, state_of(cell, {answer.fingerprint: answer}), None, costing.of_draw)
    (row,) = adoptable(cell, written)
    found = answer_of(values_of(row))
    assert found is not None
    adopted = response_of(cell, state_of(cell, {answer.fingerprint: found[0]}), None, costing.of_draw)
    assert written.service_tier == "batch"
    assert written.measured.est_cost_usd == pytest.approx(0.01)
    assert adopted == written
