"""The dry run: every cell, whether it is answered, why not, and what calling it would cost.
Importing it imports the SDK.
"""

import asyncio
import datetime
import sys
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping

from rich.console import Console
from rich.table import Table

from stages.contracts.brief import Brief
from stages.contracts.json_text import JsonValue, parse
from stages.generate.calls.client import EndpointClient
from stages.generate.calls.faults import CallFailed
from stages.generate.forecast import Forecast, Forecaster, ListedShutdowns, Range
from stages.generate.missing import announce, ledger_to_read
from stages.generate.plan.call import Call
from stages.generate.plan.cells import RunPlan
from stages.generate.plan.endpoint import Endpoint, is_loopback
from stages.generate.plan.work import CellState, cell_states
from stages.language.words import LENGTH_THAT_HELPS, says_enough
from stages.shell.numbers import count, counted, money

NOTHING_STORED = "nothing stored"
FIELDS = ("endpoint", "api", "api_version", "simulation", "model", "prompt", "brief", "round",
          "sample", "draw", "repair")  # fmt: skip
"""The fields of a request besides its settings, under the names that people set them by."""
_KEYS = {"prompt": "instructions_sha256", "brief": "input"}
MAX_COMPARED_REQUESTS = 100
MAX_LISTED_BRIEFS = 20
LISTING_DEADLINE_S = 5.0
Subject = tuple[JsonValue, JsonValue]
"""Model and brief of a request; None stands for any."""


def print_dry_run(plan: RunPlan, variables: Mapping[str, str]) -> None:
    """Print every cell and the forecast; calls no model and writes nothing, not even a new
    ledger.
    """
    with ledger_to_read(plan) as (ledger, missing):
        stored = StoredRequests(ledger.requests() if missing else [])
        states = cell_states(plan.cells, ledger)
        table = _cell_table(states, Forecaster(ledger.output_tokens), stored)
        console = Console(width=None if sys.stdout.isatty() else 200, highlight=False)
        console.print(table)
        listed = shutdown_days({model.endpoint for model in plan.models}, variables)
        announce(plan, missing, ledger, print, listed=listed)
        for line in unchecked_briefs(plan.briefs):
            console.print(line, soft_wrap=True)


def unchecked_briefs(briefs: Iterable[Brief]) -> Iterator[str]:
    """Which briefs have graphs that cannot be checked by their words, and what would help."""
    short = [brief for brief in briefs if not says_enough(brief.body)]
    if short:
        yield f"unchecked: the graphs of {counted(len(short), 'brief')}, too short to compare words"
    for brief in short[:MAX_LISTED_BRIEFS]:
        keys = () if brief.purpose == "reliability" else ("target", "options", "effects")
        unstated = [f"`{key}`" for key in keys if not getattr(brief.expectations, key)]
        helpful = ", ".join([LENGTH_THAT_HELPS, *unstated])
        yield f"  {brief.id}: would help: {helpful}"
    if len(short) > MAX_LISTED_BRIEFS:
        yield f"  and {counted(len(short) - MAX_LISTED_BRIEFS, 'more brief')}"


def _cell_table(
    states: Iterable[CellState],
    forecaster: Forecaster,
    stored: "StoredRequests",
) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("model", "brief"):
        table.add_column(name, no_wrap=True)
    table.add_column("sample", justify="right")
    table.add_column("state", no_wrap=True)
    table.add_column("why-miss", overflow="fold")
    for name in ("input", "output low/expected/high", "cost low/expected/high"):
        table.add_column(name, justify="right", no_wrap=True)
    for state in states:
        planned, call = state.planned, state.following
        names = (planned.cell.model_id, planned.cell.brief_id, str(planned.sample))
        if call is None:
            table.add_row(*names, "cached", "", "", "", "")
        else:
            difference = stored.difference(call.canonical)
            table.add_row(*names, *_call_entries(call, difference, forecaster.forecast(call)))
    return table


def _call_entries(call: Call, difference: str, forecast: Forecast) -> tuple[str, ...]:
    """What the table has of a call: state, why it is not stored, input, output and cost."""
    state = "to call" if call.draw == 1 else f"to call, draw {call.draw}"
    if call.is_repair:
        state = "to call, repair"
    cost = "unknown" if forecast.unpriced else _three_numbers(forecast.cost_usd, money)
    output = _three_numbers(forecast.output_tokens, count)
    return state, difference, count(forecast.input_tokens), output, cost


def _three_numbers(numbers: Range, show: Callable[[float], str]) -> str:
    return "/".join(map(show, (numbers.low, numbers.expected, numbers.high)))


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


def shutdown_days(endpoints: Iterable[Endpoint], variables: Mapping[str, str]) -> ListedShutdowns:
    """The shutdown date of each model that an endpoint lists; one without a key, or that fails, is
    left out: a dry run works offline.
    """
    askable = [
        endpoint
        for endpoint in sorted(endpoints, key=repr)
        if not endpoint.simulated and _can_be_asked(endpoint, variables)
    ]

    async def list_all() -> ListedShutdowns:
        listings = await asyncio.gather(*(_list_days(endpoint, variables) for endpoint in askable))
        return {key: day for days in listings for key, day in days.items()}

    return asyncio.run(list_all())


def _can_be_asked(endpoint: Endpoint, variables: Mapping[str, str]) -> bool:
    return bool(variables.get(endpoint.key_env or "")) or is_loopback(endpoint)


async def _list_days(endpoint: Endpoint, variables: Mapping[str, str]) -> ListedShutdowns:
    """The shutdown dates that one endpoint lists; none when it fails."""
    client = EndpointClient(endpoint, variables)
    try:
        page = await client.attempt(client.sdk.models.list, LISTING_DEADLINE_S)
        days = {model.id: _day(getattr(model, "shutdown_date", None)) for model in page.data}
    except (CallFailed, TypeError, AttributeError):  # the SDK passes on a listing of another shape
        return {}
    finally:
        await client.close()
    return {(endpoint, name): day for name, day in days.items() if day is not None}


def _day(text: object) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text[:10]) if isinstance(text, str) else None
    except ValueError:
        return None
