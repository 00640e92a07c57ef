"""Forecasts the tokens and the cost of calls: low, expected, high. An unknown price gives an unknown cost, never 0."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import quantiles

from stages.contracts.json_text import parse
from stages.generate.plan.cells import Call, PlannedCell
from stages.generate.prices import Rates

LOW_OUTPUT_TOKENS, EXPECTED_OUTPUT_TOKENS, HIGH_OUTPUT_TOKENS = 1_500, 4_000, 16_000
"""The prior: output tokens of a draft graph where the ledger has too few answers of the model."""
LEAST_HISTORY = 5
"""Answers that the ledger must have of a model before its history counts."""

History = Callable[[str], Sequence[tuple[str, int]]]
"""The canonical requests and the output tokens of a model's last answers."""


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
    """The tokens of calls, and their cost in US dollars, nothing read from the prompt cache.

    `cost_usd` covers the calls with a known price, `unpriced` counts the others; `from_history` counts the calls whose output is
    forecast from the ledger's history of the model, not from the prior.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: Range = Range()
    cost_usd: Range = Range()
    unpriced: int = 0
    from_history: int = 0

    def __add__(self, other: "Forecast") -> "Forecast":
        return Forecast(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_usd=self.cost_usd + other.cost_usd,
            unpriced=self.unpriced + other.unpriced,
            from_history=self.from_history + other.from_history,
        )


class Forecaster:
    """Forecasts the calls of a run from their prices, the ledger's history, and the length of the texts."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._outputs: dict[str, tuple[Range, bool]] = {}

    def forecast(self, planned: PlannedCell) -> Forecast:
        """The forecast of one call for a cell."""
        model = planned.model
        if model.config.id not in self._outputs:
            history = self._history(model.config.model)
            same = [tokens for request, tokens in history if _settings(request) == model.settings]
            self._outputs[model.config.id] = output_range(same, model.config.params.max_output_tokens)
        output, from_history = self._outputs[model.config.id]
        rates = model.expected_rates(planned.input_tokens)
        return forecast_call(planned.input_tokens, output, rates, from_history=from_history)

    def total(self, calls: Sequence[Call]) -> Forecast:
        """The forecast of all calls together."""
        return sum((self.forecast(call.planned) for call in calls), Forecast())


def output_range(history: Sequence[int], bound: int | None) -> tuple[Range, bool]:
    """The output tokens to expect, and whether they are from history (else from the prior). Never above `bound`.

    From history: the 10th, 50th and 90th percentile of at least `LEAST_HISTORY` answers.
    """
    low, expected, high = float(LOW_OUTPUT_TOKENS), float(EXPECTED_OUTPUT_TOKENS), float(HIGH_OUTPUT_TOKENS)
    known = len(history) >= LEAST_HISTORY
    if known:
        tenths = quantiles(history, n=10, method="inclusive")
        low, expected, high = tenths[0], tenths[4], tenths[8]
    top = math.inf if bound is None else float(bound)
    return Range(min(low, top), min(expected, top), min(high, top)), known


def forecast_call(input_tokens: int, output: Range, rates: Rates | None, *, from_history: bool = False) -> Forecast:
    """The forecast of one call at these prices."""
    low, expected, high = (
        (input_tokens * float(rates.input) + tokens * float(rates.output)) / 1e6 if rates else 0
        for tokens in (output.low, output.expected, output.high)
    )
    return Forecast(
        calls=1,
        input_tokens=input_tokens,
        output_tokens=output,
        cost_usd=Range(low, expected, high),
        unpriced=int(rates is None),
        from_history=int(from_history),
    )


def _settings(canonical_request: str) -> object:
    record = parse(canonical_request)
    return record.get("settings") if isinstance(record, dict) else None
