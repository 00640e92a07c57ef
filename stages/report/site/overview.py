"""The overview: which model for each mode, how sure that is, what it costs and what went wrong."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd
from markupsafe import Markup

from stages.contracts.decision import Decision
from stages.contracts.review import Agreement, ChosenGraph, Disagreement
from stages.present.charts import IntervalRow, interval_chart, svg
from stages.present.page import OVERVIEW, Frame, brief_page, cell_page, cells_link, model_page, page
from stages.present.table import Entry, Table
from stages.report import validity
from stages.report.advice import Advice, advice_of
from stages.report.cells import sub_scores
from stages.report.charts import Chart, charts
from stages.report.findings import TRAFFIC, Findings
from stages.report.ranking import by_model_and_brief
from stages.report.repairs import EXPLAINED, HEADING, repairs_table
from stages.report.rows import (
    MeanRow,
    ModelRow,
    failure_rows,
    mean_rows,
    model_rows,
    models_by_id,
)
from stages.report.site.glossary import FIRST_TERMS
from stages.report.site.table import PACKAGE, failure_tables, listing
from stages.report.tables import BRIEFS, FAILURES, OUTCOMES, table_of
from stages.shell import numbers
from stages.shell.text import clip

MAX_FLAGS = 8
MAX_FAILURES = 600
MAX_HEAT_FIELDS = 1_200
MAX_BRIEFS = 120
MAX_CARD_ROWS = 5
MAX_NAMED_FAILURES = 4
MAX_REASONS = 600
"""Columns of the reasons of a disagreement."""
_HEAT_STEPS = 6


def overview_file(frame: Frame, findings: Findings) -> tuple[str, bytes]:
    """The path and the content of the page that the site opens with."""
    failures = findings.failures
    shown_failures = "name failure_of_model code share meaning fix briefs"
    return OVERVIEW, page(
        frame,
        "overview.html.j2",
        package=PACKAGE,
        title="Which model for which mode",
        at=OVERVIEW,
        findings=findings,
        answered_on=max(filter(None, findings.cells["created_at"]), default="")[:10],
        worst=list(failure_rows(_most_frequent_first(findings.codes).head(MAX_NAMED_FAILURES))),
        cards=list(_cards(findings)),
        caveats=common_caveats(findings.decision),
        terms=FIRST_TERMS,
        outcomes=OUTCOMES,
        most_flags=MAX_FLAGS,
        leaderboard=_leaderboard(findings),
        traffic=_traffic(findings),
        traffic_text=TRAFFIC,
        formats=_formats(findings),
        repairs=repairs_table(findings.cells),
        repairs_texts=(HEADING, EXPLAINED),
        charts=_charts(findings),
        models=list(model_rows(findings.models)),
        heat=list(_heat(findings)),
        codes=list(
            failure_tables(findings.codes, "failure code share models meaning fix", name="codes")
        ),
        failures=list(failure_tables(failures[:MAX_FAILURES], shown_failures)),
        failures_left_out=max(len(failures) - MAX_FAILURES, 0),
        warnings=_warnings(findings),
        unchecked=_unchecked(findings),
        briefs=_briefs(findings),
        agreement_sentences=_agreement_sentences(findings.agreement),
        agreement_tables=list(agreement_tables(findings.agreement, findings.names)),
        validity=validity,
    )


def _most_frequent_first(codes: pd.DataFrame) -> pd.DataFrame:
    return codes.sort_values(["cells", "code"], ascending=[False, True])


def _leaderboard(findings: Findings) -> Table:
    return table_of(
        findings.ranked_models,
        findings.model_fields,
        "name score interval briefs usable cost_per_usable p50 p95 rank mode other content "
        "unchecked unanswered cost",
        title="Models by rank",
        name="leaderboard",
        choose="mode",
        root="",
    )


def _traffic(findings: Findings) -> Table:
    return table_of(
        findings.traffic_models,
        findings.model_fields,
        "name score interval briefs usable cost_per_usable p50 p95 other content unchecked cost",
        title="Models with answers to logged inputs",
        name="traffic",
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
    codes = _most_frequent_first(findings.codes)
    counts = dict(zip(codes["code"], codes["cells"], strict=True))
    shown = findings.traffic_models if findings.ranked_models.empty else findings.ranked_models
    return list(charts(shown, counts, sub_scores(findings.cells)))


def _warnings(findings: Findings) -> Table:
    return table_of(
        findings.warnings,
        FAILURES,
        "warning code cells meaning fix",
        title="Warnings, which change no score",
        name="warnings",
        root="",
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
    briefs, title = findings.briefs, "Briefs, with the models that did best and worst on them"
    if len(briefs) > MAX_BRIEFS:
        briefs = briefs.sort_values(["expected_score", "brief_id"]).head(MAX_BRIEFS)
        title += f", the {MAX_BRIEFS} with the lowest scores"
    return table_of(
        briefs,
        BRIEFS,
        "brief expected complexity usable best worst gap",
        title=title,
        name="briefs",
        choose="complexity",
        root="",
    )


def common_caveats(decision: Decision) -> tuple[str, ...]:
    """What limits the interval of every named model: said once, not on each card."""
    caveats = [chosen.caveats for chosen in decision.modes.values() if chosen.model]
    if len(caveats) < 2:
        return ()
    return tuple(text for text in caveats[0] if all(text in others for others in caveats))


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
    href = model_page(model.model_id)
    return IntervalRow(model.name, model.score, model.score_low, model.score_high, look, href)


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
        return Entry("")
    href = cells_link(model=mean.model_id, brief=mean.brief_id)
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
