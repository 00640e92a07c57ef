"""The overview: which model for each mode, how sure that is, what it costs and what went wrong."""

from collections.abc import Iterator, Mapping
from urllib.parse import quote

import pandas as pd

from stages.contracts.response import Cell
from stages.contracts.review import Agreement, ChosenGraph, Disagreement
from stages.report import validity
from stages.report.advice import Advice, advice_of
from stages.report.cells import Row, rows_of, sub_scores
from stages.report.charts import IntervalRow, charts, interval_chart, svg
from stages.report.findings import Findings
from stages.report.ranking import by_model_and_brief
from stages.report.site.frame import OVERVIEW, Frame, brief_page, cell_page, model_page, page
from stages.report.site.table import Entry, Of, Table, failure_tables, listing, table_of
from stages.report.tables import brief_fields, failure_fields
from stages.shell import numbers
from stages.shell.text import clip

MAX_FLAGS = 8
MAX_FAILURES = 600
MAX_HEAT_FIELDS = 20_000
_HEAT_STEPS = 6
_CARD_ROWS = 5
_REASONS = 600


def overview_file(frame: Frame, findings: Findings) -> tuple[str, bytes]:
    """The path and the content of the page that the site opens with."""
    models, briefs, audit = findings.models, findings.briefs, findings.audit
    reviewed = findings.agreement if findings.agreement and findings.agreement.reviewers else None
    codes = findings.codes.sort_values(["cells", "code"], ascending=[False, True])
    fields = findings.model_fields
    to_model: Of = {"name": lambda row: model_page(row.model_id)}
    return OVERVIEW, page(
        frame,
        "overview.html.j2",
        title="Which model for which mode",
        at=OVERVIEW,
        findings=findings,
        worst=next(rows_of(codes), None),
        cards=list(_cards(findings)),
        most_flags=MAX_FLAGS,
        leaderboard=table_of(
            "leaderboard", "Models by rank", rows_of(models), fields,
            "name score interval briefs usable cost_per_usable p50 p95 rank mode other unanswered cost", choose="mode",
            links=to_model,
        ),
        formats=table_of(
            "formats", "Models that were called with and without structured output", rows_of(findings.formats), fields,
            "name score gain gain_interval asked usable parse_failed invalid cost_per_usable", links=to_model, sortable=False,
        ),
        charts=list(charts(models, dict(zip(codes["code"], codes["cells"], strict=True)), sub_scores(findings.cells))),
        models=list(rows_of(models)),
        heat=list(_heat(findings)),
        codes=failure_tables(list(rows_of(findings.codes)), "code share models meaning fix", name="codes"),
        failures=failure_tables(list(rows_of(findings.failures))[:MAX_FAILURES], "name code share meaning fix briefs"),
        failures_left_out=max(len(findings.failures) - MAX_FAILURES, 0),
        warnings=table_of(
            "warnings", "Warnings, which change no score", rows_of(findings.warnings), failure_fields(),
            "code cells meaning fix", looks={"code": lambda _: "warn"},
        ),
        briefs=table_of(
            "briefs", "Briefs, with the models that did best and worst on them", rows_of(briefs), brief_fields(),
            "brief expected complexity usable best worst gap", choose="complexity", links={
                "brief": lambda row: brief_page(row.brief_id),
                "best": lambda row: model_page(row.best) if row.best else "",
                "worst": lambda row: model_page(row.worst) if row.worst else "",
            },
        ),
        unseen=validity.UNSEEN,
        audit_note=validity.INTRODUCTION,
        audit_sentences=list(validity.audit_sentences(audit)) if audit else [],
        audit=table_of(
            "audit", "What noticed each deliberate change first", rows_of(validity.attack_rows(audit)), validity.ATTACK_FIELDS,
            "attack nothing graphs violation failed_check warning score mean_drop",
        ) if audit else None,
        agreement_title=validity.TITLE,
        agreement=[*validity.sentences(reviewed), validity.EXPLAINED] if reviewed else [validity.NOT_MEASURED],
        agreement_tables=agreement_tables(reviewed, findings.names) if reviewed else [],
    )  # fmt: skip


def _cards(findings: Findings) -> Iterator[tuple[Advice, Row | None, str]]:
    rows = {row.model_id: row for row in rows_of(findings.models)}
    for advice in advice_of(findings.decision, findings.models):
        named = rows.get(advice.decision.model or "")
        candidates = [named, *(rows.get(rival.model) for rival in advice.decision.rivals)]
        shown = [row for row in candidates if row is not None and not pd.isna(row.score)][
            :_CARD_ROWS
        ]
        bars = [
            IntervalRow(
                row.name,
                row.score,
                row.score_low,
                row.score_high,
                "chosen" if row is named else "plain",
            )
            for row in shown
        ]
        scores = ", ".join(f"{row.name} {numbers.score(row.value)}" for row in bars)
        chart = (
            svg(interval_chart(bars, domain=(0.0, 1.0), width=380), f"Scores from 0 to 1: {scores}")
            if bars
            else ""
        )
        yield advice, named, chart


def _heat(findings: Findings) -> Iterator[tuple[str, list[Entry]]]:
    means = {
        (row.brief_id, row.model_id): row for row in rows_of(by_model_and_brief(findings.cells))
    }
    models = findings.models["model_id"]
    for brief_id in findings.briefs["brief_id"].head(
        max(MAX_HEAT_FIELDS // max(len(models), 1), 1)
    ):
        yield brief_id, [_heat_field(means.get((brief_id, model_id))) for model_id in models]


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


def agreement_tables(found: Agreement, names: Mapping[str, str]) -> list[Table]:
    """The shares, the strongest disagreements, the sub-scores and the reviewers, each if it has a row."""
    shares = rows_of(validity.shares(found)) if found.overall.judgements else ()
    subs = rows_of(validity.sub_scores(found)) if found.overall.decided else ()
    reviewers = rows_of(validity.reviewers(found))
    tables = (
        table_of(
            "agreement", "Agreement with people by difference of scores", shares,
            validity.SHARE_FIELDS, validity.SHARE_COLUMNS, sortable=False,
        ),
        listing(
            "disagreements", "Strongest disagreements: more people preferred the graph with the lower score",
            ("Brief", "Preferred", "Higher score", "Choices", "Reasons"),
            [
                (
                    Entry(one.brief_id, href=brief_page(one.brief_id)),
                    *(_chosen(one, graph, names) for graph in (one.lower, one.higher)),
                    validity.votes(one),
                    Entry(clip(" · ".join(one.reasons), _REASONS)),
                )
                for one in found.disagreements
            ],
        ),
        table_of("agreement-sub-scores", "Agreement by sub-score", subs, validity.SHARE_FIELDS, validity.SUB_SCORE_COLUMNS),
        table_of("reviewers", "Reviewers", reviewers, validity.REVIEWER_FIELDS, validity.REVIEWER_COLUMNS),
    )  # fmt: skip
    return [table for table in tables if table.rows]


def _chosen(one: Disagreement, graph: ChosenGraph, names: Mapping[str, str]) -> Entry:
    text = f"{names.get(graph.model_id, graph.model_id)} {numbers.score(graph.score)}"
    return Entry(text, href=cell_page(validity.cell_of(one, graph)))
