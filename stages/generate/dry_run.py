"""The dry run: every cell, whether it is answered, why not, and what calling it would cost.
Importing it imports the SDK.
"""

import asyncio
import datetime
import sys
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console
from rich.table import Table

from stages.contracts.json_text import JsonValue, parse
from stages.generate.calls.client import EndpointClient
from stages.generate.calls.faults import CallFailed
from stages.generate.forecast import Forecaster, ListedShutdowns
from stages.generate.missing import announce, ledger_to_read
from stages.generate.plan.call import Call
from stages.generate.plan.cells import PlannedCell, RunPlan
from stages.generate.plan.endpoint import Endpoint, is_loopback
from stages.shell.numbers import count, money

NOTHING_STORED = "nothing stored"
FIELDS = ("endpoint", "api", "api_version", "model", "prompt", "brief", "round", "sample", "draw")
"""The fields of a request besides its settings, under the names that people set them by."""
_KEYS = {"prompt": "instructions_sha256", "brief": "input"}
_MOST_COMPARED = 100
_LISTING_DEADLINE_S = 5.0


def print_dry_run(plan: RunPlan, variables: Mapping[str, str]) -> None:
    """Print every cell and the forecast; calls no model and writes nothing, not even a new
    ledger.
    """
    with ledger_to_read(plan) as (ledger, missing):
        stored = StoredRequests(ledger.requests() if missing else [])
        table = _cell_table(plan.cells, missing, Forecaster(ledger.output_tokens), stored)
        Console(width=None if sys.stdout.isatty() else 200, highlight=False).print(table)
        listed = shutdown_days({model.endpoint for model in plan.models}, variables)
        announce(plan, missing, ledger, print, listed=listed)


def _cell_table(
    cells: Sequence[PlannedCell],
    needed: Sequence[Call],
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
    calls = {call.fingerprint: call for call in needed}
    for planned in cells:
        who = (planned.cell.model_id, planned.cell.brief_id, str(planned.sample))
        call = next((calls[key] for key in planned.fingerprints if key in calls), None)
        if call is None:
            table.add_row(*who, "cached", "", "", "", "")
            continue
        forecast = forecaster.forecast(call)
        out, cost = forecast.output_tokens, forecast.cost_usd
        table.add_row(
            *who,
            "to call" if call.draw == 1 else f"to call, draw {call.draw}",
            stored.difference(call.canonical),
            count(forecast.input_tokens),
            "/".join(map(count, (out.low, out.expected, out.high))),
            "unknown"
            if forecast.unpriced
            else "/".join(map(money, (cost.low, cost.expected, cost.high))),
        )
    return table


class StoredRequests:
    """The canonical requests of stored answers, to say in which fields another request differs from
    the most similar one.
    """

    def __init__(self, stored: Iterable[str]) -> None:
        self._by_subject: dict[tuple[JsonValue, JsonValue], deque[dict[str, JsonValue]]]
        self._by_subject = defaultdict(lambda: deque(maxlen=_MOST_COMPARED))
        for text in stored:
            request = _fields(text)
            for subject in (
                _subjects(request) if request["model"] else ()
            ):  # an adopted answer may lack its request
                self._by_subject[subject].append(request)

    def difference(self, canonical_request: str) -> str:
        """The names of the fields that differ, joined with " and "; requests of the same model and
        brief are compared first.
        """
        wanted = _fields(canonical_request)
        near = next(
            (self._by_subject[one] for one in _subjects(wanted) if one in self._by_subject), None
        )
        if near is None:
            return NOTHING_STORED
        differing = [
            [name for name in wanted | other if wanted.get(name) != other.get(name)]
            for other in near
        ]
        nearest = min(differing, key=len)
        return " and ".join(nearest)


def _fields(canonical_request: str) -> dict[str, JsonValue]:
    loaded = parse(canonical_request)
    record = loaded if isinstance(loaded, dict) else {}
    settings = record.get("settings")
    named = settings.items() if isinstance(settings, dict) else ()
    return {name: record.get(_KEYS.get(name, name)) for name in FIELDS} | {
        f"settings.{key}": value for key, value in named
    }


def _subjects(request: dict[str, JsonValue]) -> list[tuple[JsonValue, JsonValue]]:
    model, brief = request["model"], request["brief"]
    return [(model, brief), (None, brief), (model, None), (None, None)]


def shutdown_days(endpoints: Iterable[Endpoint], variables: Mapping[str, str]) -> ListedShutdowns:
    """The shutdown date of each model that an endpoint lists; one without a key, or that fails, is
    left out: a dry run works offline.
    """

    async def listed(endpoint: Endpoint) -> ListedShutdowns:
        client = EndpointClient(endpoint, variables)
        try:
            page = await client.attempt(client.sdk.models.list, _LISTING_DEADLINE_S)
            days = {model.id: _day(getattr(model, "shutdown_date", None)) for model in page.data}
        except (
            CallFailed,
            TypeError,
            AttributeError,
        ):  # the SDK passes on a listing of another shape
            return {}
        finally:
            await client.close()
        return {(endpoint, name): day for name, day in days.items() if day is not None}

    async def all_listed() -> ListedShutdowns:
        found = await asyncio.gather(*map(listed, askable))
        return {key: day for days in found for key, day in days.items()}

    askable = [
        endpoint
        for endpoint in sorted(endpoints, key=repr)
        if endpoint.provider != "simulated"
        and (variables.get(endpoint.key_env or "") or is_loopback(endpoint))
    ]
    return asyncio.run(all_listed())


def _day(text: object) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text[:10]) if isinstance(text, str) else None
    except ValueError:
        return None
