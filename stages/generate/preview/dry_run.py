"""The table of a dry run: every cell, whether it is answered, why not, and what calling it would cost."""

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence

from rich.table import Table

from stages.contracts.json_text import JsonValue, parse
from stages.generate.plan.cells import PlannedCell
from stages.generate.plan.draws import Needed
from stages.generate.preview.forecast import Forecaster
from stages.shell.numbers import money, tokens

NOTHING_STORED = "nothing stored"
FIELDS = ("endpoint", "api", "api_version", "model", "prompt", "brief", "round", "sample", "draw")
"""The fields of a request besides its settings, under the names that people set them by."""
_KEYS = {"prompt": "instructions_sha256", "brief": "input"}
_MOST_COMPARED = 100


def cell_table(
    cells: Sequence[PlannedCell], needed: Sequence[Needed], forecaster: Forecaster, stored: "StoredRequests"
) -> Table:
    """One row for each cell; `needed` is what is to be called."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("model", "brief"):
        table.add_column(name, no_wrap=True)
    table.add_column("sample", justify="right")
    table.add_column("state", no_wrap=True)
    table.add_column("why-miss", overflow="fold")
    for name in ("input", "output low/expected/high", "cost low/expected/high"):
        table.add_column(name, justify="right", no_wrap=True)
    draws = {planned.fingerprints[draw - 1]: draw for planned, draw in needed}
    for planned in cells:
        who = (planned.cell.model_id, planned.cell.brief_id, str(planned.cell.sample))
        draw = next((draws[key] for key in planned.fingerprints if key in draws), None)
        if draw is None:
            table.add_row(*who, "cached", "", "", "", "")
            continue
        forecast = forecaster.forecast(planned)
        out, cost = forecast.output_tokens, forecast.cost_usd
        table.add_row(
            *who,
            "to call" if draw == 1 else f"to call, draw {draw}",
            stored.difference(planned.canonical(draw)),
            tokens(forecast.input_tokens),
            "/".join(map(tokens, (out.low, out.expected, out.high))),
            "unknown" if cost is None else "/".join(map(money, (cost.low, cost.expected, cost.high))),
        )
    return table


class StoredRequests:
    """The canonical requests of stored answers, to say in which fields another request differs from the most similar one."""

    def __init__(self, stored: Iterable[str]) -> None:
        self._by_subject: dict[tuple[JsonValue, JsonValue], deque[dict[str, JsonValue]]]
        self._by_subject = defaultdict(lambda: deque(maxlen=_MOST_COMPARED))
        for text in stored:
            request = _fields(text)
            for subject in _subjects(request) if request["model"] else ():  # an adopted answer may lack its request
                self._by_subject[subject].append(request)

    def difference(self, canonical_request: str) -> str:
        """The names of the fields that differ, joined with " and "; requests of the same model and brief are compared first."""
        wanted = _fields(canonical_request)
        near = next((self._by_subject[one] for one in _subjects(wanted) if one in self._by_subject), None)
        if near is None:
            return NOTHING_STORED
        differing = [[name for name in wanted | other if wanted.get(name) != other.get(name)] for other in near]
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
