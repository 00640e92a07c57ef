"""What a run would do, before anything is called: which answers are stored, why the others are not,
what their calls cost, and notes.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import quantiles

from graph_evaluator.generate.batch.journal import fingerprints_out
from graph_evaluator.generate.ledger.store import Ledger
from graph_evaluator.generate.plan.call import BASE_URL_VARIABLE, Call, address
from graph_evaluator.generate.plan.cells import RunPlan
from graph_evaluator.records.json_text import JsonValue, parse
from graph_evaluator.shell.numbers import count, counted, money

SIMULATED = (
    "simulated models: their results say nothing about real models, and their costs are not charged"
)
EXPECTED_OUTPUT_TOKENS, HIGH_OUTPUT_TOKENS = 4_000, 16_000
"""Output tokens of a draft graph where the ledger has too few answers of the model."""
LEAST_HISTORY = 5
"""Answers that the ledger must have of a model before its history counts."""

NOTHING_STORED = "no stored answer of this model"
NEVER_SENT = "this text of the brief was never sent"
WORDS = {"instructions_sha256": "prompt", "api": "API"}
"""The words for those fields of a request whose names say too little."""
Fields = Mapping[str, JsonValue]


@dataclass(kw_only=True)
class Forecast:
    """The tokens and the cost of calls: expected, and up to how much. Costs are without the
    `unpriced` calls; nothing is charged for the `simulated` ones. The output of the `assumed` ones
    is not forecast from earlier answers, and is `assumed_high` tokens at most.
    """

    calls: int = 0
    assumed: int = 0
    assumed_high: int = 0
    unpriced: int = 0
    simulated: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    high_usd: float = 0.0


def forecast(history: Callable[[Call], Sequence[int]], calls: Sequence[Call]) -> Forecast:
    """The forecast of calls together; those of a model cost what its mean call costs. `history`
    gives the output tokens of a model's last answers at the same settings.
    """
    by_model: defaultdict[str, list[Call]] = defaultdict(list)
    for call in calls:
        by_model[call.cell.model_id].append(call)
    total = Forecast()
    for own in by_model.values():
        number, planned, earlier = len(own), own[0].planned, history(own[0])
        expected, high = output_tokens(earlier, planned.most_output_tokens)
        input_tokens = sum(call.input_tokens for call in own)
        usd = planned.prices.upper_usd(round(input_tokens / number), expected)
        high_usd = planned.prices.upper_usd(round(input_tokens / number), high)
        total.calls += number
        total.simulated += number * planned.endpoint.simulated
        total.input_tokens += input_tokens
        total.output_tokens += number * expected
        if len(earlier) < LEAST_HISTORY:
            total.assumed += number
            total.assumed_high = max(total.assumed_high, high)
        if usd is None or high_usd is None:
            total.unpriced += number
        else:
            total.usd += number * usd
            total.high_usd += number * high_usd
    return total


def output_tokens(history: Sequence[int], bound: int) -> tuple[int, int]:
    """The output tokens to expect, and a number that nine of ten answers do not exceed; neither is
    above `bound`. They are the median and the 90th percentile of at least `LEAST_HISTORY` answers,
    else what is assumed.
    """
    expected, high = EXPECTED_OUTPUT_TOKENS, HIGH_OUTPUT_TOKENS
    if len(history) >= LEAST_HISTORY:
        tenths = quantiles(history, n=10, method="inclusive")
        expected, high = round(tenths[4]), round(tenths[8])
    return min(expected, bound), min(high, bound)


def notes_on_run(plan: RunPlan, missing: Sequence[Call], ledger: Ledger) -> Iterator[str]:
    """Notes on a run, one sentence each: simulated models, an address from a variable, settings
    that are not sent, calls in batches.
    """
    if any(model.endpoint.simulated for model in plan.models):
        yield SIMULATED
    moved = [model for model in plan.models if model.endpoint.url and not model.config.base_url]
    urls = sorted({address(model.endpoint) for model in moved})
    if urls:
        yield f"{BASE_URL_VARIABLE} is set: calls go to {', '.join(urls)}"
    for model in plan.models:
        yield from (f"models/{model.config.id}.json: {warning}" for warning in model.warnings)
    submitted = fingerprints_out(ledger.file.parent)
    ours = submitted.intersection(call.fingerprint for call in missing)
    if ours:
        calls = counted(len(ours), "of these calls is", "of these calls are")
        yield f"{calls} in batches: fetched, not submitted again (--cancel-batches)"
    if len(submitted) > len(ours):
        calls = counted(len(submitted) - len(ours), "call")
        yield f"{calls} of other runs are in open batches: the same settings fetch them"


def cost_line(total: Forecast) -> str:
    """The number of calls, and what they cost."""
    cost = f"{money(total.usd)} expected, up to {money(total.high_usd)}"
    if total.unpriced == total.calls > 0:
        cost = "no price is known"
    elif total.unpriced:
        cost += f", no price is known for {counted(total.unpriced, 'call')}"
    if total.simulated == total.calls > 0:
        cost += " (simulated: nothing is charged)"
    return f"{counted(total.calls, 'call')}, {cost}"


def forecast_line(total: Forecast, cells: int, unusable: int = 0) -> str:
    """The forecast in one sentence: cells, calls, dollars, tokens; `unusable` cells have neither an
    answer nor a call.
    """
    answered = f"{counted(cells, 'answer')}: {count(cells - total.calls - unusable)} stored"
    if not total.calls:
        return f"{answered}; nothing to call"
    basis = "from earlier answers"
    if total.assumed:
        high = f"up to {count(total.assumed_high)} a call"
        basis = f"assumed, for {count(total.assumed)} with too few earlier answers: {high}"
    tokens = (
        f"about {count(total.input_tokens)} input tokens (estimated), "
        f"{count(total.output_tokens)} output tokens ({basis})"
    )
    return f"{answered}; {cost_line(total)}; {tokens}"


def reasons_missing(calls: Iterable[Call], stored: Iterable[str]) -> Iterator[str]:
    """For each call how its request differs from the most similar one of the same model and brief
    among the canonical requests of stored answers.
    """
    by_text: defaultdict[tuple[JsonValue, JsonValue], list[Fields]] = defaultdict(list)
    for request in map(_fields_of, stored):
        by_text[request.get("model"), request.get("input")].append(request)
    models = {model for model, _ in by_text}
    for call in calls:
        request, similar = _fields_of(call.canonical), by_text.get((call.model, call.text))
        if call.draw > 1:
            yield f"redraw: answer {call.draw - 1} has no usable JSON"
        elif call.model not in models:
            yield NOTHING_STORED
        elif similar is None:
            yield NEVER_SENT
        else:
            fewest = min((_differences(request, other) for other in similar), key=len)
            yield " and ".join(fewest)


def _fields_of(canonical_request: str) -> Fields:
    """The fields of a request, each setting as one of them."""
    loaded = parse(canonical_request)
    record = loaded if isinstance(loaded, dict) else {}
    settings = record.pop("settings", None)
    return record | settings if isinstance(settings, dict) else record


def _differences(request: Fields, other: Fields) -> list[str]:
    names = sorted({*request, *other})
    differing = [name for name in names if request.get(name) != other.get(name)]
    return [f"another {WORDS.get(name, name.replace('_', ' '))}" for name in differing]
