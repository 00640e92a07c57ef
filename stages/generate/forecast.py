"""The forecast of a run's calls (low, expected, high), and what is to be noted before anything is
called.
"""

import datetime
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from statistics import quantiles

from pydantic import ValidationError

from stages.generate.plan.call import Call
from stages.generate.plan.endpoint import BASE_URL_VARIABLE, address
from stages.generate.plan.models import PlannedModel, outside_strict_subset
from stages.generate.prices import Rates, deviation
from stages.shared.records import yaml_text
from stages.shared.records.json_text import parse
from stages.shared.records.params import Params
from stages.shared.shell.numbers import count, counted, money
from stages.shared.shell.paths import DRAFT_SCHEMA
from stages.shared.shell.text import visible

SIMULATED = (
    "simulated models: their results say nothing about real models, and their costs are not charged"
)
LOW_OUTPUT_TOKENS, EXPECTED_OUTPUT_TOKENS, HIGH_OUTPUT_TOKENS = 1_500, 4_000, 16_000
"""Output tokens of a draft graph where the ledger has too few answers of the model."""
LEAST_HISTORY = 5
"""Answers that the ledger must have of a model before its history counts."""


@dataclass(frozen=True, slots=True)
class Range:
    """A quantity that is not known yet: low, expected and high."""

    low: float = 0
    expected: float = 0
    high: float = 0

    def __add__(self, other: "Range") -> "Range":
        return Range(self.low + other.low, self.expected + other.expected, self.high + other.high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """The tokens and the cost of calls, nothing read from the prompt cache.

    `cost_usd` is without the `unpriced` calls; `from_history` counts those whose output is forecast
    from earlier answers of the model.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: Range = Range()
    cost_usd: Range = Range()
    unpriced: int = 0
    from_history: int = 0

    def __add__(self, other: "Forecast") -> "Forecast":
        names = [field.name for field in fields(self)]
        return Forecast(**{name: getattr(self, name) + getattr(other, name) for name in names})


class Forecaster:
    """Forecasts calls; `history` gives the canonical requests and the output tokens of a model's
    last answers.
    """

    def __init__(self, history: Callable[[str], Sequence[tuple[str, int]]]) -> None:
        self._history = history
        self._outputs: dict[str, tuple[Range, bool]] = {}

    def forecast(self, call: Call) -> Forecast:
        """The forecast of one call."""
        model_id, input_tokens = call.cell.model_id, call.input_tokens
        if model_id not in self._outputs:
            history = self._history(call.model)
            same = [tokens for request, tokens in history if _settings(request) == call.settings]
            self._outputs[model_id] = output_range(same, call.most_output_tokens)
        output, from_history = self._outputs[model_id]
        rates = call.prices.expected_rates(input_tokens)
        return Forecast(
            calls=1,
            input_tokens=input_tokens,
            output_tokens=output,
            cost_usd=cost_range(input_tokens, output, rates) if rates else Range(),
            unpriced=int(rates is None),
            from_history=int(from_history),
        )

    def total(self, calls: Sequence[Call]) -> Forecast:
        """The forecast of all calls together."""
        return sum((self.forecast(call) for call in calls), Forecast())


def output_range(history: Sequence[int], bound: int) -> tuple[Range, bool]:
    """The output tokens to expect, and whether they are from history (else assumed). Never
    above `bound`.

    From history: the 10th, 50th and 90th percentile of at least `LEAST_HISTORY` answers.
    """
    percentiles: list[float] = [LOW_OUTPUT_TOKENS, EXPECTED_OUTPUT_TOKENS, HIGH_OUTPUT_TOKENS]
    from_history = len(history) >= LEAST_HISTORY
    if from_history:
        percentiles = quantiles(history, n=10, method="inclusive")[::4]
    low, expected, high = (min(tokens, bound) for tokens in percentiles)
    return Range(low, expected, high), from_history


def cost_range(input_tokens: int, output: Range, rates: Rates) -> Range:
    """What a call costs at these prices, US dollars."""
    input_usd = input_tokens * float(rates["input"]) / 1e6
    return Range(
        *(
            input_usd + tokens * float(rates["output"]) / 1e6
            for tokens in (output.low, output.expected, output.high)
        )
    )


def _settings(canonical_request: str) -> object:
    record = parse(canonical_request)
    return record.get("settings") if isinstance(record, dict) else None


def notes_on_models(models: Sequence[PlannedModel]) -> Iterator[str]:
    """Where calls go that a variable directs, prices that differ from the published ones, what is
    not sent, which models are switched off, and a schema that is not strict.
    """
    moved = [model for model in models if model.endpoint.url and not model.config.base_url]
    urls = sorted({address(model.endpoint) for model in moved})
    if urls:
        yield f"{BASE_URL_VARIABLE} is set: calls go to {', '.join(urls)}"
    for model in models:
        config, prices = model.config, model.prices
        difference = deviation(config, prices.published, day=prices.today.isoformat())
        notes = [difference] if difference else []
        notes += [f"models/{config.id}.json: {warning}" for warning in model.warnings]
        if config.deprecated_on is not None:
            note = shutdown_note(config.deprecated_on, prices.today)
            notes.append(f"models/{config.id}.json: {config.model} {note}")
        yield from notes
    schema = next((model.schema for model in models if model.schema is not None), None)
    place = outside_strict_subset(schema)
    if place is not None:
        yield (
            f"{DRAFT_SCHEMA} is outside the strict subset at {place}: it is sent with strict "
            "false, and answers need not follow it"
        )


def cost_line(total: Forecast) -> str:
    """So many calls, and what they cost."""
    return f"{counted(total.calls, 'call')}, {_show_range(total.cost_usd, money)}"


def forecast_line(total: Forecast, cells: int) -> str:
    """The forecast in one sentence: cells, calls, dollars, tokens."""
    if not total.calls:
        return f"{counted(cells, 'cell')}: all answered already, nothing to call"
    answered = count(cells - total.calls)
    costs: list[str] = []
    if total.calls > total.unpriced:
        costs.append(_show_range(total.cost_usd, money))
    if total.unpriced:
        costs.append(f"no price is known for {counted(total.unpriced, 'call')}")
    basis = "from earlier answers"
    assumed = total.calls - total.from_history
    if assumed:
        span = f"{count(LOW_OUTPUT_TOKENS)} to {count(HIGH_OUTPUT_TOKENS)} a call"
        within = f"{span}, within max_output_tokens"
        basis = f"assumed: {within}, for {count(assumed)} with too few earlier answers"
    return (
        f"{counted(cells, 'cell')}: {answered} answered already, {count(total.calls)} to call: "
        f"{', '.join(costs)}; about {count(total.input_tokens)} input tokens (estimated), "
        f"{_show_range(total.output_tokens, count)} output tokens ({basis})"
    )


def changed_settings(params: Params, committed: str | None) -> list[str]:
    """The settings of a run that differ from those of the last commit, `committed`, each with both
    values; none without a last commit.
    """
    try:
        before = _settings_of_run(Params.model_validate(yaml_text.parse(committed or "")))
    except (yaml_text.NotYaml, ValidationError):
        return []
    now = _settings_of_run(params)
    return [
        f"{name} {visible(now[name])} (was {visible(before[name])})"
        for name in now
        if now[name] != before[name]
    ]


def _settings_of_run(params: Params) -> dict[str, str]:
    listed = {"models": f"[{', '.join(params.models)}]", "briefs": f"[{', '.join(params.briefs)}]"}
    chosen = {"prompt": params.prompt, **listed}
    return chosen | {
        f"generate.{name}": str(value) for name, value in params.generate.model_dump().items()
    }


def shutdown_note(day: datetime.date, today: datetime.date) -> str:
    """What is said of a model that is switched off on a day."""
    days_left = (day - today).days
    if days_left <= 0:
        return f"was switched off on {day}: its results can no longer be reproduced"
    left = counted(days_left, "day")
    return f"is switched off on {day}, in {left}; choose another model before then"


def _show_range(numbers: Range, show: Callable[[float], str]) -> str:
    return f"{show(numbers.expected)} expected ({show(numbers.low)} to {show(numbers.high)})"
