"""Forecasts the tokens and the cost of calls: low, expected, high. An unknown price gives an unknown cost, never 0."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import quantiles

from stages.contracts.json_text import parse
from stages.contracts.params import RuntimeParams
from stages.generate.plan.cells import Call, PlannedCell
from stages.generate.plan.endpoint import is_loopback
from stages.generate.prices import Prices, Rates

LOW_OUTPUT_TOKENS, EXPECTED_OUTPUT_TOKENS, HIGH_OUTPUT_TOKENS = 1_500, 4_000, 16_000
"""The prior: output tokens of a draft graph where the ledger has too few answers of the model."""
UNBOUNDED_OUTPUT_TOKENS = 128_000
"""The most that a model may write when its config does not bound it."""
LEAST_HISTORY = 5
"""Answers that the ledger must have of a model before its history counts."""
MESSAGE_TOKENS = 8
"""What the two messages of a request add to their texts."""

History = Callable[[str], Sequence[tuple[str, int]]]
"""The canonical requests and the output tokens of a model's last answers."""


@dataclass(frozen=True, slots=True)
class Range:
    """A quantity that is not known yet: low, expected and high."""

    low: float
    expected: float
    high: float


@dataclass(frozen=True, slots=True)
class CallForecast:
    """One call: its tokens, and its cost in US dollars (None when no price is known).

    Attributes:
        most_output: The config's `max_output_tokens`, else the most that a model may write.
        most_usd: The cost at that bound with nothing read from the cache: what the budget sets aside.
    """

    input_tokens: int
    output_tokens: Range
    most_output: int
    cost_usd: Range | None = None
    most_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalForecast:
    """Many calls together. `cost_usd` covers the calls with a known price; `unpriced` counts the others."""

    calls: int
    input_tokens: int
    output_tokens: Range
    cost_usd: Range
    unpriced: int


class Forecaster:
    """Forecasts the calls of a run from the prices of a day (ISO 8601), the ledger's history, and the length of the texts."""

    def __init__(self, settings: RuntimeParams, prices: Prices, history: History, *, today: str) -> None:
        self._settings = settings
        self._prices = prices
        self._history = history
        self._today = today
        self._outputs: dict[str, tuple[Range, bool]] = {}

    def forecast(self, planned: PlannedCell) -> CallForecast:
        """The forecast of one call for a cell."""
        request = planned.request
        tokens = estimated_tokens(request.instructions) + estimated_tokens(request.input) + MESSAGE_TOKENS
        batch = self._settings.mode == "batch" and planned.config.provider != "simulated"
        rates = self._prices.expected_rates(planned, day=self._today, input_tokens=tokens, batch=batch)
        return forecast_call(tokens, self._output(planned)[0], planned.config.params.max_output_tokens, rates)

    def costs_money(self, planned: PlannedCell) -> bool:
        """False for a simulated model, at a price of 0, and on this machine where no price is known."""
        endpoint = planned.request.endpoint
        if endpoint.provider == "simulated":
            return False
        most_usd = self.forecast(planned).most_usd
        return not is_loopback(endpoint) if most_usd is None else most_usd > 0

    def from_history(self, planned: PlannedCell) -> bool:
        """True when the forecast of the output is from the ledger's history of the model, else from the prior."""
        return self._output(planned)[1]

    def call(self, planned: PlannedCell, draw: int) -> Call:
        """The call for a draw of a cell."""
        forecast = self.forecast(planned)
        flex = planned.config.params.service_tier == "flex"
        return Call(
            planned=planned,
            draw=draw,
            timeout_s=planned.config.timeout_s or (self._settings.flex_timeout_s if flex else self._settings.timeout_s),
            input_tokens=forecast.input_tokens,
            output_tokens=forecast.most_output,
            cost_upper_usd=forecast.most_usd,
        )

    def _output(self, planned: PlannedCell) -> tuple[Range, bool]:
        key = planned.config.id
        if key not in self._outputs:
            settings = _settings(planned.canonical(1))
            history = self._history(planned.request.model)
            same = [tokens for request, tokens in history if _settings(request) == settings]
            self._outputs[key] = output_range(same, planned.config.params.max_output_tokens)
        return self._outputs[key]


@cache
def estimated_tokens(text: str) -> int:
    """About how many tokens a text has, rather too many than too few; 0 for no text.

    A token is about four characters of ASCII, and one character in other scripts.

    >>> estimated_tokens("a short sentence"), estimated_tokens("短い文")
    (4, 3)
    """
    ascii_only = len(text.encode("ascii", "ignore"))
    return math.ceil(ascii_only / 4) + len(text) - ascii_only


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


def forecast_call(input_tokens: int, output: Range, bound: int | None, rates: Rates | None) -> CallForecast:
    """The forecast of one call at these prices, nothing read from the prompt cache."""
    most_output = UNBOUNDED_OUTPUT_TOKENS if bound is None else bound
    if rates is None:
        return CallForecast(input_tokens, output, most_output)
    into, out = float(rates.input), float(rates.output)
    low, expected, high = (
        (input_tokens * into + tokens * out) / 1e6 for tokens in (output.low, output.expected, output.high)
    )
    dearest = max(into, float(rates.cache_write or 0))
    most_usd = (input_tokens * dearest + most_output * out) / 1e6
    return CallForecast(input_tokens, output, most_output, Range(low, expected, high), most_usd)


def total_of(calls: Sequence[CallForecast]) -> TotalForecast:
    """The sum over calls; zeros when there are none."""
    priced = [call.cost_usd for call in calls if call.cost_usd is not None]
    return TotalForecast(
        calls=len(calls),
        input_tokens=sum(call.input_tokens for call in calls),
        output_tokens=_sum([call.output_tokens for call in calls]),
        cost_usd=_sum(priced),
        unpriced=len(calls) - len(priced),
    )


def _sum(ranges: Sequence[Range]) -> Range:
    return Range(sum(one.low for one in ranges), sum(one.expected for one in ranges), sum(one.high for one in ranges))


def _settings(canonical_request: str) -> object:
    record = parse(canonical_request)
    return record.get("settings") if isinstance(record, dict) else None
