"""The sentences before a run."""

from dataclasses import replace
from typing import Any

from stages.contracts.json_text import JsonValue
from stages.contracts.params import Params
from stages.generate.forecast import (
    Forecast,
    Forecaster,
    Range,
    announcement,
    changed_settings,
    forecast_line,
)
from stages.generate.plan.cells import RunPlan, plan_cells
from tests.builders.cases import cases
from tests.generate.asking import PROMPT, brief, config, planned_model


def total(calls: int = 2, *, unpriced: int = 0, from_history: int = 2) -> Forecast:
    return Forecast(
        calls=calls,
        from_history=from_history,
        input_tokens=4_000,
        output_tokens=Range(1_000, 2_000, 3_000),
        cost_usd=Range(0.5, 1, 2),
        unpriced=unpriced,
    )


@cases(
    "given, sentence",
    {
        "all known": (
            total(),
            "3 cells: 1 answered already, 2 to call: $1.00 expected ($0.500 to $2.00); about 4,000 input tokens "
            "(estimated), 2,000 expected (1,000 to 3,000) output tokens (from earlier answers)",
        ),
        "a prior": (
            total(from_history=0),
            "output tokens (for 2 of them a prior of 1,500 to 16,000 a call)",
        ),
        "no price": (total(unpriced=2), "2 to call: no price is known for 2 calls; about"),
        "some prices": (
            total(unpriced=1),
            "$1.00 expected ($0.500 to $2.00), no price is known for 1 call; about",
        ),
        "nothing to call": (total(0), "3 cells: all answered already, nothing to call"),
    },
)
def test_the_forecast_says_what_is_known_and_what_is_not(given: Forecast, sentence: str) -> None:
    assert sentence in forecast_line(given, 3)


def announced(
    mode: str = "direct",
    *,
    in_batches: int = 0,
    schema: dict[str, JsonValue] | None = None,
    **changes: Any,
) -> list[str]:
    """What a run of two cells announces."""
    params = Params.model_validate(
        {"prompt": "p", "models": ["m"], "briefs": ["b"], "runtime": {"mode": mode}}
    )
    briefs = [brief("b1", "one"), brief("b2", "two")]
    model = planned_model(config(**changes), schema=schema, runtime={"mode": mode})
    prompt = replace(PROMPT, text="Draft.")
    cells = tuple(plan_cells([model], prompt, briefs, params.generate))
    plan = RunPlan(params=params, prompt=prompt, models=(model,), briefs=tuple(briefs), cells=cells)
    return announcement(
        plan,
        [planned.calls[0] for planned in cells],
        Forecaster(lambda _model: []),
        in_batches=[key for planned in cells for key in planned.fingerprints][:in_batches],
        listed={},
    )


def test_calls_that_are_in_batches_are_counted() -> None:
    assert len(announced()) == 1
    assert announced(in_batches=1)[1].startswith(
        "note: 1 of these calls is in batches: fetched, not submitted again"
    )
    assert announced(in_batches=2)[1].startswith("note: 2 of these calls are in batches")


def test_settings_that_are_not_sent_and_simulated_models_are_noted() -> None:
    notes = announced(params={"reasoning_effort": "low", "temperature": 0.0})[1:]
    assert notes == [
        "note: models/m.json: temperature is not sent: models called with reasoning_effort reject it"
    ]
    assert announced(provider="simulated")[1].startswith("note: simulated models")


def test_a_schema_outside_the_strict_subset_is_noted_with_the_place() -> None:
    structured = {"response_format": "json_schema"}
    (_, note) = announced(params=structured, schema={"type": "object", "properties": {}})
    assert note.startswith(
        "note: prompts/draft_graph.schema.json is outside the strict subset at $ (needs"
    )
    assert len(announced(params=structured, schema={"type": "array"})) == 1


@cases(
    "committed, changed",
    {
        "equal": ("prompt: p\nmodels: [m]\nbriefs: [b]\n", []),
        "what alters no answer": (
            "prompt: p\nmodels: [m]\nbriefs: [b]\nruntime: {max_concurrency: 2}\n",
            [],
        ),
        "three settings": (
            "prompt: q\nmodels: [m, n]\nbriefs: [b]\ngenerate: {samples: 3}\n",
            ["prompt p (was q)", "models [m] (was [m, n])", "generate.samples 1 (was 3)"],
        ),
        "no commit": (None, []),
        "not YAML": ("prompt: [\n", []),
        "keys are missing": ("prompt: p\n", []),
    },
)
def test_the_settings_that_differ_from_the_last_commit_are_named_with_both_values(
    committed: str | None, changed: list[str]
) -> None:
    params = Params.model_validate({"prompt": "p", "models": ["m"], "briefs": ["b"]})
    assert changed_settings(params, committed) == changed
