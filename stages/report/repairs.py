"""What the repair turns of a run bought, by model, and what one of them changed."""

from collections import Counter
from collections.abc import Iterator

import pandas as pd

from stages.contracts.response import UNREADABLE_CODES, GraphChanges
from stages.contracts.run import Run
from stages.contracts.scorecard import Scorecard
from stages.present.table import Column, Raw, Table, make_table
from stages.report.flags import Flag
from stages.report.rows import CellRow, cell_rows
from stages.shell import numbers

EXPLAINED = (
    "Answers that were no valid graph and were sent back once (generate.repair). A repaired "
    "answer has a usable graph now; the cost is that of the repairs alone."
)
_COLUMNS = (
    Column("Model"),
    Column("Sent back", numbers.share_of, hint="of the answers"),
    Column("Repaired", numbers.count, hint="with a usable graph after the repair"),
    Column("Still broken", numbers.count, hint="without one"),
    Column("Cost of the repairs", numbers.money),
    Column("Per repaired graph", numbers.money, hint="cost of all repairs, for each repaired one"),
)


def repairs_table(cells: pd.DataFrame) -> Table:
    """A row for each model of which an answer was sent back, in the order of the cells.

    The cost is not known where that of a repair is not, and there is none for each repaired graph
    where none was repaired.
    """
    rows: list[list[Raw]] = []
    for _, of_model in cells.groupby("model_id", sort=False):
        repairs = of_model[of_model["sent_back"]]
        if repairs.empty:
            continue
        repaired = int(repairs["usable"].sum())
        share = (len(repairs), int(of_model["answered"].sum()))
        cost_usd = float(repairs["repair_cost_usd"].sum(skipna=False))
        per_repaired_usd = cost_usd / repaired if repaired else None
        counts: list[Raw] = [share, repaired, len(repairs) - repaired]
        rows.append([of_model["name"].iloc[0], *counts, cost_usd, per_repaired_usd])
    return make_table(_COLUMNS, rows, title="What the repair bought", name="repairs")


def repair_flags(cells: pd.DataFrame, run: Run) -> Iterator[Flag]:
    """The models of which answers that are no valid graph have no repair yet, in a run that
    repairs; recorded answers are never sent back.
    """
    lacking = Counter(
        row.name for row in cell_rows(cells) if _lacks_repair(row) and run.sends_back(row.model_id)
    )
    for name, count in lacking.items():
        answers = numbers.counted(count, "answer that is", "answers that are")
        message = f"{name} has {answers} no valid graph and without a repair yet"
        yield Flag("repair_missing", f"{message}; dvc repro -f calls only the repairs.")


def _lacks_repair(row: CellRow) -> bool:
    has_no_graph = row.status == "parse_failed" and row.failure_code in UNREADABLE_CODES
    is_broken = has_no_graph or (row.status == "success" and not row.structural_valid)
    return is_broken and not row.sent_back


def describe_repair(card: Scorecard) -> str:
    """What the repair of a cell changed and what both answers cost; "" for another cell."""
    repair = card.repair
    if repair is None:
        return ""
    first, after = set(repair.first_violation_codes), set(card.violation_codes)
    outcomes = (
        ("fixed", first - after),
        ("still there", first & after),
        ("new", after - first),
    )
    codes = [f"{name}: {', '.join(sorted(group))}" for name, group in outcomes if group]
    sentences = [
        f"The first answer was no valid graph and was sent back once ({'; '.join(codes)})."
    ]
    if repair.changes is not None:
        sentences.append(_describe_changes(repair.changes))
    for name, usd, latency_ms in (
        ("The first answer", repair.first_cost_usd, repair.first_latency_ms),
        ("The repair", repair.repair_cost_usd, repair.repair_latency_ms),
    ):
        sentences.append(f"{name}: {numbers.money(usd)}, {numbers.duration(latency_ms)}.")
    return " ".join(sentences)


def _describe_changes(changes: GraphChanges) -> str:
    counts = [
        f"{numbers.counted(number, name.split('_')[0][:-1])} {name.split('_')[1]}"
        for name, number in changes.to_json().items()
        if isinstance(number, int) and number
    ]
    return f"The repair: {', '.join(counts) or 'nothing changed'}."
