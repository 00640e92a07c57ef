"""Flex, priority and batch: a deadline of its own, and the price of the tier that the answer names."""

import json
from typing import Any

import pytest

from stages.generate.answers.answer import Answer
from stages.generate.ledger.adoption import answers_of_response
from stages.generate.plan.cells import PlannedCell, by_fingerprint
from stages.generate.plan.work import state_of
from stages.generate.responses.response import response_of
from tests.builders.cases import cases
from tests.generate.asking import cells, config
from tests.generate.entries import paid

PRICING = {"input_per_1m": 10.0, "output_per_1m": 20.0, "source": "a test"}


def planned(tier: str | None = "flex", *, mode: str = "direct", **changes: Any) -> PlannedCell:
    (cell,) = cells(
        config(params={"service_tier": tier}, pricing=PRICING, **changes), runtime={"mode": mode}
    )
    return cell


def answer(cell: PlannedCell, tier: str | None, source: Any = "call") -> Answer:
    body: dict[str, Any] = {"output": [], "usage": {"input_tokens": 1_000, "output_tokens": 500}}
    if tier is not None:
        body["service_tier"] = tier
    return paid(cell.fingerprints[0], json.dumps(body), source=source)


@cases(
    "asked, answered, factor",
    {
        "flex": ("flex", "flex", 0.5),
        "flex was full, so it ran as usual": ("flex", "default", 1.0),
        "the answer does not say": ("flex", None, 0.5),
        "the project's own setting decided": ("auto", "priority", 2.0),
        "nothing special": (None, None, 1.0),
    },
)
def test_an_answer_costs_what_the_tier_that_it_names_costs(
    asked: str | None, answered: str | None, factor: float
) -> None:
    cell = planned(asked)
    assert cell.model.prices.cost(answer(cell, answered)).usd == pytest.approx(0.02 * factor)


@cases(
    "tier, changes, timeout_s",
    {
        "flex": ("flex", {}, 1_800.0),
        "priority": ("priority", {}, 300.0),
        "the config's own": ("flex", {"timeout_s": 42.0}, 42.0),
    },
)
def test_flex_has_a_longer_deadline(tier: str, changes: dict[str, Any], timeout_s: float) -> None:
    assert planned(tier, **changes).calls[0].timeout_s == timeout_s


@pytest.mark.parametrize(
    ("mode", "tier", "share"), [("batch", None, 0.5), ("direct", "flex", 0.5), ("direct", None, 1)]
)
def test_the_forecast_and_the_budget_use_the_discount(
    mode: str, tier: str | None, share: float
) -> None:
    plain, found = planned(None).calls[0], planned(tier, mode=mode).calls[0]
    assert plain.cost_upper_usd is not None
    assert found.cost_upper_usd == pytest.approx(plain.cost_upper_usd * share)


def test_a_colleague_who_pulls_an_answer_of_a_batch_sees_the_same_cost() -> None:
    cell = planned(None)
    mine = answer(cell, "default", "batch")
    written = response_of(state_of(cell, {mine.fingerprint: mine}))
    (adopted_again,) = answers_of_response(written, by_fingerprint([cell]))
    again = response_of(state_of(cell, {mine.fingerprint: adopted_again}))
    assert written.service_tier == "batch"
    assert written.measured.est_cost_usd == pytest.approx(0.01)
    assert again == written
