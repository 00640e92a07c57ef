"""Forecasts and makes the calls of a run, from what is known of its models: prices, history, the length of the texts."""

from collections.abc import Callable, Sequence
from functools import cache

from stages.contracts.params import RuntimeParams
from stages.generate.call import Call
from stages.generate.cost.costing import Costing
from stages.generate.cost.forecast import CallForecast, Spread, forecast_call, output_spread
from stages.generate.cost.tokens import Counter, input_tokens
from stages.generate.plan.cell_plan import PlannedCell
from stages.generate.plan.why_miss import asked

History = Callable[[str], Sequence[tuple[str, int]]]
"""The canonical requests and the output tokens of a model's last answers."""


class Forecaster:
    """Remembers what it worked out, as cells of a run share their prompt, briefs and models.

    Args:
        settings: Time limits and concurrency.
        costing: Prices.
        history: What the ledger knows of a model.
        count: Counts the tokens of a text.
        today: The day whose prices apply, ISO 8601.
    """

    def __init__(
        self, settings: RuntimeParams, costing: Costing, history: History, count: Counter, *, today: str
    ) -> None:
        self._settings = settings
        self._costing = costing
        self._history = history
        self._count = cache(count)
        self._today = today
        self._outputs: dict[str, tuple[Spread, bool]] = {}

    def forecast(self, planned: PlannedCell) -> CallForecast:
        """The forecast of one call for a cell."""
        request = planned.request
        tokens = input_tokens(self._count, request.instructions, request.input)
        batch = self._settings.mode == "batch" and planned.config.provider != "simulated"
        rates = self._costing.expected_rates(planned, day=self._today, input_tokens=tokens, batch=batch)
        output, _ = self._output(planned)
        return forecast_call(tokens, output, planned.config.params.max_output_tokens, rates)

    def known(self, planned: PlannedCell) -> bool:
        """True when the forecast of the output rests on the ledger's history of the model, else on a prior."""
        return self._output(planned)[1]

    def call(self, planned: PlannedCell, draw: int) -> Call:
        """The call for a draw of a cell."""
        request = planned.request
        forecast = self.forecast(planned)
        return Call(
            fingerprint=planned.fingerprints[draw - 1],
            cell=planned.cell,
            round=planned.round_number,
            draw=draw,
            endpoint=request.endpoint,
            model=request.model,
            instructions=request.instructions,
            instructions_sha256=request.instructions_sha256,
            input=request.input,
            settings=request.settings,
            timeout_s=self._timeout_s(planned),
            input_tokens_estimate=forecast.input_tokens,
            output_tokens_upper=forecast.most_output,
            cost_upper_usd=forecast.most_usd,
        )

    def _timeout_s(self, planned: PlannedCell) -> float:
        if planned.config.timeout_s is not None:
            return planned.config.timeout_s
        flex = planned.config.params.service_tier == "flex"
        return self._settings.flex_timeout_s if flex else self._settings.timeout_s

    def _output(self, planned: PlannedCell) -> tuple[Spread, bool]:
        key = planned.config.id
        if key not in self._outputs:
            settings = asked(planned.canonical[0]).settings
            history = self._history(planned.request.model)
            same = [tokens for request, tokens in history if asked(request).settings == settings]
            self._outputs[key] = output_spread(same, planned.config.params.max_output_tokens)
        return self._outputs[key]
