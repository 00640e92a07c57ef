"""The overview: which model for each mode, how sure that is, what it costs and what went wrong; and
the glossary.
"""

import math
import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files

from graph_evaluator.analysis.summary import summarise
from graph_evaluator.present.page import GLOSSARY, OVERVIEW, Frame
from graph_evaluator.present.table import Section
from graph_evaluator.records.scorecard import CODES, code_name
from graph_evaluator.report.advice import VERDICTS
from graph_evaluator.report.choices import CHOICES_NOTE, READING_NOTE, choices_table, reading_table
from graph_evaluator.report.columns import (
    FAILURES,
    HEADLINES,
    LEADERBOARD,
    NAME,
    OTHERS,
    OUTCOMES,
    leaderboard,
    reruns_text,
    table_of,
)
from graph_evaluator.report.drawing.charts import cost_chart
from graph_evaluator.report.findings import RANKING_NOTE, Findings
from graph_evaluator.report.ranking import BriefResult
from graph_evaluator.report.site import site_page
from graph_evaluator.shell import numbers

MAX_NOTES = 8
MAX_BRIEFS = 120
MAX_MODELS = 40
TERMS: Mapping[str, Mapping[str, str]] = tomllib.loads(
    files(__package__).joinpath("terms.toml").read_text("utf-8")
)
"""The words of the pages: the `first` are on the overview, and with the others in the glossary."""


def overview_file(frame: Frame, findings: Findings) -> tuple[str, bytes]:
    """The path and the content of the page that the site opens with."""
    unusable = [cell for cell in findings.cells if not cell.usable]
    times = [cell.measured.created_at or "" for cell in findings.cells if not cell.cost.simulated]
    return OVERVIEW, site_page(
        frame,
        "overview.html.j2",
        title="Which model for which mode",
        at=OVERVIEW,
        findings=findings,
        answered_on=max(times, default="")[:10],
        wasted_usd=summarise(unusable).cost.usd,
        verdicts=VERDICTS,
        terms=TERMS["first"],
        outcomes=OUTCOMES,
        notes=findings.notes,
        most_notes=MAX_NOTES,
        sections=list(_sections(findings)),
        chart_of_cost=cost_chart(findings.candidates),
        heat_models=findings.candidates[:MAX_MODELS],
        heat_briefs=sorted(findings.briefs, key=_lowest_first)[:MAX_BRIEFS],
    )


def _sections(findings: Findings) -> Iterator[Section]:
    """Models, briefs, what failed, and reviews where there are any."""
    models, level = findings.candidates, numbers.share(findings.compare.confidence)
    more = (NAME, *HEADLINES, *OTHERS)
    texts = (f"{RANKING_NOTE} Intervals are {level}, over briefs.", reruns_text(findings.total))
    yield Section(
        "models",
        "Leaderboard",
        [text for text in texts if text],
        [leaderboard(models, LEADERBOARD, root="")],
        [table_of(models, more, title="More of every model", name="more", root="")],
    )
    choices = choices_table(findings.briefs, models)
    if choices.rows:
        table = choices.first(MAX_BRIEFS)
        yield Section("choices", "What the graphs recommend", [CHOICES_NOTE], [table])
    reading = reading_table(findings.cells, models)
    if reading.rows:
        yield Section("reading", "How well they read", [READING_NOTE], [reading])
    if findings.failures:
        failures = table_of(findings.failures, FAILURES, title="Failures", name="codes", root="")
        yield Section("failed", "What failed and why", (), [failures])
    yield from findings.sections


def _lowest_first(brief: BriefResult) -> float:
    score = brief.summary.cell_expected.value
    return math.inf if score is None else score


def glossary_file(frame: Frame) -> tuple[str, bytes]:
    """The path and the content of the glossary: the terms and codes of the pages."""
    return GLOSSARY, site_page(
        frame,
        "glossary.html.j2",
        title="Glossary",
        at=GLOSSARY,
        terms={**TERMS["first"], **TERMS["more"]},
        codes=[(code_name(code), code, CODES[code]) for code in sorted(CODES, key=code_name)],
    )
