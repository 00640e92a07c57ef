"""The sections that the summary and the overview share: models, policies, briefs, failures,
and reviews.
"""

import math
from collections.abc import Iterator, Sequence
from statistics import fmean

from stages.report.agreement import agreement_section
from stages.report.columns import (
    CELLS_BY_OUTCOME,
    CODE,
    DIMENSIONS_AND_SPREAD,
    FAILURE,
    FIX,
    HEADLINES,
    LEADERBOARD,
    MEANING,
    MODELS,
    NAME,
    OTHERS,
    SHARE,
    TOKENS,
    UNCHECKED_GRAPHS,
    WARNINGS,
    OfModel,
    brief_columns,
    failure_tables,
)
from stages.report.failures import warnings_of
from stages.report.findings import RANKING_NOTE, Findings
from stages.report.policies import policies_section
from stages.report.ranking import BriefResult
from stages.report.tables import table_of
from stages.shared.present.table import Section, Table
from stages.shared.shell import numbers as show

MAX_BRIEFS = 120
UNCHECKED = (
    "The words of these usable graphs could not be compared with those of their brief: the graphs "
    "count, and did not pass. Their signs and numbers were checked, and what the front-matter "
    "states: target and options at any length, effects in the brief's language. Words can "
    "be compared in a brief of 30 to 400 words."
)


def leaderboard(
    findings: Findings,
    fields: Sequence[OfModel] = (*LEADERBOARD, *HEADLINES),
    root: str | None = None,
) -> Table:
    """The models and policies by rank."""
    return table_of(
        findings.candidates, fields, title="Leaderboard", name="leaderboard", heads=2, root=root
    )


def sections(findings: Findings, root: str | None = None) -> Iterator[Section]:
    """All sections that have something to show; `root` is as for `tables.table_of`."""
    yield _models(findings, root)
    if findings.policies:
        yield policies_section(findings.policies, findings.names, root)
    yield _briefs(findings, root)
    yield _failed(findings, root)
    unchecked = table_of(
        [brief for brief in findings.briefs if brief.summary.unchecked],
        UNCHECKED_GRAPHS,
        title="Graphs that were not checked",
        name="unchecked",
        root=root,
    )
    if unchecked.rows:
        yield Section("unchecked", unchecked.title, [UNCHECKED], [unchecked])
    if findings.reviews:
        yield agreement_section(findings.reviews, findings.cells, findings.compare.confidence)


def _models(findings: Findings, root: str | None) -> Section:
    level = show.share(findings.compare.confidence)
    spread = (
        "Means over the n valid graphs. Spreads are standard deviations of the expected score: "
        "between the samples of one brief (needs two or more), and between briefs with the "
        "samples' share taken out."
    )
    more = table_of(
        findings.candidates,
        (NAME, *HEADLINES, *OTHERS),
        title="More of every model",
        name="more",
        root=root,
    )
    dimensions = table_of(
        findings.candidates,
        DIMENSIONS_AND_SPREAD,
        title="Dimensions and spread",
        name="dimensions",
        notes=[spread],
        root=root,
    )
    tokens = table_of(
        findings.candidates,
        TOKENS,
        title="Tokens and the prompt cache",
        name="tokens",
        root=root,
    )
    return Section(
        "models",
        "Leaderboard",
        [f"{RANKING_NOTE} Intervals are {level}, over briefs."],
        [leaderboard(findings, LEADERBOARD, root)],
        [more, dimensions, tokens],
    )


def _briefs(findings: Findings, root: str | None) -> Section:
    briefs, title = list(findings.briefs), "Briefs, with the models that did best and worst on them"
    if len(briefs) > MAX_BRIEFS:
        briefs = sorted(briefs, key=_lowest_first)[:MAX_BRIEFS]
        title += f", the {MAX_BRIEFS} with the lowest scores"
    table = table_of(briefs, brief_columns(findings.names), title=title, name="briefs", root=root)
    return Section("by-brief", "By brief", (), [table])


def _lowest_first(brief: BriefResult) -> float:
    score = brief.summary.cell_expected.value
    return math.inf if score is None else score


def _failed(findings: Findings, root: str | None) -> Section:
    shares = [cell.default_share for cell in findings.cells]
    known = [share for share in shares if share is not None]
    texts = ["No valid graph has causal edges with parameters."]
    if known:
        texts = [
            f"On average {show.share(fmean(known))} of the causal edges were left at the default "
            f"parameters (default takeover, over {show.counted(len(known), 'valid graph')})."
        ]
    if not findings.failures:
        texts.insert(0, "Nothing failed: every cell has a usable graph.")
    shown = (FAILURE, CODE, SHARE, MODELS, MEANING, FIX)
    tables = [*failure_tables(findings.failures, shown, name="codes", root=root)]
    warnings = table_of(
        warnings_of(findings.cells, findings.names),
        WARNINGS,
        title="Warnings, which change no score",
        name="warnings",
        root=root,
    )
    if warnings.rows:
        tables.append(warnings)
    outcomes = table_of(
        findings.models, CELLS_BY_OUTCOME, title="Outcomes by model", name="outcomes", root=root
    )
    return Section("failed", "What failed and why", texts, tables, [outcomes])
