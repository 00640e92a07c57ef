"""The overview: which model for each mode, how sure that is, what it costs and what went wrong."""

import math

import pandas as pd

from stages.report.advice import advice_of
from stages.report.cells import sub_scores
from stages.report.charts.overview import Chart, charts
from stages.report.columns import OUTCOMES
from stages.report.findings import Findings
from stages.report.ranking import by_model_and_brief
from stages.report.rows import failure_rows, mean_rows, models_by_id
from stages.report.sections import sections
from stages.report.site.glossary import FIRST_TERMS
from stages.report.site.table import PACKAGE
from stages.shared.present.page import OVERVIEW, Frame, brief_page, cells_link, model_page, page
from stages.shared.present.table import Column, Entry, Raw, Table, make_table
from stages.shared.shell import numbers

MAX_FLAGS = 8
MAX_HEAT_FIELDS = 1_200
MAX_HEAT_MODELS = 40
MAX_NAMED_FAILURES = 4
_HEAT_STEPS = 6


def overview_file(frame: Frame, findings: Findings) -> tuple[str, bytes]:
    """The path and the content of the page that the site opens with."""
    cells, shown = findings.cells, list(sections(findings, root=""))
    drawn = _charts(findings)
    heats = [_sub_scores_heat(findings), _briefs_heat(findings)]
    heat_maps = [heat for heat in heats if heat.rows and len(heat.columns) > 1]
    parts = [
        ("look", "Worth a look" if findings.flags else ""),
        (shown[0].name, shown[0].title),
        ("charts", "Quality, cost and time" if drawn else ""),
        *((heat.name, heat.title) for heat in heat_maps),
        *((section.name, section.title) for section in shown[1:]),
    ]
    return OVERVIEW, page(
        frame,
        "overview.html.j2",
        package=PACKAGE,
        title="Which model for which mode",
        at=OVERVIEW,
        findings=findings,
        flags=findings.flags,
        parts=[(name, title) for name, title in parts if title],
        answered_on=max(filter(None, cells["created_at"]), default="")[:10],
        wasted_usd=cells.loc[~cells["usable"], "est_cost_usd"].sum(min_count=1),
        worst=list(failure_rows(_most_frequent_first(findings.codes).head(MAX_NAMED_FAILURES))),
        cards=advice_of(findings.decision, findings.candidates),
        named=models_by_id(findings.candidates),
        terms=FIRST_TERMS,
        outcomes=OUTCOMES,
        most_flags=MAX_FLAGS,
        sections=shown,
        charts=drawn,
        heat_maps=heat_maps,
    )


def _most_frequent_first(codes: pd.DataFrame) -> pd.DataFrame:
    return codes.sort_values(["cells", "code"], ascending=[False, True])


def _charts(findings: Findings) -> list[Chart]:
    codes = _most_frequent_first(findings.codes)
    counts = dict(zip(codes["code"], codes["cells"], strict=True))
    return list(charts(findings.candidates, counts))


def _briefs_heat(findings: Findings) -> Table:
    """A row for each brief, as far as a page can hold them, with a field for every model."""
    means = {
        (mean.brief_id, mean.model_id): mean
        for mean in mean_rows(by_model_and_brief(findings.cells))
    }
    models = findings.models["model_id"]
    briefs = findings.briefs["brief_id"]
    shown = briefs.head(max(MAX_HEAT_FIELDS // max(len(models), 1), 1))
    note = (
        "Mean expected score: 0 where the model failed, hatched where no answer came, empty where "
        "none was asked for or recorded. Each field leads to its cells."
    )
    if len(shown) < len(briefs):
        more = numbers.counted(len(briefs) - len(shown), "more brief")
        note += f" {more} are left out here; the models' pages have all cells."
    rows = []
    for brief_id in shown:
        row = [Entry(brief_id, href=brief_page(brief_id))]
        for model_id in models:
            mean = means.get((brief_id, model_id))
            link = cells_link(model=model_id, brief=brief_id)
            row.append(_heat_field(mean.expected_score, link) if mean else Entry(""))
        rows.append(row)
    columns = [Column("Brief"), *map(Column, findings.models["name"])]
    title = "Score of every model on every brief"
    return make_table(columns, rows, title=title, name="heat", notes=[note])


def _sub_scores_heat(findings: Findings) -> Table:
    """A row for each of the first models, with a field for the mean of every sub-score."""
    keys = sub_scores(findings.models)
    rows: list[list[Raw]] = []
    for model in findings.models.head(MAX_HEAT_MODELS).to_dict("records"):
        head = Entry(model["name"], href=model_page(model["model_id"]))
        link = cells_link(model=model["model_id"], sort="score")
        fields = [_heat_field(model[key], link) for key in keys]
        rows.append([head, float(model["scored"]), *fields])
    columns = [Column("Model"), Column("n", numbers.count)]
    for key in keys:
        columns.append(Column(key.partition(".")[2].replace("_", " ")))
    title = "Strengths and weaknesses"
    note = "Mean of each sub-score over the n valid graphs, 0 to 1; hatched without any."
    if len(findings.models) > MAX_HEAT_MODELS:
        note += f" The first {MAX_HEAT_MODELS} by rank."
    return make_table(columns, rows, title=title, name="profile", notes=[note])


def _heat_field(score: float, href: str) -> Entry:
    if math.isnan(score):
        return Entry(numbers.MISSING, href=href, look="hx")
    step = min(int(score * _HEAT_STEPS), _HEAT_STEPS - 1)
    return Entry(f"{score:.2f}", href=href, look=f"h{step}")
