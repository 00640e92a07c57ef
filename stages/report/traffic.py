"""The page about traffic: answers to inputs that no brief has. They are in no other figure."""

from collections.abc import Mapping, Sequence

from stages.report.columns import codes_text
from stages.report.site.table import PACKAGE, listing
from stages.shared.analysis.scored_cell import ScoredCell, group
from stages.shared.analysis.summary import summarise
from stages.shared.present.page import TRAFFIC, Frame, page
from stages.shared.present.table import Column, Raw, Section, Table
from stages.shared.shell import numbers as show

FORM_ONLY = (
    "Answers to inputs that no brief has (traffic). Nothing is stated about these inputs, so the "
    "score is of form only: structure and sub-scores. They are in no other table and no total."
)


def traffic_file(
    frame: Frame, cells: Sequence[ScoredCell], names: Mapping[str, str]
) -> tuple[str, bytes]:
    """The page of the site, a row for each model and for each of the first answers."""
    section = Section("traffic", "Traffic", [FORM_ONLY], [by_model(cells, names), _answers(cells)])
    return TRAFFIC, page(
        frame,
        "traffic.html.j2",
        package=PACKAGE,
        title="Traffic",
        at=TRAFFIC,
        sections=[section],
    )


def by_model(cells: Sequence[ScoredCell], names: Mapping[str, str]) -> Table:
    """A row for each model, by its name."""
    columns = (
        Column("Model"),
        Column("Answers", show.count),
        Column("Valid graphs", show.share),
        Column("Form", show.score, hint="mean overall score of the valid graphs"),
        Column("What failed most"),
    )
    rows: list[list[Raw]] = []
    for model, of_model in group(cells, lambda cell: cell.model_id).items():
        total = summarise(of_model)
        codes = [code for cell in of_model for code in cell.codes]
        name = names.get(model, model)
        shares = [total.scored / total.cells, total.cell_overall.value]
        rows.append([name, total.cells, *shares, codes_text(codes)])
    return listing("traffic", "Traffic, form only", columns, rows)


def _answers(cells: Sequence[ScoredCell]) -> Table:
    columns = (
        Column("Input", code=True),
        Column("Model", choose=True),
        Column("Form", show.score),
        Column("Outcome", choose=True),
        Column("Why"),
    )
    rows: list[list[Raw]] = [
        [cell.brief_id, cell.model_id, cell.overall_score, cell.outcome, codes_text(cell.codes)]
        for cell in cells
    ]
    return listing("traffic-answers", "Answers", columns, rows)
