"""What a run says before it calls anything: the forecast, and what should be known about its models."""

import datetime
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from pydantic import ValidationError

from stages.contracts import yaml_text
from stages.contracts.model_config import ModelConfig
from stages.contracts.params import Params
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
from stages.shell.paths import DRAFT_SCHEMA, PARAMS
from stages.shell.text import visible

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
    committed: str | None,
    today: datetime.date,
) -> list[str]:
    """The forecast and the notes, one sentence each.

    Args:
        plan: The run.
        needed: What is to be called.
        forecaster: Of the calls.
        prices: Of the models.
        in_batches: The fingerprints of calls that earlier runs submitted in batches and nobody has fetched.
        listed: When models are switched off, where their endpoints say so.
        committed: The text of `params.yaml` in the last commit; None when there is none.
        today: The day from which "in n days" counts, and whose prices apply.
    """
    forecasts = [forecaster.forecast(planned) for planned, _ in needed]
    from_history = sum(forecaster.from_history(planned) for planned, _ in needed)
    urls = {address(endpoint) for config, endpoint in plan.models if endpoint.url and not config.base_url}
    notes: list[str] = []
    if changed := changed_settings(plan.params, committed):
        notes.append(f"not as in the last commit: {', '.join(changed)}; `git checkout {PARAMS}` goes back")
    if urls:
        notes.append(f"{BASE_URL_VARIABLE} is set: calls go to {', '.join(sorted(urls))}")
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
    """The forecast in one sentence: cells, calls, dollars, tokens; the output of `from_history` calls is forecast from earlier answers."""
    if not total.calls:
        return f"{counted(cells, 'cell')}: all answered already, nothing to call"
    prices = [_shown(total.cost_usd, money)] if total.calls > total.unpriced else []
    prices += [f"no price is known for {counted(total.unpriced, 'call')}"] if total.unpriced else []
    prior = f"a prior of {tokens(LOW_OUTPUT_TOKENS)} to {tokens(HIGH_OUTPUT_TOKENS)} a call"
    basis = "from earlier answers"
    if from_history != total.calls:
        basis = f"for {count(total.calls - from_history)} of them {prior}"
    return (
        f"{counted(cells, 'cell')}: {count(cells - total.calls)} answered already, {count(total.calls)} to call: "
        f"{', '.join(prices)}; about {tokens(total.input_tokens)} input tokens (estimated), "
        f"{_shown(total.output_tokens, tokens)} output tokens ({basis})"
    )


def changed_settings(params: Params, committed: str | None) -> list[str]:
    """The settings of a run that differ from those of the last commit, each with both values; none without a last commit."""
    try:
        before = _settings_of_run(Params.model_validate(yaml_text.parse(committed or "")))
    except (yaml_text.NotYaml, ValidationError):
        return []
    now = _settings_of_run(params)
    return [f"{name} {visible(now[name])} (was {visible(before[name])})" for name in now if now[name] != before[name]]


def _settings_of_run(params: Params) -> dict[str, str]:
    chosen = {
        "prompt": params.prompt,
        "models": f"[{', '.join(params.models)}]",
        "briefs": f"[{', '.join(params.briefs)}]",
    }
    return chosen | {f"generate.{name}": str(value) for name, value in params.generate.model_dump().items()}


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
