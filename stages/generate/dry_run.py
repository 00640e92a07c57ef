"""The dry run: which cells are answered, why the others are not, and what calling them costs."""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from stages.generate.forecast import Forecast, Forecaster
from stages.generate.missing import announcement, ledger_to_read, notes_on_settings, simulated_note
from stages.generate.plan.cells import RunPlan
from stages.generate.plan.work import CellState, cell_states
from stages.shared.language.words import LENGTH_THAT_HELPS, says_enough
from stages.shared.present.table import Column, Entry, Raw, Table, make_table
from stages.shared.present.terminal import open_console, show_table, show_text
from stages.shared.records.brief import Brief
from stages.shared.records.json_text import JsonValue, parse
from stages.shared.records.response import Cell
from stages.shared.shell.numbers import count, counted, first_of, money
from stages.shared.shell.text import short_names

NOTHING_STORED = "nothing stored of this model"
DIFFERENCES = {
    "endpoint": "another endpoint",
    "api": "another API",
    "api_version": "another API version",
    "simulation": "another version of the simulation",
    "instructions_sha256": "the prompt changed",
    "input": "the brief is new or changed",
    "round": "another round",
    "sample": "another sample",
    "draw": "another draw",
}
"""What it means that a field of two requests differs."""
MAX_COMPARED_REQUESTS = 100
MAX_LISTED_BRIEFS = 20
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


@dataclass(frozen=True, slots=True)
class DryRunCell:
    """A cell as a dry run shows it: `why` it is not stored, empty where it is, and the forecast of
    its call.
    """

    cell: Cell
    why: str
    forecast: Forecast


def print_dry_run(plan: RunPlan, *, with_cells: bool) -> None:
    """Print a summary by model, the forecast and the notes, and then every cell `with_cells`; calls
    no model and writes nothing, not even a new ledger.
    """
    console = open_console()
    with ledger_to_read(plan) as (ledger, missing):
        stored = StoredRequests(ledger.requests() if missing else [])
        forecaster = Forecaster(ledger.output_tokens)
        states = cell_states(plan.cells, ledger)
        rows = [_cell_row(state, forecaster, stored) for state in states]
        lines = [*reasons_to_call(rows), *announcement(plan, missing, ledger)]
    lines += [*simulated_note(missing), *notes_on_settings(), *unchecked_briefs(plan.briefs)]
    summary = show_table(models_table(rows), console.width)
    console.print(show_text(_heading(plan)), *summary, *map(show_text, lines), sep="\n")
    for table in cell_tables(rows) if with_cells else ():
        console.print("", *show_table(table, console.width), sep="\n")
    if not with_cells:
        console.print("Each cell: --cells")


def _cell_row(state: CellState, forecaster: Forecaster, stored: "StoredRequests") -> DryRunCell:
    cell, call = state.planned.cell, state.following
    if call is None:
        return DryRunCell(cell, "", Forecast())
    why = f"draw {call.draw - 1} is unusable"
    if call.draw == 1:
        why = stored.difference(call.canonical)
    return DryRunCell(cell, why, forecaster.forecast(call))


def _heading(plan: RunPlan) -> str:
    prompt = short_names([plan.prompt.path])[plan.prompt.path]
    models = counted(len(plan.models), "model")
    briefs = counted(len(plan.called.briefs), "brief")
    samples = counted(plan.params.generate.samples, "sample")
    return f"Prompt {prompt}, {models}, {briefs}, {samples}:"


def models_table(rows: Iterable[DryRunCell]) -> Table:
    """A row for each model: its cells, those that are stored and to call, and what that may
    cost.
    """
    table_rows: list[list[Raw]] = []
    for model_id, cells in _by_model(rows):
        missing = sum(bool(cell.why) for cell in cells)
        most = sum((cell.forecast for cell in cells), Forecast())
        table_rows.append([model_id, len(cells), len(cells) - missing, missing, _up_to(most)])
    return make_table(_MODEL_COLUMNS, table_rows)


def reasons_to_call(rows: Iterable[DryRunCell]) -> Iterator[str]:
    """In what the cells to call differ from the stored ones, the commonest first, in a line."""
    reasons = Counter(row.why for row in rows if row.why)
    named = [f"{why} ({count(cells)})" for why, cells in reasons.most_common()]
    if named:
        yield f"why not stored: {first_of(named)}"


def cell_tables(rows: Iterable[DryRunCell]) -> Iterator[Table]:
    """A table of the cells of each model, under its name."""
    for model_id, cells in _by_model(rows):
        table_rows: list[list[Raw]] = []
        for row in cells:
            state = f"to call: {row.why}" if row.why else "stored"
            table_rows.append([row.cell.brief_id, row.cell.sample, state, _up_to(row.forecast)])
        yield make_table(_CELL_COLUMNS, table_rows, title=model_id)


def _by_model(rows: Iterable[DryRunCell]) -> Iterator[tuple[str, list[DryRunCell]]]:
    """The cells of each model, which are in order."""
    for model_id, cells in groupby(rows, key=lambda row: row.cell.model_id):
        yield model_id, list(cells)


def _up_to(forecast: Forecast) -> Raw:
    """The most that calls may cost, US dollars."""
    return Entry("unknown") if forecast.unpriced else forecast.cost_usd.high


def unchecked_briefs(briefs: Iterable[Brief]) -> Iterator[str]:
    """Which briefs have graphs that cannot be checked by their words, and what would help."""
    short = [brief.id for brief in briefs if not says_enough(brief.body)]
    if short:
        named = first_of(short, MAX_LISTED_BRIEFS)
        helpful = f"{LENGTH_THAT_HELPS}, `target`, `options`, `effects`"
        yield f"unchecked, too short to compare words: {named}; would help: {helpful}"


class StoredRequests:
    """The canonical requests of stored answers, to say in what another request differs from the
    most similar one.
    """

    def __init__(self, stored: Iterable[str]) -> None:
        self._by_subject: defaultdict[tuple[JsonValue, ...], deque[Fields]]
        self._by_subject = defaultdict(lambda: deque(maxlen=MAX_COMPARED_REQUESTS))
        for canonical_request in stored:
            request = _fields_of(canonical_request)
            for subject in _subjects_of(request):
                self._by_subject[subject].append(request)

    def difference(self, canonical_request: str) -> str:
        """What differs, joined with " and "; requests of the same model and brief are compared
        first.
        """
        request = _fields_of(canonical_request)
        for subject in _subjects_of(request):
            if subject in self._by_subject:
                similar_requests = self._by_subject[subject]
                differences = [_differences(request, other) for other in similar_requests]
                smallest = min(differences, key=len)
                return " and ".join(smallest)
        return NOTHING_STORED


def _fields_of(canonical_request: str) -> Fields:
    """The fields of a request, each setting as one of them."""
    loaded = parse(canonical_request)
    record = loaded if isinstance(loaded, dict) else {}
    settings = record.pop("settings", None)
    return record | settings if isinstance(settings, dict) else record


def _differences(request: Fields, other: Fields) -> list[str]:
    names = [*DIFFERENCES, *sorted({*request, *other} - DIFFERENCES.keys())]
    differing = [name for name in names if request.get(name) != other.get(name)]
    return [DIFFERENCES.get(name, f"another {name}") for name in differing]


def _subjects_of(request: Fields) -> list[tuple[JsonValue, ...]]:
    """What a request is about, the most similar first: its model and brief, its model."""
    model = request.get("model")
    return [(model, request.get("input")), (model,)]
