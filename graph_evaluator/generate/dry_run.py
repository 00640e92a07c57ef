"""The dry run: which answers are stored, why the others are not, and what their calls cost."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from itertools import groupby

from graph_evaluator.generate.fetching import open_fetcher
from graph_evaluator.generate.forecast import Forecast
from graph_evaluator.generate.plan.call import Call
from graph_evaluator.generate.plan.cells import RunPlan
from graph_evaluator.present.table import Column, Entry, Raw, Table, make_table
from graph_evaluator.present.terminal import open_console, show_table, show_text
from graph_evaluator.records.json_text import JsonValue, parse
from graph_evaluator.shell.numbers import count, counted, first_of, money

NOTHING_STORED = "no stored answer of this model"
NEVER_SENT = "this text of the brief was never sent"
WORDS = {"instructions_sha256": "prompt", "api": "API"}
"""The words for those fields of a request whose names say too little."""
Fields = Mapping[str, JsonValue]
_MODEL_COLUMNS = (
    Column("model", code=True),
    Column("answers", count),
    Column("stored", count),
    Column("calls", count),
    Column("up to", money),
)


def print_dry_run(plan: RunPlan, variables: Mapping[str, str]) -> None:
    """Print a summary by model, the forecast and the notes. Calls no model and writes nothing, not
    even a new ledger.
    """
    console = open_console()
    with open_fetcher(plan, variables, read_only=True) as fetcher:
        missing = fetcher.missing()
        stored = StoredRequests(fetcher.ledger.requests() if missing else ())
        reasons = {call.fingerprint: stored.why_missing(call) for call in missing}
        lines = fetcher.announcement(missing)
        table = summary_table(plan, reasons, fetcher.forecast, fetcher.unusable.keys())
    shown = [show_text(line, console.width) for line in lines]
    console.print(*show_table(table, console.width), *shown, sep="\n")


Reasons = Mapping[str, str]
"""Why calls are to be made, by fingerprint."""
ForecastCalls = Callable[[Sequence[Call]], Forecast]


def summary_table(
    plan: RunPlan, reasons: Reasons, forecast: ForecastCalls, unusable: Set[str] = frozenset()
) -> Table:
    """A row for each model: its cells, the stored ones, and what the others may cost. Calls with
    `unusable` fingerprints are left out: their replies were paid for and cannot be used.
    """
    rows: list[list[Raw]] = []
    counts = Counter[str]()
    for model_id, of_model in groupby(plan.cells, key=lambda planned: planned.cell.model_id):
        cells = list(of_model)
        calls = [call for cell in cells for call in cell.calls if call.fingerprint in reasons]
        counts.update(reasons[call.fingerprint] for call in calls)
        paid = [planned for planned in cells if unusable & {*planned.fingerprints}]
        stored = len(cells) - len(calls) - len(paid)
        rows.append([model_id, len(cells), stored, len(calls), _up_to(forecast(calls))])
    briefs = counted(len(plan.briefs), "brief")
    samples = counted(plan.params.generate.samples, "sample")
    title = f"Prompt {plan.prompt.path}, {briefs}, {samples}"
    named = [f"{why} ({count(number)})" for why, number in counts.most_common()]
    notes = [f"why answers are missing: {first_of(named)}"] if named else []
    return make_table(_MODEL_COLUMNS, rows, title=title, notes=notes)


def _up_to(total: Forecast) -> Raw:
    """The most that calls may cost, US dollars."""
    return Entry("unknown") if total.unpriced else total.high_usd


class StoredRequests:
    """The canonical requests of stored answers. They show how another request differs from the
    most similar stored one.
    """

    def __init__(self, stored: Iterable[str]) -> None:
        self._by_text: defaultdict[tuple[JsonValue, JsonValue], list[Fields]] = defaultdict(list)
        for canonical_request in stored:
            request = _fields_of(canonical_request)
            self._by_text[request.get("model"), request.get("input")].append(request)
        self._models = {model for model, _ in self._by_text}

    def why_missing(self, call: Call) -> str:
        """How the request of a call differs from the most similar one of the same model and
        brief.
        """
        if call.draw > 1:
            return f"redraw: answer {call.draw - 1} has no usable JSON"
        if call.model not in self._models:
            return NOTHING_STORED
        if (call.model, call.text) not in self._by_text:
            return NEVER_SENT
        request = _fields_of(call.canonical)
        similar = self._by_text[call.model, call.text]
        fewest = min((_differences(request, other) for other in similar), key=len)
        return " and ".join(fewest)


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
