"""The dry run: which cells are answered, why the others are not, and what calling them costs."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby

from graph_evaluator.generate.calls.budget import Budget
from graph_evaluator.generate.fetching import Fetcher, open_ledger
from graph_evaluator.generate.forecast import Forecast, announcement
from graph_evaluator.generate.plan.call import Call
from graph_evaluator.generate.plan.cells import PlannedCell, RunPlan, cells_with_answers
from graph_evaluator.present.table import Column, Entry, Raw, Table, make_table
from graph_evaluator.present.terminal import open_console, show_table, show_text
from graph_evaluator.records.json_text import JsonValue, parse
from graph_evaluator.shell.numbers import count, counted, first_of, money

NOTHING_STORED = "nothing stored of this model"
WORDS = {"instructions_sha256": "prompt", "input": "brief", "api": "API"}
"""The words for those fields of a request whose names say too little."""
Fields = Mapping[str, JsonValue]
_MODEL_COLUMNS = (
    Column("model", code=True),
    Column("cells", count),
    Column("stored", count),
    Column("calls", count),
    Column("up to", money),
)
_CELL_COLUMNS = (
    Column("brief", code=True),
    Column("sample", count),
    Column("state", code=True),
    Column("up to", money),
)


def print_dry_run(plan: RunPlan, variables: Mapping[str, str], *, with_cells: bool) -> None:
    """Print a summary by model, the forecast and the notes, and then every cell `with_cells`; calls
    no model and writes nothing, not even a new ledger.
    """
    console = open_console()
    with open_ledger(plan, read_only=True) as ledger:
        fetcher = Fetcher(plan=plan, ledger=ledger, variables=variables, budget=Budget(None))
        missing = fetcher.missing()
        stored = StoredRequests(row["request"] for row in (ledger.rows() if missing else ()))
        cells = cells_with_answers(plan.cells, ledger.read)
        summary, *of_models = tables_of(plan, cells, stored, fetcher.forecast)
        lines = announcement(plan, missing, fetcher.forecast(missing), ledger)
    console.print(*show_table(summary, console.width), *map(show_text, lines), sep="\n")
    for table in of_models if with_cells else ():
        console.print("", *show_table(table, console.width), sep="\n")
    if not with_cells:
        console.print("Each cell: --cells")


def tables_of(
    plan: RunPlan,
    cells: Iterable[PlannedCell],
    stored: "StoredRequests",
    forecast: Callable[[Sequence[Call]], Forecast],
) -> list[Table]:
    """A table with a row for each model, and one for each model with its cells."""

    def up_to(calls: Sequence[Call]) -> Raw:
        """The most that calls may cost, US dollars."""
        total = forecast(calls)
        return Entry("unknown") if total.unpriced else total.high_usd

    rows: list[list[Raw]] = []
    tables: list[Table] = []
    reasons = Counter[str]()
    for model_id, of_model in groupby(cells, key=lambda planned: planned.cell.model_id):
        calls: list[Call] = []
        cell_rows: list[list[Raw]] = []
        for planned in of_model:
            cell, call = planned.cell, planned.next_call
            if call is None:
                cell_rows.append([cell.brief_id, cell.sample, "stored", 0])
                continue
            calls.append(call)
            why = stored.why_missing(call)
            reasons[why] += 1
            cell_rows.append([cell.brief_id, cell.sample, f"to call: {why}", up_to([call])])
        present = len(cell_rows) - len(calls)
        rows.append([model_id, len(cell_rows), present, len(calls), up_to(calls)])
        tables.append(make_table(_CELL_COLUMNS, cell_rows, title=model_id))
    briefs = counted(len(plan.briefs), "brief")
    samples = counted(plan.params.generate.samples, "sample")
    title = f"Prompt {plan.prompt.path}, {briefs}, {samples}"
    named = [f"{why} ({count(number)})" for why, number in reasons.most_common()]
    notes = [f"why not stored: {first_of(named)}"] if named else []
    return [make_table(_MODEL_COLUMNS, rows, title=title, notes=notes), *tables]


class StoredRequests:
    """The canonical requests of stored answers, to say in what another request differs from the
    most similar one.
    """

    def __init__(self, stored: Iterable[str]) -> None:
        self._by_brief: defaultdict[str, list[Fields]] = defaultdict(list)
        self._last: dict[tuple[JsonValue, JsonValue], Fields] = {}
        for canonical_request in stored:
            request = _fields_of(canonical_request)
            self._by_brief[f"{request.get('model')} {request.get('input')}"].append(request)
            prompt = request.get("instructions_sha256")
            self._last[request.get("model"), prompt] = request
            self._last[request.get("model"), None] = request

    def why_missing(self, call: Call) -> str:
        """In what the request of a call differs, joined with " and "; from those of the same model
        and brief, else from the last one of the model, with the same prompt if there is one.
        """
        if call.draw > 1:
            return f"draw {call.draw - 1} is unusable"
        last = self._last.get((call.model, None))
        if last is None:
            return NOTHING_STORED
        request = _fields_of(call.canonical)
        last = self._last.get((call.model, call.prompt.sha256), last)
        similar = self._by_brief.get(f"{call.model} {call.text}", [last])
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
