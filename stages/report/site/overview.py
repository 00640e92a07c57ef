"""The overview: which model for each mode, how sure that is, what it costs and what went wrong."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

import pandas as pd
from markupsafe import Markup

from stages.contracts.audit import Audit
from stages.contracts.cell import Cell
from stages.report.advice import Advice, advice_of
from stages.report.agreement import EXPLAINED, NOT_MEASURED, TITLE, sentences
from stages.report.audit import INTRODUCTION, UNSEEN, attack_fields, attack_rows, audit_sentences
from stages.report.cells import Row, rows_of, sub_scores
from stages.report.charts import IntervalRow, charts, interval_chart, svg
from stages.report.findings import Findings
from stages.report.ranking import by_model_and_brief
from stages.report.site.addresses import OVERVIEW, brief_page, cell_page, model_page
from stages.report.site.agreement_tables import agreement_tables
from stages.report.site.frame import Frame, page
from stages.report.site.model_page import unpriced
from stages.report.site.table import Entry, Fact, Table, failure_tables, table_of
from stages.report.tables import brief_fields, failure_fields, model_fields
from stages.shell import numbers

MAX_FLAGS = 8
MAX_FAILURES = 600
MAX_HEAT_FIELDS = 20_000
_HEAT_STEPS = 6
_CARD_ROWS = 5
_MODELS = "name score interval briefs usable cost_per_usable p50 p95 rank mode other unanswered cost"


@dataclass(frozen=True, slots=True)
class Card:
    """The advice for one mode: its title, the model's page, the candidates on one scale, and the named one's figures."""

    mode: str
    href: str
    advice: Advice
    scale: Markup
    facts: tuple[Fact, ...]


def overview_file(frame: Frame, findings: Findings) -> tuple[str, bytes]:
    """The path and the content of the page that the site opens with."""
    models, briefs = findings.models, findings.briefs
    codes = findings.codes.sort_values(["cells", "code"], ascending=[False, True])
    heat_briefs = [str(one) for one in briefs["brief_id"].head(max(MAX_HEAT_FIELDS // max(len(models), 1), 1))]
    return OVERVIEW, page(
        frame,
        "overview.html.j2",
        title="Which model for which mode",
        at=OVERVIEW,
        lede=_lede(findings),
        cards=[_card(advice, models) for advice in advice_of(findings.decision, models)],
        facts_shown=_facts(findings.total, codes),
        flags=list(_flags(findings)),
        ranking_note=findings.ranking_note,
        leaderboard=_leaderboard(findings),
        formats=_formats(findings),
        charts=list(charts(models, dict(zip(codes["code"], codes["cells"], strict=True)), sub_scores(findings.cells))),
        heat_models=[(row.name, model_page(row.model_id)) for row in rows_of(models)],
        heat=list(_heat(findings, heat_briefs)),
        heat_left_out=len(briefs) - len(heat_briefs),
        codes=failure_tables(list(rows_of(findings.codes)), "code share models meaning fix", name="codes"),
        failures=failure_tables(list(rows_of(findings.failures))[:MAX_FAILURES], "name code share meaning fix briefs"),
        failures_left_out=max(len(findings.failures) - MAX_FAILURES, 0),
        warnings=table_of(
            "warnings",
            "Warnings, which change no score",
            rows_of(findings.warnings),
            failure_fields(),
            "code cells meaning fix",
            looks={"code": lambda _: "warn"},
        ),
        briefs=_briefs(findings),
        unseen=UNSEEN,
        audit_note=INTRODUCTION,
        audit_sentences=list(audit_sentences(findings.audit)) if findings.audit else [],
        audit=_audit(findings.audit) if findings.audit else None,
        agreement_title=TITLE,
        agreement=[*sentences(findings.agreement), EXPLAINED]
        if findings.agreement and findings.agreement.reviewers
        else [NOT_MEASURED],
        agreement_tables=list(agreement_tables(findings.agreement, findings.names)),
    )


def _lede(findings: Findings) -> str:
    samples = f", {findings.run.samples} samples each" if findings.run.samples > 1 else ""
    return (
        f"{numbers.counted(len(findings.models), 'model')} drafted decision graphs for "
        f"{numbers.counted(len(findings.briefs), 'brief')}{samples}: {numbers.counted(findings.total.cells, 'cell')}."
    )


def _facts(total: Row, codes: pd.DataFrame) -> tuple[Fact, ...]:
    worst = next(rows_of(codes), None)
    frequent = (
        (worst.code.replace("_", " ").capitalize(), f"in {numbers.counted(worst.cells, 'cell')}")
        if worst
        else ("none", "")
    )
    return (
        (
            "Usable graphs",
            numbers.share(total.usable_share),
            f"{numbers.count(total.usable)} of {numbers.count(total.cells)}",
        ),
        ("Invalid graphs", numbers.count(total.invalid), "so they have no scores"),
        ("Failed a fidelity check", numbers.count(total.unfaithful), "so they count as 0"),
        ("No answer", numbers.count(total.unanswered), "cells to call again"),
        ("Most frequent failure", *frequent),
        ("Cost", numbers.money(total.cost_usd), unpriced(total.cost_unknown) or "all answers"),
        ("Read from the prompt cache", numbers.share(total.cached_share), "of the input tokens"),
    )


def _card(advice: Advice, models: pd.DataFrame) -> Card:
    rows = {row.model_id: row for row in rows_of(models)}
    named = rows.get(advice.model_id)
    candidates = [rows[key] for key in (advice.model_id, *advice.rivals) if key in rows]
    return Card(
        mode="No target mode" if advice.mode == "no mode" else f"{advice.mode} mode".capitalize(),
        href=model_page(named.model_id) if named else "",
        advice=advice,
        scale=_scale(candidates, advice.model_id),
        facts=_card_facts(named) if named else (),
    )


def _card_facts(model: Row) -> tuple[Fact, ...]:
    interval = f"{numbers.interval(model.score_low, model.score_high)}, n = {numbers.count(model.score_n)}"
    return (
        ("Score", numbers.score(model.score), interval),
        (
            "Usable graphs",
            numbers.share(model.usable_share),
            f"{numbers.count(model.usable)} of {numbers.count(model.cells)}",
        ),
        ("Cost per usable graph", numbers.money(model.cost_per_usable_usd), ""),
        ("Latency, median", numbers.duration(model.latency_p50_ms), f"p95 {numbers.duration(model.latency_p95_ms)}"),
    )


def _scale(candidates: list[Row], chosen: str | None) -> Markup:
    """The candidates' scores and intervals on one scale from 0 to 1."""
    shown = [row for row in candidates if not pd.isna(row.score)][:_CARD_ROWS]
    if not shown:
        return Markup()
    rows = [
        IntervalRow(row.name, row.score, row.score_low, row.score_high, "chosen" if row.model_id == chosen else "plain")
        for row in shown
    ]
    scores = ", ".join(f"{row.name} {numbers.score(row.value)}" for row in rows)
    return svg(interval_chart(rows, domain=(0.0, 1.0), width=380), f"Scores from 0 to 1: {scores}")


def _flags(findings: Findings) -> Iterator[tuple[str, str]]:
    for flag in findings.flags[:MAX_FLAGS]:
        href = model_page(flag.model_id) if flag.model_id else brief_page(flag.brief_id) if flag.brief_id else ""
        yield flag.message, href
    more = len(findings.flags) - MAX_FLAGS
    if more > 0:
        yield f"And {more} more, on the pages of models and briefs.", ""


def _leaderboard(findings: Findings) -> Table:
    some = findings.models["simulated"].any() and not findings.models["simulated"].all()
    return table_of(
        "leaderboard",
        "Models by rank",
        rows_of(findings.models),
        model_fields(findings.params.rank_by, findings.params.confidence),
        _MODELS,
        choose="mode",
        links={"name": lambda row: model_page(row.model_id)},
        notes={"name": lambda row: "simulated" if some and row.simulated else ""},
    )


def _formats(findings: Findings) -> Table:
    return table_of(
        "formats",
        "Models that were called with and without structured output",
        rows_of(findings.formats),
        model_fields(findings.params.rank_by, findings.params.confidence),
        "name score gain gain_interval asked usable parse_failed invalid cost_per_usable",
        links={"name": lambda row: model_page(row.model_id)},
        sortable=False,
    )


def _briefs(findings: Findings) -> Table:
    return table_of(
        "briefs",
        "Briefs, with the models that did best and worst on them",
        rows_of(findings.briefs),
        brief_fields(),
        "brief expected complexity usable best worst gap",
        choose="complexity",
        links={
            "brief": lambda row: brief_page(row.brief_id),
            "best": lambda row: model_page(row.best) if row.best else "",
            "worst": lambda row: model_page(row.worst) if row.worst else "",
        },
    )


def _audit(audit: Audit) -> Table:
    return table_of(
        "audit",
        "By what a change on purpose was noticed first",
        rows_of(attack_rows(audit)),
        attack_fields(),
        "attack nothing graphs violation failed_check warning score mean_drop",
    )


def _heat(findings: Findings, briefs: list[str]) -> Iterator[tuple[str, str, list[Entry]]]:
    """A row per brief: its id, its page, and a field per model."""
    means: Mapping[tuple[str, str], Row] = {
        (row.brief_id, row.model_id): row for row in rows_of(by_model_and_brief(findings.cells))
    }
    for brief_id in briefs:
        fields = [_heat_field(means.get((brief_id, model_id))) for model_id in findings.models["model_id"]]
        yield brief_id, brief_page(brief_id), fields


def _heat_field(mean: Row | None) -> Entry:
    if mean is None:
        return Entry("", look="hx")
    href = cell_page(Cell(mean.model_id, mean.brief_id, 1))
    if mean.cells > 1:
        href = f"{brief_page(mean.brief_id)}#cells.q={quote(mean.name)}"
    if pd.isna(mean.expected_score):
        return Entry(numbers.MISSING, href=href, look="hx")
    step = min(int(mean.expected_score * _HEAT_STEPS), _HEAT_STEPS - 1)
    return Entry(f"{mean.expected_score:.2f}", href=href, look=f"h{step}")
