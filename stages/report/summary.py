"""`results/summary.md`: the findings for a person, on GitHub or as plain text; each of them once."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath

from stages.contracts.graph import read
from stages.contracts.response import Cell, Response
from stages.contracts.review import Disagreement
from stages.contracts.scorecard import Audit
from stages.report import validity
from stages.report.advice import advice_of, checks_table, rivals_table
from stages.report.cells import Row, cell_of, rows_of
from stages.report.findings import Findings
from stages.report.graph_text import flowchart
from stages.report.ranking import by_model_and_brief
from stages.report.site.frame import cell_page
from stages.report.tables import as_markdown, brief_fields, cost_text, failure_fields
from stages.shell import numbers as show
from stages.shell.text import details, fenced, markdown, markdown_code, markdown_table

SHOWN_BRIEFS = 40
"""Briefs whose rows are open; the others are collapsed."""
SHOWN_FLAGS = 20
MOST_MATRIX_FIELDS = 2_000
_IN_TABLES = ("unanswered", "cost_unknown", "shut_down")
"""Flags that a table or a notice of the page says already."""


def best_graph(findings: Findings) -> Row | None:
    """The cell with the highest overall score; of equals the first by model (in order of rank), brief and sample."""
    place = {model_id: number for number, model_id in enumerate(findings.models["model_id"])}
    cells = findings.cells[findings.cells["usable"]]
    cells = cells.assign(place=cells["model_id"].map(place)).sort_values(
        ["place", "brief_id", "sample"]
    )
    best = cells.sort_values("overall_score", ascending=False, kind="stable").head(1)
    return next(rows_of(best), None)


def summary(findings: Findings, response_of: Callable[[Cell], Response | None]) -> str:
    """The whole page; `response_of` reads the response of the best cell, None when there is none."""
    sections = (
        _head(findings),
        _advice(findings),
        _leaderboard(findings),
        _formats(findings),
        _briefs(findings),
        _failed(findings),
        _flagged(findings),
        _warnings(findings),
        _audit(findings.audit),
        _agreement(findings),
        _best(best_graph(findings), response_of),
    )
    return "\n\n".join(part for section in sections for part in section if part) + "\n"


def _head(findings: Findings) -> Iterator[str]:
    run, total = findings.run, findings.total
    yield f"# Results of {markdown_code(run.run_id)}"
    yield "\n>\n".join(f"> **{markdown(notice, 400)}**" for notice in findings.notices)
    yield (
        f"Prompt {markdown_code(PurePosixPath(run.prompt.path).name)}, {show.counted(len(findings.models), 'model')}, "
        f"{show.counted(len(findings.briefs), 'brief')}, {show.counted(run.samples, 'sample')} of each: "
        f"{show.counted(total.cells, 'cell')}, {show.count(total.answered)} answered, "
        f"{show.count(total.usable)} with a usable graph, cost {cost_text(total)}."
    )


def _advice(findings: Findings) -> Iterator[str]:
    decision = findings.decision
    rows = [
        [one.mode, markdown(one.name or show.MISSING), one.verdict, markdown(one.text, 1000)]
        for one in advice_of(decision, findings.models)
    ]
    yield "## Which model to take"
    yield markdown_table(["Mode", "Take", "Verdict", "Why"], rows, "llll")
    if checks := checks_table(decision, findings.names):
        yield f"The limits of the modes; only a missed limit excludes a model:\n\n{checks}"
    if rivals := rivals_table(decision, findings.names):
        yield f"The named model of each mode against the others, paired by brief:\n\n{rivals}"


def _leaderboard(findings: Findings) -> Iterator[str]:
    params, models, fields = findings.params, findings.models, findings.model_fields
    yield "## Leaderboard"
    other = "*Expected* counts an answer without a usable graph as 0."
    if params.rank_by == "expected_score":
        other = "*Overall* is the mean over valid graphs only."
    yield f"{findings.ranking_note} The interval is {show.share(params.confidence)} over briefs. {other}"
    yield as_markdown(
        models,
        fields,
        "rank name mode briefs usable score interval other cost cost_per_usable p50 p95",
    )
    columns = (
        "name graphs param_quality option_diff completeness defaults spread_samples spread_briefs"
    )
    spread = (
        "Means over the n valid graphs. Spreads are standard deviations of the score that ranks: between the samples of one "
        "brief (needs two or more), and between briefs with the samples' share taken out."
    )
    yield details("Dimensions and spread", f"{as_markdown(models, fields, columns)}\n\n{spread}")
    columns = "name calls input cached saved output reasoning output_mean"
    yield details("Tokens and the prompt cache", as_markdown(models, fields, columns))


def _formats(findings: Findings) -> Iterator[str]:
    if len(findings.formats):
        yield "## Free text against structured output"
        yield "Configs that differ only in `response_format`. *Gain* is paired by brief, stricter minus freest."
        columns = "name asked usable parse_failed invalid score gain gain_interval cost_per_usable"
        yield as_markdown(findings.formats, findings.model_fields, columns)


def _briefs(findings: Findings) -> Iterator[str]:
    briefs, columns = findings.briefs, "brief complexity usable expected overall best worst"
    yield "## By brief"
    yield as_markdown(briefs[:SHOWN_BRIEFS], brief_fields(), columns)
    if len(briefs) > SHOWN_BRIEFS:
        rest = as_markdown(briefs[SHOWN_BRIEFS:], brief_fields(), columns)
        yield details(f"{show.count(len(briefs) - SHOWN_BRIEFS)} more", rest)
    if len(findings.models) > 1 and len(findings.models) * len(briefs) <= MOST_MATRIX_FIELDS:
        yield details(
            "Every model on every brief (expected score, usable/cells)", _matrix(findings)
        )


def _matrix(findings: Findings) -> str:
    means = by_model_and_brief(findings.cells)
    means["text"] = [
        f"{show.score(one.expected_score)} {one.usable}/{one.cells}" for one in rows_of(means)
    ]
    matrix = means.pivot(index="brief_id", columns="model_id", values="text").fillna(show.MISSING)
    matrix = matrix[list(findings.models["model_id"])]
    header = ["Brief", *(markdown(name) for name in findings.models["name"])]
    rows = [
        [markdown(brief_id), *row]
        for brief_id, row in zip(matrix.index, matrix.to_numpy().tolist(), strict=True)
    ]
    return markdown_table(header, rows, "l" + "r" * len(findings.models))


def _failed(findings: Findings) -> Iterator[str]:
    shares = findings.cells["default_share"]
    yield "## What failed"
    if findings.codes.empty:
        yield "Nothing failed: every cell has a usable graph."
    else:
        outcomes = "name cells invalid unfaithful parse_failed truncated refused unanswered"
        yield as_markdown(findings.models, findings.model_fields, outcomes)
        yield as_markdown(
            findings.codes, failure_fields(), "code share models recorded meaning fix"
        )
    if shares.count():
        yield (
            f"On average {show.share(shares.mean())} of the causal edges were left at the default parameters "
            f"(default takeover, over {show.counted(shares.count(), 'valid graph')})."
        )
    else:
        yield "No valid graph has causal edges with parameters."


def _flagged(findings: Findings) -> Iterator[str]:
    lines = [
        f"- {markdown(flag.message, 400)}" for flag in findings.flags if flag.kind not in _IN_TABLES
    ]
    yield "## Flagged issues"
    yield "\n".join(lines[:SHOWN_FLAGS]) or "None."
    if len(lines) > SHOWN_FLAGS:
        yield details(
            f"{show.count(len(lines) - SHOWN_FLAGS)} more", "\n".join(lines[SHOWN_FLAGS:])
        )


def _warnings(findings: Findings) -> Iterator[str]:
    if len(findings.warnings):
        yield "## Warnings\n\nOddities that change no score."
        yield as_markdown(findings.warnings, failure_fields(), "code cells meaning")


def _audit(audit: Audit | None) -> Iterator[str]:
    if audit is not None:
        yield "## What this score can and cannot see"
        yield validity.UNSEEN
        yield "\n".join(
            f"- {markdown(sentence, 400)}" for sentence in validity.audit_sentences(audit)
        )
        yield validity.INTRODUCTION
        columns = "attack graphs violation failed_check warning score nothing"
        yield as_markdown(validity.attack_rows(audit), validity.ATTACK_FIELDS, columns)


def _agreement(findings: Findings) -> Iterator[str]:
    found = findings.agreement
    yield f"## {validity.TITLE}"
    if found is None or not found.reviewers:
        yield validity.NOT_MEASURED
        return
    yield " ".join(markdown(sentence, 400) for sentence in validity.sentences(found))
    yield validity.EXPLAINED
    if found.overall.judgements:
        yield as_markdown(validity.shares(found), validity.SHARE_FIELDS, validity.SHARE_COLUMNS)
    if found.disagreements:
        yield "The strongest disagreements, in which more people preferred the graph with the lower score:"
        yield "\n".join(_disagreement(one, findings.names) for one in found.disagreements)
    if found.overall.decided:
        subs = as_markdown(
            validity.sub_scores(found), validity.SHARE_FIELDS, validity.SUB_SCORE_COLUMNS
        )
        yield details("By sub-score", subs)
    reviewers = as_markdown(
        validity.reviewers(found), validity.REVIEWER_FIELDS, validity.REVIEWER_COLUMNS
    )
    yield details("Reviewers", reviewers)


def _disagreement(one: Disagreement, names: Mapping[str, str]) -> str:
    lower, higher = (
        f"[{markdown(names.get(graph.model_id, graph.model_id))}](site/{cell_page(validity.cell_of(one, graph))}) {show.score(graph.score)}"
        for graph in (one.lower, one.higher)
    )
    reasons = "".join(f" “{markdown(reason)}”" for reason in one.reasons)
    return f"- {markdown(one.brief_id)}: {lower} against {higher}; {validity.votes(one)}.{reasons}"


def _best(best: Row | None, response_of: Callable[[Cell], Response | None]) -> Iterator[str]:
    response = response_of(cell_of(best)) if best is not None else None
    drawing = flowchart(read(response.parsed_graph)[0]) if response else None
    if best is not None and drawing is not None:
        where = (
            f"{markdown(best.name)} on {markdown(best.brief_id)}, sample {show.count(best.sample)}"
        )
        signs = "Negative effects are dotted, confounders point both ways."
        yield "## The best graph"
        yield f"{where}: overall {show.score(best.overall_score)}. {signs}"
        yield fenced(drawing, "mermaid")
