"""The page about traffic: answers to inputs that no brief has. They are in no other figure."""

from collections import Counter
from collections.abc import Mapping, Sequence

from stages.report.columns import codes_text
from stages.report.failures import code_name
from stages.report.site import site_page
from stages.shared.analysis.scored_cell import ScoredCell, group
from stages.shared.analysis.summary import summarise
from stages.shared.present.page import TRAFFIC, Frame
from stages.shared.present.table import MAX_ROWS, Column, Raw, Section, Table, listing
from stages.shared.shell import numbers as show

MAX_CODES = 3
FORM_ONLY = (
    "Answers to inputs that no brief has (traffic). Nothing is stated about these inputs, so the "
    "score is of form only: structure and sub-scores. They are in no other table and no total."
)


def traffic_file(
    frame: Frame, cells: Sequence[ScoredCell], names: Mapping[str, str]
) -> tuple[str, bytes]:
    """The page of the site, a row for each model and for each of the first answers."""
    section = Section(
        "traffic", "By model", [FORM_ONLY], [by_model(cells, names), _answers(cells, names)]
    )
    template, title = "traffic.html.j2", "Traffic"
    return TRAFFIC, site_page(frame, template, title=title, at=TRAFFIC, sections=[section])


def by_model(cells: Sequence[ScoredCell], names: Mapping[str, str]) -> Table:
    """A row for each model, by its name."""
    columns = (
        Column("Model"),
        Column("Answers", show.count),
        Column("Valid graphs", show.share),
        Column("Overall score", show.score, hint="Mean over the valid graphs"),
        Column("What failed most"),
    )
    rows: list[list[Raw]] = []
    for model, of_model in group(cells, lambda cell: cell.model_id).items():
        total = summarise(of_model)
        counts = Counter(code for cell in of_model for code in set(cell.codes))
        most = [f"{code_name(code)} ({show.count(n)})" for code, n in counts.most_common(MAX_CODES)]
        shares = [total.scored / total.cells, total.cell_overall.value]
        rows.append([names.get(model, model), total.cells, *shares, ", ".join(most)])
    return listing("traffic", "By model", columns, rows)


def _answers(cells: Sequence[ScoredCell], names: Mapping[str, str]) -> Table:
    columns = (
        Column("Input"),
        Column("Model"),
        Column("Overall score", show.score),
        Column("Outcome"),
        Column("Why"),
    )
    rows: list[list[Raw]] = []
    for cell in cells[:MAX_ROWS]:
        name, why = names.get(cell.model_id, cell.model_id), codes_text(cell.codes)
        rows.append([cell.input or cell.brief_id, name, cell.overall_score, cell.outcome, why])
    return listing(
        "traffic-answers", f"The first {show.counted(len(rows), 'answer')}", columns, rows
    )
