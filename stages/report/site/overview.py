"""The overview: which model for each mode, how sure that is, what it costs and what went wrong."""

from collections.abc import Sequence

from stages.report.advice import advice_of
from stages.report.charts.overview import Chart, charts
from stages.report.columns import OUTCOMES
from stages.report.failures import Occurrence
from stages.report.findings import Findings
from stages.report.sections import sections
from stages.report.site.glossary import FIRST_TERMS
from stages.report.site.table import PACKAGE
from stages.shared.analysis.summary import summarise
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
        answered_on=max(cell.measured.created_at or "" for cell in cells)[:10],
        wasted_usd=summarise([cell for cell in cells if not cell.usable]).cost.usd,
        worst=_most_frequent_first(findings)[:MAX_NAMED_FAILURES],
        cards=advice_of(findings.decision, findings.candidates),
        named={candidate.id: candidate for candidate in findings.candidates},
        terms=FIRST_TERMS,
        outcomes=OUTCOMES,
        most_flags=MAX_FLAGS,
        sections=shown,
        charts=drawn,
        heat_maps=heat_maps,
    )


def _most_frequent_first(findings: Findings) -> list[Occurrence]:
    return sorted(findings.failures, key=lambda failure: (-len(failure.cells), failure.code))


def _charts(findings: Findings) -> list[Chart]:
    counts = {failure.code: len(failure.cells) for failure in _most_frequent_first(findings)}
    return list(charts(findings.candidates, counts))


def _briefs_heat(findings: Findings) -> Table:
    """A row for each brief, as far as a page can hold them, with a field for every model."""
    models = findings.models
    shown = findings.briefs[: max(MAX_HEAT_FIELDS // max(len(models), 1), 1)]
    note = (
        "Mean expected score: 0 where the model failed, hatched where no answer came, empty where "
        "none was asked for or recorded. Each field leads to its cells."
    )
    if len(shown) < len(findings.briefs):
        more = numbers.counted(len(findings.briefs) - len(shown), "more brief")
        note += f" {more} are left out here; the models' pages have all cells."
    rows = []
    for brief in shown:
        row = [Entry(brief.brief_id, href=brief_page(brief.brief_id))]
        for model in models:
            link = cells_link(model=model.id, brief=brief.brief_id)
            was_asked = model.id in brief.scores
            row.append(_heat_field(brief.scores[model.id], link) if was_asked else Entry(""))
        rows.append(row)
    columns = [Column("Brief"), *(Column(model.name) for model in models)]
    title = "Score of every model on every brief"
    return make_table(columns, rows, title=title, name="heat", notes=[note])


def _sub_scores_heat(findings: Findings) -> Table:
    """A row for each of the first models, with a field for the mean of every sub-score."""
    keys = list(findings.total.sub_scores)
    rows: list[Sequence[Raw]] = []
    for model in findings.models[:MAX_HEAT_MODELS]:
        means = model.summary.sub_scores
        link = cells_link(model=model.id, sort="score")
        fields = [_heat_field(means[key].value if key in means else None, link) for key in keys]
        head = Entry(model.name, href=model_page(model.id))
        rows.append([head, model.summary.scored, *fields])
    columns = [Column("Model"), Column("n", numbers.count)]
    for key in keys:
        columns.append(Column(key.partition(".")[2].replace("_", " ")))
    title = "Strengths and weaknesses"
    note = "Mean of each sub-score over the n valid graphs, 0 to 1; hatched without any."
    if len(findings.models) > MAX_HEAT_MODELS:
        note += f" The first {MAX_HEAT_MODELS} by rank."
    return make_table(columns, rows, title=title, name="profile", notes=[note])


def _heat_field(score: float | None, href: str) -> Entry:
    if score is None:
        return Entry(numbers.MISSING, href=href, look="hx")
    step = min(int(score * _HEAT_STEPS), _HEAT_STEPS - 1)
    return Entry(f"{score:.2f}", href=href, look=f"h{step}")
