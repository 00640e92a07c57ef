"""The table of a dry run: every cell, whether it is answered, why not, and what calling it would cost."""

from collections.abc import Sequence

from rich.table import Table

from stages.generate.plan.cells import PlannedCell
from stages.generate.plan.draws import Needed
from stages.generate.preview.forecast import Forecaster
from stages.generate.preview.why_miss import StoredRequests
from stages.shell.numbers import money, tokens


def cell_table(
    cells: Sequence[PlannedCell], needed: Sequence[Needed], forecaster: Forecaster, stored: StoredRequests
) -> Table:
    """One row for each cell.

    Args:
        cells: All cells.
        needed: What is to be called.
        forecaster: Of calls.
        stored: The requests that have an answer, to say what differs.
    """
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
