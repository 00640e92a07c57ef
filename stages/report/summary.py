"""`results/summary.md`: the findings for a person, on GitHub or as plain text; each of them once."""

from collections.abc import Mapping
from pathlib import PurePosixPath

from stages.contracts.graph import DraftGraph
from stages.contracts.review import Disagreement
from stages.contracts.scorecard import Audit
from stages.report import agreement as people
from stages.report.advice import advice_of, checks_table, rivals_table
from stages.report.audit import INTRODUCTION, UNSEEN, attack_fields, attack_rows, audit_sentences
from stages.report.cells import Row, rows_of
from stages.report.findings import Findings
from stages.report.mermaid import flowchart
from stages.report.ranking import by_model_and_brief
from stages.report.site.frame import cell_page
from stages.report.tables import as_markdown, brief_fields, cost_text, failure_fields, model_fields
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
    cells = cells.assign(place=cells["model_id"].map(place)).sort_values(["place", "brief_id", "sample"])
    best = cells.sort_values("overall_score", ascending=False, kind="stable").head(1)
    return next(rows_of(best), None)


def summary(findings: Findings, best: Row | None, graph: DraftGraph | None) -> str:
    """The whole page; `best` is the cell with the best graph, None when no graph is usable or it is not available."""
    parts = [
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
        _best(best, graph),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(findings: Findings) -> str:
    run, total = findings.run, findings.total
    cost = f"cost {cost_text(total)}"
    facts = (
        f"Prompt {markdown_code(PurePosixPath(run.prompt.path).name)}, {show.counted(len(findings.models), 'model')}, "
        f"{show.counted(len(findings.briefs), 'brief')}, {show.counted(run.samples, 'sample')} of each: "
        f"{show.counted(total.cells, 'cell')}, {show.count(total.answered)} answered, "
        f"{show.count(total.usable)} with a usable graph, {cost}."
    )
    notices = "\n>\n".join(f"> **{markdown(notice, 400)}**" for notice in findings.notices)
    return "\n\n".join(part for part in (f"# Results of {markdown_code(run.run_id)}", notices, facts) if part)


def _advice(findings: Findings) -> str:
    decision = findings.decision
    rows = [
        [one.mode, markdown(one.name or show.MISSING), one.verdict, markdown(one.text, 1000)]
        for one in advice_of(decision, findings.models)
    ]
    parts = ["## Which model to take", markdown_table(["Mode", "Take", "Verdict", "Why"], rows, "llll")]
    tables = (
        ("The limits of the modes; only a missed limit excludes a model:", checks_table(decision, findings.names)),
        ("The named model of each mode against the others, paired by brief:", rivals_table(decision, findings.names)),
    )
    return "\n\n".join([*parts, *(f"{title}\n\n{table}" for title, table in tables if table)])


def _leaderboard(findings: Findings) -> str:
    params, models = findings.params, findings.models
    fields = model_fields(params.rank_by, params.confidence)
    if params.rank_by == "expected_score":
        other = "*Overall* is the mean over valid graphs only."
    else:
        other = "*Expected* counts an answer without a usable graph as 0."
    spread = (
        "Means over the n valid graphs. Spreads are standard deviations of the score that ranks: between the samples of one "
        "brief (needs two or more), and between briefs with the samples' share taken out."
    )
    dimensions = "name graphs param_quality option_diff completeness defaults spread_samples spread_briefs"
    tokens = "name calls input cached saved output reasoning output_mean"
    columns = "rank name mode briefs usable score interval other cost cost_per_usable p50 p95"
    return "\n\n".join([
        "## Leaderboard",
        f"{findings.ranking_note} The interval is {show.share(params.confidence)} over briefs. {other}",
        as_markdown(models, fields, columns),
        details("Dimensions and spread", f"{as_markdown(models, fields, dimensions)}\n\n{spread}"),
        details("Tokens and the prompt cache", as_markdown(models, fields, tokens)),
    ])  # fmt: skip


def _formats(findings: Findings) -> str:
    """What structured output gains, for models that were called both ways; "" when none was."""
    if findings.formats.empty:
        return ""
    fields = model_fields(findings.params.rank_by, findings.params.confidence)
    columns = "name asked usable parse_failed invalid score gain gain_interval cost_per_usable"
    text = "Configs that differ only in `response_format`. *Gain* is paired by brief, stricter minus freest."
    return f"## Free text against structured output\n\n{text}\n\n{as_markdown(findings.formats, fields, columns)}"


def _briefs(findings: Findings) -> str:
    briefs, columns = findings.briefs, "brief complexity usable expected overall best worst"
    parts = ["## By brief", as_markdown(briefs[:SHOWN_BRIEFS], brief_fields(), columns)]
    if len(briefs) > SHOWN_BRIEFS:
        rest = as_markdown(briefs[SHOWN_BRIEFS:], brief_fields(), columns)
        parts.append(details(f"{show.count(len(briefs) - SHOWN_BRIEFS)} more", rest))
    if len(findings.models) > 1 and len(findings.models) * len(briefs) <= MOST_MATRIX_FIELDS:
        parts.append(details("Every model on every brief (expected score, usable/cells)", _matrix(findings)))
    return "\n\n".join(parts)


def _matrix(findings: Findings) -> str:
    means = by_model_and_brief(findings.cells)
    means["text"] = [f"{show.score(one.expected_score)} {one.usable}/{one.cells}" for one in rows_of(means)]
    matrix = means.pivot(index="brief_id", columns="model_id", values="text").fillna(show.MISSING)
    matrix = matrix[list(findings.models["model_id"])]
    header = ["Brief", *(markdown(name) for name in findings.models["name"])]
    rows = [[markdown(brief_id), *row] for brief_id, row in zip(matrix.index, matrix.to_numpy().tolist(), strict=True)]
    return markdown_table(header, rows, "l" + "r" * len(findings.models))


def _failed(findings: Findings) -> str:
    shares = findings.cells["default_share"]
    defaults = (
        f"On average {show.share(shares.mean())} of the causal edges were left at the default parameters "
        f"(default takeover, over {show.counted(shares.count(), 'valid graph')})."
    )
    parts = ["## What failed"]
    if findings.codes.empty:
        parts.append("Nothing failed: every cell has a usable graph.")
    else:
        fields = model_fields(findings.params.rank_by, findings.params.confidence)
        outcomes = "name cells invalid unfaithful parse_failed truncated refused unanswered"
        parts.append(as_markdown(findings.models, fields, outcomes))
        parts.append(as_markdown(findings.codes, failure_fields(), "code share models recorded meaning fix"))
    parts.append(defaults if shares.count() else "No valid graph has causal edges with parameters.")
    return "\n\n".join(parts)


def _flagged(findings: Findings) -> str:
    lines = [f"- {markdown(flag.message, 400)}" for flag in findings.flags if flag.kind not in _IN_TABLES]
    parts = ["## Flagged issues", "\n".join(lines[:SHOWN_FLAGS]) if lines else "None."]
    if len(lines) > SHOWN_FLAGS:
        parts.append(details(f"{show.count(len(lines) - SHOWN_FLAGS)} more", "\n".join(lines[SHOWN_FLAGS:])))
    return "\n\n".join(parts)


def _warnings(findings: Findings) -> str:
    table = as_markdown(findings.warnings, failure_fields(), "code cells meaning")
    return f"## Warnings\n\nOddities that change no score.\n\n{table}" if len(findings.warnings) else ""


def _audit(audit: Audit | None) -> str:
    if audit is None:
        return ""
    names = "attack graphs violation failed_check warning score nothing"
    parts = [
        "## What this score can and cannot see",
        UNSEEN,
        "\n".join(f"- {markdown(sentence, 400)}" for sentence in audit_sentences(audit)),
        INTRODUCTION,
        as_markdown(attack_rows(audit), attack_fields(), names),
    ]
    return "\n\n".join(parts)


def _agreement(findings: Findings) -> str:
    found = findings.agreement
    if found is None or not found.reviewers:
        return f"## {people.TITLE}\n\n{people.NOT_MEASURED}"
    parts = [
        f"## {people.TITLE}",
        " ".join(markdown(sentence, 400) for sentence in people.sentences(found)),
        people.EXPLAINED,
    ]
    if found.overall.judgements:
        parts.append(as_markdown(people.shares(found), people.SHARE_FIELDS, people.SHARE_COLUMNS))
    if found.disagreements:
        parts.append("The strongest disagreements, in which more people preferred the graph with the lower score:")
        parts.append("\n".join(_disagreement(one, findings.names) for one in found.disagreements))
    if found.overall.decided:
        parts.append(
            details(
                "By sub-score", as_markdown(people.sub_scores(found), people.SHARE_FIELDS, people.SUB_SCORE_COLUMNS)
            )
        )
    parts.append(
        details("Reviewers", as_markdown(people.reviewers(found), people.REVIEWER_FIELDS, people.REVIEWER_COLUMNS))
    )
    return "\n\n".join(parts)


def _disagreement(one: Disagreement, names: Mapping[str, str]) -> str:
    lower, higher = (
        f"[{markdown(names.get(graph.model_id, graph.model_id))}](site/{cell_page(people.cell_of(one, graph))}) {show.score(graph.score)}"
        for graph in (one.lower, one.higher)
    )
    reasons = "".join(f" “{markdown(reason)}”" for reason in one.reasons)
    return f"- {markdown(one.brief_id)}: {lower} against {higher}; {people.votes(one)}.{reasons}"


def _best(best: Row | None, graph: DraftGraph | None) -> str:
    drawing = flowchart(graph) if graph else None
    if best is None or drawing is None:
        return ""
    where = f"{markdown(best.name)} on {markdown(best.brief_id)}, sample {show.count(best.sample)}"
    text = (
        f"{where}: overall {show.score(best.overall_score)}. Negative effects are dotted, confounders point both ways."
    )
    return f"## The best graph\n\n{text}\n\n{fenced(drawing, 'mermaid')}"
