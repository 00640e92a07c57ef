"""The dry run: which cells are answered, why the others are not, and what calling them costs."""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from rich.console import Console
from rich.text import Text

from stages.generate.forecast import Forecast, Forecaster
from stages.generate.missing import announce, ledger_to_read, note_on_settings
from stages.generate.plan.cells import RunPlan
from stages.generate.plan.work import CellState, cell_states
from stages.shared.language.words import LENGTH_THAT_HELPS, says_enough
from stages.shared.present.table import Column, Entry, Raw, Table, make_table
from stages.shared.present.terminal import open_console, show_table
from stages.shared.records.brief import Brief
from stages.shared.records.json_text import JsonValue, parse
from stages.shared.shell.numbers import count, counted, first_of, money
from stages.shared.shell.text import short_names

NOTHING_STORED = "nothing stored"
FIELDS = ("endpoint", "api", "api_version", "simulation", "model", "prompt", "brief", "round",
          "sample", "draw")  # fmt: skip
"""The fields of a request besides its settings, under the names that people set them by."""
_KEYS = {"prompt": "instructions_sha256", "brief": "input"}
MAX_COMPARED_REQUESTS = 100
MAX_LISTED_BRIEFS = 20
Subject = tuple[JsonValue, JsonValue]
"""Model and brief of a request; None stands for any."""


@dataclass(frozen=True, slots=True)
class DryRunCell:
    """A cell as a dry run shows it: `why` it is not stored, empty where it is, and the forecast of
    its call.
    """

    model_id: str
    brief_id: str
    sample: int
    why: str
    forecast: Forecast

    @property
    def state(self) -> str:
        """Whether it is stored, and else why not."""
        return f"to call: {self.why}" if self.why else "stored"


def print_dry_run(plan: RunPlan, *, with_cells: bool) -> None:
    """Print a summary by model, the forecast and the notes, and then every cell `with_cells`; calls
    no model and writes nothing, not even a new ledger.
    """
    console = open_console()
    say = partial(_print_line, console)
    with ledger_to_read(plan) as (ledger, missing):
        stored = StoredRequests(ledger.requests() if missing else [])
        forecaster = Forecaster(ledger.output_tokens)
        states = cell_states(plan.cells, ledger)
        rows = [_cell_row(state, forecaster, stored) for state in states]
        say(_heading(plan))
        console.print(*show_table(models_table(rows), console.width))
        for line in reasons_to_call(rows):
            say(line)
        announce(plan, missing, ledger, say)
        note_on_settings(say)
        for line in unchecked_briefs(plan.briefs):
            say(line)
    for table in cell_tables(rows) if with_cells else ():
        console.print("", *show_table(table, console.width), sep="\n")
    if not with_cells:
        say("Each cell: --cells")


def _print_line(console: Console, line: str) -> None:
    """Print a line, on a terminal broken between words."""
    console.print(Text(line), soft_wrap=not console.is_terminal)


def _cell_row(state: CellState, forecaster: Forecaster, stored: "StoredRequests") -> DryRunCell:
    cell, call = state.planned.cell, state.following
    if call is None:
        return DryRunCell(cell.model_id, cell.brief_id, cell.sample, "", Forecast())
    why = f"draw {call.draw}" if call.draw > 1 else stored.difference(call.canonical)
    return DryRunCell(cell.model_id, cell.brief_id, cell.sample, why, forecaster.forecast(call))


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
    columns = [
        Column("model", code=True),
        Column("cells", count),
        Column("stored", count),
        Column("calls", count),
        Column("up to", money),
    ]
    table_rows: list[list[Raw]] = []
    for model_id, cells in _by_model(rows).items():
        missing = sum(bool(cell.why) for cell in cells)
        most = sum((cell.forecast for cell in cells), Forecast())
        table_rows.append([model_id, len(cells), len(cells) - missing, missing, _up_to(most)])
    return make_table(columns, table_rows)


def reasons_to_call(rows: Iterable[DryRunCell]) -> Iterator[str]:
    """In what the cells to call differ from the stored ones, the commonest first, in a line."""
    reasons = Counter(row.why for row in rows if row.why)
    named = [f"{why} ({count(cells)})" for why, cells in reasons.most_common()]
    if named:
        yield f"why not stored: {first_of(named)}"


def cell_tables(rows: Iterable[DryRunCell]) -> Iterator[Table]:
    """A table of the cells of each model, under its name."""
    columns = [
        Column("brief", code=True),
        Column("sample", count),
        Column("state", code=True),
        Column("up to", money),
    ]
    for model_id, cells in _by_model(rows).items():
        table_rows = [
            [cell.brief_id, cell.sample, cell.state, _up_to(cell.forecast)] for cell in cells
        ]
        yield make_table(columns, table_rows, title=model_id)


def _by_model(rows: Iterable[DryRunCell]) -> dict[str, list[DryRunCell]]:
    cells_by_model: defaultdict[str, list[DryRunCell]] = defaultdict(list)
    for row in rows:
        cells_by_model[row.model_id].append(row)
    return cells_by_model


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
    """The canonical requests of stored answers, to say in which fields another request differs from
    the most similar one.
    """

    def __init__(self, stored: Iterable[str]) -> None:
        self._by_subject: dict[Subject, deque[dict[str, JsonValue]]]
        self._by_subject = defaultdict(lambda: deque(maxlen=MAX_COMPARED_REQUESTS))
        for canonical_request in stored:
            request = _fields_of(canonical_request)
            if request["model"]:  # an adopted answer may lack its request
                for subject in _subjects_of(request):
                    self._by_subject[subject].append(request)

    def difference(self, canonical_request: str) -> str:
        """The names of the fields that differ, joined with " and "; requests of the same model and
        brief are compared first.
        """
        request = _fields_of(canonical_request)
        for subject in _subjects_of(request):
            if subject in self._by_subject:
                similar_requests = self._by_subject[subject]
                differences = [_differing_names(request, other) for other in similar_requests]
                smallest = min(differences, key=len)
                return " and ".join(smallest)
        return NOTHING_STORED


def _fields_of(canonical_request: str) -> dict[str, JsonValue]:
    """The fields of a request, each setting as one of them."""
    loaded = parse(canonical_request)
    record = loaded if isinstance(loaded, dict) else {}
    fields = {name: record.get(_KEYS.get(name, name)) for name in FIELDS}
    settings = record.get("settings")
    if isinstance(settings, dict):
        fields |= {f"settings.{name}": value for name, value in settings.items()}
    return fields


def _differing_names(request: dict[str, JsonValue], other: dict[str, JsonValue]) -> list[str]:
    return [name for name in request | other if request.get(name) != other.get(name)]


def _subjects_of(request: dict[str, JsonValue]) -> list[Subject]:
    """What a request is about, the most similar first."""
    model, brief = request["model"], request["brief"]
    return [(model, brief), (None, brief), (model, None), (None, None)]
