"""The table of a dry run: every cell, whether it is answered, why not, and what calling it would cost."""

from collections.abc import Callable, Mapping, Sequence

from rich.table import Table

from stages.generate.cost.forecast import CallForecast
from stages.generate.plan.cell_plan import PlannedCell
from stages.generate.plan.overview import usd


def cell_table(
    cells: Sequence[PlannedCell],
    calls: Mapping[str, int],
    *,
    forecast: Callable[[PlannedCell], CallForecast],
    why: Callable[[str], str],
) -> Table:
    """The table.

    Args:
        cells: All cells.
        calls: The draw that is to be called, by the fingerprint of its request.
        forecast: Of a call for a cell.
        why: Why a canonical request has no answer.
    """
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("model", "brief"):
        table.add_column(name, no_wrap=True)
    table.add_column("sample", justify="right")
    table.add_column("state", no_wrap=True)
    table.add_column("why-miss", overflow="fold")
    for name in ("input", "output low/expected/high", "cost low/expected/high"):
        table.add_column(name, justify="right", no_wrap=True)
    for planned in cells:
        who = (planned.cell.model_id, planned.cell.brief_id, str(planned.cell.sample))
        key = next((key for key in planned.fingerprints if key in calls), None)
        if key is None:
            table.add_row(*who, "cached", "", "", "", "")
            continue
        draw = calls[key]
        expected = forecast(planned)
        out, cost = expected.output_tokens, expected.cost_usd
        table.add_row(
            *who,
            "to call" if draw == 1 else f"to call, draw {draw}",
            why(planned.canonical[draw - 1]),
            f"{expected.input_tokens:,}",
            f"{out.low:,.0f}/{out.expected:,.0f}/{out.high:,.0f}",
            "unknown" if cost is None else f"{usd(cost.low)}/{usd(cost.expected)}/{usd(cost.high)}",
        )
    return table
