"""The overview: which model for each mode, how sure that is, what it costs and what went wrong."""

from collections.abc import Sequence

from stages.report.advice import VERDICTS
from stages.report.columns import OUTCOMES, content_of
from stages.report.drawing.charts import charts
from stages.report.findings import Findings
from stages.report.sections import sections
from stages.report.site.glossary import FIRST_TERMS
from stages.report.site.table import PACKAGE
from stages.shared.analysis.scored_cell import ScoredCell
from stages.shared.analysis.summary import summarise
from stages.shared.present.page import OVERVIEW, Frame, page

MAX_FLAGS = 8
MAX_HEAT_FIELDS = 1_200
MAX_HEAT_MODELS = 40
MAX_NAMED_FAILURES = 4


def overview_file(frame: Frame, findings: Findings) -> tuple[str, bytes]:
    """The path and the content of the page that the site opens with."""
    failures = sorted(findings.failures, key=lambda failure: (-len(failure.cells), failure.code))
    unusable = [cell for cell in findings.cells if not cell.usable]
    heat_briefs = max(MAX_HEAT_FIELDS // max(len(findings.models), 1), 1)
    return OVERVIEW, page(
        frame,
        "overview.html.j2",
        package=PACKAGE,
        title="Which model for which mode",
        at=OVERVIEW,
        findings=findings,
        flags=findings.notes,
        answered_on=_answered_on(findings.cells),
        wasted_usd=summarise(unusable).cost.usd,
        worst=failures[:MAX_NAMED_FAILURES],
        verdicts=VERDICTS,
        named={candidate.id: candidate for candidate in findings.candidates},
        content_of=content_of,
        terms=FIRST_TERMS,
        outcomes=OUTCOMES,
        most_flags=MAX_FLAGS,
        sections=list(sections(findings, root="")),
        charts=list(charts(findings.candidates)),
        sub_scores={key: _name_of(key) for key in findings.total.sub_scores},
        heat_models=findings.models[:MAX_HEAT_MODELS],
        heat_briefs=findings.briefs[:heat_briefs],
    )


def _answered_on(cells: Sequence[ScoredCell]) -> str:
    """The day of the newest answer that was not simulated; empty where none has a time."""
    times = [cell.measured.created_at or "" for cell in cells if not cell.measured.simulated]
    return max(times, default="")[:10]


def _name_of(key: str) -> str:
    """The name of a sub-score, DIMENSION.NAME, in words."""
    return key.partition(".")[2].replace("_", " ")
