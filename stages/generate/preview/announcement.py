"""What a run says before it calls anything: the forecast, and what should be known about its models."""

import datetime
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from stages.contracts.model_config import ModelConfig
from stages.generate.answers.structured import outside_strict_subset
from stages.generate.plan.cells import RunPlan
from stages.generate.plan.draws import Needed
from stages.generate.plan.endpoint import BASE_URL_VARIABLE, Endpoint, address
from stages.generate.preview.forecast import (
    HIGH_OUTPUT_TOKENS,
    LOW_OUTPUT_TOKENS,
    Forecaster,
    Range,
    TotalForecast,
    total_of,
)
from stages.generate.prices import Prices
from stages.shell.numbers import count, counted, money, tokens
from stages.shell.paths import DRAFT_SCHEMA

SIMULATED = "simulated models: their results say nothing about real models, and their costs are not charged"

ListedShutdowns = Mapping[tuple[Endpoint, str], datetime.date]
"""The day on which a model is switched off, as its endpoint's own listing of models states it."""


def announcement(
    plan: RunPlan,
    needed: Sequence[Needed],
    forecaster: Forecaster,
    prices: Prices,
    *,
    in_batches: Collection[str],
    listed: ListedShutdowns,
    today: datetime.date,
) -> list[str]:
    """The forecast and the notes, one sentence each.

    Args:
        plan: The run.
        needed: What is to be called.
        forecaster: Of calls.
        prices: Of models.
        in_batches: The fingerprints of calls that earlier runs submitted in batches and nobody has fetched.
        listed: When models are switched off, where their endpoints say so.
        today: The day from which "in n days" counts, and whose prices apply.
    """
    forecasts = [forecaster.forecast(planned) for planned, _ in needed]
    from_history = sum(forecaster.from_history(planned) for planned, _ in needed)
    urls = {address(endpoint) for config, endpoint in plan.models if endpoint.url and not config.base_url}
    notes = [f"{BASE_URL_VARIABLE} is set: calls go to {', '.join(sorted(urls))}"] if urls else []
    notes += filter(None, (prices.deviation(*model, day=today.isoformat()) for model in plan.models))
    not_sent = {(planned.config.id, warning) for planned in plan.cells for warning in planned.request.warnings}
    notes += [f"models/{model_id}.json: {warning}" for model_id, warning in sorted(not_sent)]
    schema = next((planned.request.schema for planned in plan.cells if planned.request.schema is not None), None)
    if schema is not None and (place := outside_strict_subset(schema)):
        notes.append(
            f"{DRAFT_SCHEMA} is outside the strict subset at {place}: it is sent with strict false, and answers need not "
            "follow it"
        )
    if any(planned.config.provider == "simulated" for planned, _ in needed):
        notes.append(SIMULATED)
    notes += shutdown_notes(plan.models, listed, prices.deprecated, today=today)
    submitted = sum(planned.fingerprints[draw - 1] in in_batches for planned, draw in needed)
    if submitted:
        notes.append(
            f"{counted(submitted, 'of these calls is', 'of these calls are')} in batches: "
            "fetched, not submitted again (--cancel-batches ends them)"
        )
    lines = [forecast_line(total_of(forecasts), len(plan.cells), from_history=from_history)]
    return lines + [f"note: {note}" for note in notes]


def forecast_line(total: TotalForecast, cells: int, *, from_history: int) -> str:
    """The forecast in one sentence: what is called, how many tokens, what it costs.

    Args:
        total: Of all calls.
        cells: How many there are, answered ones included.
        from_history: For how many of the calls the output is forecast from earlier answers of the model.
    """
    if not total.calls:
        return f"{counted(cells, 'cell')}: all answered already, nothing to call"
    output = _shown(total.output_tokens, tokens)
    prior = f"a prior of {tokens(LOW_OUTPUT_TOKENS)} to {tokens(HIGH_OUTPUT_TOKENS)} a call"
    basis = "from earlier answers"
    if from_history != total.calls:
        basis = f"for {count(total.calls - from_history)} of them {prior}"
    price = f"; {_shown(total.cost_usd, money)}" if total.calls > total.unpriced else ""
    unknown = f"; no price is known for {counted(total.unpriced, 'call')}" if total.unpriced else ""
    return (
        f"{counted(cells, 'cell')}: {count(cells - total.calls)} answered already, {count(total.calls)} to call; "
        f"about {tokens(total.input_tokens)} input tokens (estimated), {output} output tokens ({basis}){price}{unknown}"
    )


def shutdown_notes(
    models: Sequence[tuple[ModelConfig, Endpoint]],
    listed: ListedShutdowns,
    deprecated: Callable[[ModelConfig, Endpoint], bool],
    *,
    today: datetime.date,
) -> Iterator[str]:
    """One sentence for each model with a shutdown date, or that the published prices call deprecated, without a date."""
    for config, endpoint in models:
        from_endpoint = listed.get((endpoint, config.model))
        day = from_endpoint or config.deprecated_on
        file = f"models/{config.id}.json"
        if day is not None:
            yield f"{file}: {_shutdown(config.model, day, today)}{_correction(from_endpoint, config.deprecated_on)}"
        elif deprecated(config, endpoint):
            yield f"{file}: {config.model} is deprecated by its provider, who gives no date"


def _shutdown(model: str, day: datetime.date, today: datetime.date) -> str:
    left = (day - today).days
    if left <= 0:
        return f"{model} was switched off on {day}: its results can no longer be reproduced"
    return f"{model} is switched off on {day}, in {counted(left, 'day')}; choose another model before then"


def _correction(from_endpoint: datetime.date | None, in_config: datetime.date | None) -> str:
    if from_endpoint is None or from_endpoint == in_config:
        return ""
    stated = f', the config says "{in_config}"' if in_config else ""
    fix = f'set "deprecated_on": "{from_endpoint}" in the config, so that reports show it too'
    return f" (the endpoint says so{stated}: {fix})"


def _shown(found: Range, shown: Callable[[float], str]) -> str:
    return f"{shown(found.expected)} expected ({shown(found.low)} to {shown(found.high)})"
