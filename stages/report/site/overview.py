"""The overview: which model for each mode, how sure that is, what it costs and what went wrong."""

import math
from collections.abc import Iterator, Sequence

from stages.report.advice import VERDICTS
from stages.report.columns import (
    BRIEFS,
    CODES,
    HEADLINES,
    LEADERBOARD,
    NAME,
    OTHERS,
    OUTCOMES,
    content_of,
    leaderboard,
    table_of,
)
from stages.report.drawing.charts import charts
from stages.report.failures import warnings_of
from stages.report.findings import RANKING_NOTE, Findings
from stages.report.ranking import BriefResult
from stages.report.reviews import agreement_section
from stages.report.site.glossary import FIRST_TERMS
from stages.report.site.table import PACKAGE
from stages.shared.analysis.scored_cell import ScoredCell
from stages.shared.analysis.summary import summarise
from stages.shared.present.page import OVERVIEW, Frame, page
from stages.shared.present.table import Section
from stages.shared.shell import numbers

MAX_FLAGS = 8
MAX_BRIEFS = 120
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
        sections=list(_sections(findings)),
        charts=list(charts(findings.candidates)),
        sub_scores={key: _name_of(key) for key in findings.total.sub_scores},
        heat_models=findings.models[:MAX_HEAT_MODELS],
        heat_briefs=findings.briefs[:heat_briefs],
    )


def _sections(findings: Findings) -> Iterator[Section]:
    """Models, briefs, what failed, and reviews where there are any."""
    models, level = findings.candidates, numbers.share(findings.compare.confidence)
    more = (NAME, *HEADLINES, *OTHERS)
    yield Section(
        "models",
        "Leaderboard",
        [f"{RANKING_NOTE} Intervals are {level}, over briefs."],
        [leaderboard(models, LEADERBOARD, root="")],
        [table_of(models, more, title="More of every model", name="more", root="")],
    )
    lowest = sorted(findings.briefs, key=_lowest_first)
    title = "Briefs, the lowest scores first"
    briefs = table_of(lowest, BRIEFS, title=title, name="briefs", root="")
    yield Section("by-brief", "By brief", (), [briefs.first(MAX_BRIEFS)])
    warnings = warnings_of(findings.cells, findings.names)
    tables = []
    if findings.failures:
        tables.append(table_of(findings.failures, CODES, title="Failures", name="codes", root=""))
    if warnings:
        title = "Warnings, which change no score"
        tables.append(table_of(warnings, CODES, title=title, name="warnings", root=""))
    if tables:
        yield Section("failed", "What failed and why", (), tables)
    if findings.reviews:
        yield agreement_section(findings.reviews, findings.cells, findings.compare.confidence)


def _lowest_first(brief: BriefResult) -> float:
    score = brief.summary.cell_expected.value
    return math.inf if score is None else score


def _answered_on(cells: Sequence[ScoredCell]) -> str:
    """The day of the newest answer that was not simulated; empty where none has a time."""
    times = [cell.measured.created_at or "" for cell in cells if not cell.measured.simulated]
    return max(times, default="")[:10]


def _name_of(key: str) -> str:
    """The name of a sub-score, DIMENSION.NAME, in words."""
    return key.partition(".")[2].replace("_", " ")
