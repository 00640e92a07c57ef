"""The sections of the overview: models, briefs, failures and reviews."""

import math
from collections.abc import Iterator, Sequence

from stages.report.columns import (
    BRIEFS,
    CODES,
    HEADLINES,
    LEADERBOARD,
    NAME,
    OTHERS,
    OfModel,
    is_by_words,
    table_of,
)
from stages.report.failures import warnings_of
from stages.report.findings import RANKING_NOTE, Findings
from stages.report.ranking import BriefResult
from stages.report.reviews import agreement_section
from stages.shared.present.table import Section, Table
from stages.shared.shell import numbers as show

MAX_BRIEFS = 120
BY_WORDS = (
    "By words: fewer than nine tenths of the labels are coded, so content was read from their "
    "words, and is not comparable with that from codes. graph-evaluator briefs code codes them."
)


def leaderboard(
    findings: Findings,
    fields: Sequence[OfModel] = (*LEADERBOARD, *HEADLINES),
    root: str | None = None,
) -> Table:
    """The models and policies by rank."""
    notes = [BY_WORDS] if any(map(is_by_words, findings.candidates)) else []
    return table_of(
        findings.candidates,
        fields,
        title="Leaderboard",
        name="leaderboard",
        heads=2,
        notes=notes,
        root=root,
    )


def sections(findings: Findings, root: str | None = None) -> Iterator[Section]:
    """All sections that have something to show; `root` is as for `tables.table_of`."""
    yield _models(findings, root)
    yield _briefs(findings, root)
    yield _failed(findings, root)
    if findings.reviews:
        yield agreement_section(findings.reviews, findings.cells, findings.compare.confidence)


def _models(findings: Findings, root: str | None) -> Section:
    level = show.share(findings.compare.confidence)
    more = table_of(
        findings.candidates,
        (NAME, *HEADLINES, *OTHERS),
        title="More of every model",
        name="more",
        root=root,
    )
    return Section(
        "models",
        "Leaderboard",
        [f"{RANKING_NOTE} Intervals are {level}, over briefs."],
        [leaderboard(findings, LEADERBOARD, root)],
        [more],
    )


def _briefs(findings: Findings, root: str | None) -> Section:
    briefs, title = list(findings.briefs), "Briefs"
    if len(briefs) > MAX_BRIEFS:
        briefs = sorted(briefs, key=_lowest_first)[:MAX_BRIEFS]
        title += f", the {MAX_BRIEFS} with the lowest scores"
    table = table_of(briefs, BRIEFS, title=title, name="briefs", root=root)
    return Section("by-brief", "By brief", (), [table])


def _lowest_first(brief: BriefResult) -> float:
    score = brief.summary.cell_expected.value
    return math.inf if score is None else score


def _failed(findings: Findings, root: str | None) -> Section:
    defaults = findings.total.default_share
    texts = ["No valid graph has causal edges with parameters."]
    if defaults.n:
        texts = [
            f"On average {show.share(defaults.value)} of the causal edges were left at the default "
            f"parameters (default takeover, over {show.counted(defaults.n, 'valid graph')})."
        ]
    if not findings.failures:
        texts.insert(0, "Nothing failed: every cell has a usable graph.")
    failures = table_of(findings.failures, CODES, title="Failures", name="codes", root=root)
    warnings = table_of(
        warnings_of(findings.cells, findings.names),
        CODES,
        title="Warnings, which change no score",
        name="warnings",
        root=root,
    )
    tables = [table for table in (failures, warnings) if table.rows]
    return Section("failed", "What failed and why", texts, tables)
