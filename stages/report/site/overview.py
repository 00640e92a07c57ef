"""The overview: which model for each mode, how sure that is, what it costs and what went wrong."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from markupsafe import Markup

from stages.contracts.response import Cell
from stages.contracts.review import Agreement, ChosenGraph, Disagreement
from stages.present.charts import IntervalRow, interval_chart, svg
from stages.present.page import OVERVIEW, Frame, brief_page, cell_page, page
from stages.present.table import Entry, Table
from stages.report import validity
from stages.report.advice import Advice, advice_of
from stages.report.cells import sub_scores
from stages.report.charts import Chart, charts
from stages.report.findings import Findings
from stages.report.ranking import by_model_and_brief
from stages.report.rows import (
    FailureRow,
    MeanRow,
    ModelRow,
    failure_rows,
    mean_rows,
    model_rows,
    models_by_id,
)
from stages.report.site.table import failure_tables, listing
from stages.report.tables import BRIEFS, FAILURES, table_of
from stages.shell import numbers
from stages.shell.text import clip

PACKAGE = "stages.report.site"
"""Where the templates of the site are."""
MAX_FLAGS = 8
MAX_FAILURES = 600
MAX_HEAT_FIELDS = 20_000
MAX_CARD_ROWS = 5
MAX_REASONS = 600
"""Columns of the reasons of a disagreement."""
_HEAT_STEPS = 6


def overview_file(frame: Frame, findings: Findings) -> tuple[str, bytes]:
    """The path and the content of the page that the site opens with."""
    failures = findings.failures
    shown_failures = "name code share meaning fix briefs"
    return OVERVIEW, page(
        frame,
        "overview.html.j2",
        package=PACKAGE,
        title="Which model for which mode",
        at=OVERVIEW,
        findings=findings,
        worst=_most_frequent_failure(findings),
        cards=list(_cards(findings)),
        most_flags=MAX_FLAGS,
        leaderboard=_leaderboard(findings),
        formats=_formats(findings),
        charts=_charts(findings),
        models=list(model_rows(findings.models)),
        heat=list(_heat(findings)),
        codes=list(failure_tables(findings.codes, "code share models meaning fix", name="codes")),
        failures=list(failure_tables(failures[:MAX_FAILURES], shown_failures)),
        failures_left_out=max(len(failures) - MAX_FAILURES, 0),
        warnings=_warnings(findings),
        unchecked=_unchecked(findings),
        briefs=_briefs(findings),
        agreement_sentences=_agreement_sentences(findings.agreement),
        agreement_tables=list(agreement_tables(findings.agreement, findings.names)),
        validity=validity,
    )


def _most_frequent_failure(findings: Findings) -> FailureRow | None:
    codes = findings.codes.sort_values(["cells", "code"], ascending=[False, True])
    return next(failure_rows(codes), None)


def _leaderboard(findings: Findings) -> Table:
    return table_of(
        findings.candidates,
        findings.model_fields,
        "name score interval briefs usable cost_per_usable p50 p95 rank mode other content "
        "unchecked unanswered cost",
        title="Models by rank",
        name="leaderboard",
        choose="mode",
        root="",
    )


def _formats(findings: Findings) -> Table:
    formats = findings.formats
    return table_of(
        formats,
        findings.model_fields,
        "name score gain gain_interval asked usable parse_failed invalid cost_per_usable",
        title="Models that were called with and without structured output",
        name="formats",
        root="",
        sortable=False,
    )


def _charts(findings: Findings) -> list[Chart]:
    codes = findings.codes.sort_values(["cells", "code"], ascending=[False, True])
    counts = dict(zip(codes["code"], codes["cells"], strict=True))
    return list(charts(findings.candidates, counts, sub_scores(findings.cells)))


def _warnings(findings: Findings) -> Table:
    return table_of(
        findings.warnings,
        FAILURES,
        "code cells meaning fix",
        title="Warnings, which change no score",
        name="warnings",
        looks={"code": ["warn"] * len(findings.warnings)},
    )


def _unchecked(findings: Findings) -> Table:
    return table_of(
        findings.unchecked,
        BRIEFS,
        "brief unchecked usable_count reason",
        title="Briefs whose graphs could not be checked",
        name="unchecked",
        root="",
    )


def _briefs(findings: Findings) -> Table:
    briefs = findings.briefs
    return table_of(
        briefs,
        BRIEFS,
        "brief expected complexity usable best worst gap",
        title="Briefs, with the models that did best and worst on them",
        name="briefs",
        choose="complexity",
        root="",
    )


@dataclass(frozen=True, slots=True)
class Card:
    """The advice for one mode, the named model (None where there is none), and its score beside
    its rivals'.
    """

    advice: Advice
    model: ModelRow | None
    scale: Markup


def _cards(findings: Findings) -> Iterator[Card]:
    models = models_by_id(findings.candidates)
    for advice in advice_of(findings.decision, findings.candidates):
        named = models.get(advice.decision.named or "")
        rivals = [models[rival.model] for rival in advice.decision.rivals]
        compared = [named, *rivals] if named else rivals
        bars = [_bar(model, named) for model in compared if not math.isnan(model.score)]
        yield Card(advice, named, _scale(bars[:MAX_CARD_ROWS]))


def _bar(model: ModelRow, named: ModelRow | None) -> IntervalRow:
    look = "chosen" if model is named else "plain"
    return IntervalRow(model.name, model.score, model.score_low, model.score_high, look)


def _scale(bars: list[IntervalRow]) -> Markup:
    if not bars:
        return Markup()
    scores = ", ".join(f"{bar.name} {numbers.score(bar.value)}" for bar in bars)
    chart = interval_chart(bars, domain=(0.0, 1.0), width=380)
    return svg(chart, f"Scores from 0 to 1: {scores}")


def _heat(findings: Findings) -> Iterator[tuple[str, list[Entry]]]:
    """The briefs with a field for every model, as far as a page can hold them."""
    means = {
        (mean.brief_id, mean.model_id): mean
        for mean in mean_rows(by_model_and_brief(findings.cells))
    }
    models = findings.models["model_id"]
    most_briefs = max(MAX_HEAT_FIELDS // max(len(models), 1), 1)
    for brief_id in findings.briefs["brief_id"].head(most_briefs):
        yield brief_id, [_heat_field(means.get((brief_id, model_id))) for model_id in models]


def _heat_field(mean: MeanRow | None) -> Entry:
    if mean is None:
        return Entry("", look="hx")
    href = cell_page(Cell(mean.model_id, mean.brief_id, 1))
    if mean.cells > 1:
        href = f"{brief_page(mean.brief_id)}#cells.q={quote(mean.name)}"
    if math.isnan(mean.expected_score):
        return Entry(numbers.MISSING, href=href, look="hx")
    step = min(int(mean.expected_score * _HEAT_STEPS), _HEAT_STEPS - 1)
    return Entry(f"{mean.expected_score:.2f}", href=href, look=f"h{step}")


def _agreement_sentences(agreement: Agreement | None) -> list[str]:
    if agreement is None or not agreement.reviewers:
        return [validity.NOT_MEASURED]
    return [*validity.sentences(agreement), validity.EXPLAINED]


def agreement_tables(agreement: Agreement | None, names: Mapping[str, str]) -> Iterator[Table]:
    """The shares, the strongest disagreements, the sub-scores and the reviewers, each if it has
    a row.
    """
    if agreement is None or not agreement.reviewers:
        return
    if agreement.overall.judgements:
        yield validity.share_table(agreement)
    if agreement.disagreements:
        yield listing(
            "disagreements",
            "Strongest disagreements: more people preferred the graph with the lower score",
            ("Brief", "Preferred", "Higher score", "Choices", "Reasons"),
            [_disagreement(item, names) for item in agreement.disagreements],
        )
    sub_scores_agreed = validity.sub_score_table(agreement)
    if sub_scores_agreed.rows:
        yield sub_scores_agreed
    yield validity.reviewer_table(agreement)


def _disagreement(item: Disagreement, names: Mapping[str, str]) -> tuple[Entry, ...]:
    return (
        Entry(item.brief_id, href=brief_page(item.brief_id)),
        _chosen(item, item.lower, names),
        _chosen(item, item.higher, names),
        Entry(validity.votes(item)),
        Entry(clip(" · ".join(item.reasons), MAX_REASONS)),
    )


def _chosen(item: Disagreement, graph: ChosenGraph, names: Mapping[str, str]) -> Entry:
    text = f"{names.get(graph.model_id, graph.model_id)} {numbers.score(graph.score)}"
    return Entry(text, href=cell_page(validity.cell_of(item, graph)))
