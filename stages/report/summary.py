"""`results/summary.md`: the findings for a person, on GitHub or as plain text; each of them
once.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath

import pandas as pd

from stages.contracts.graph import read
from stages.contracts.response import Cell, Response
from stages.contracts.review import ChosenGraph, Disagreement
from stages.contracts.scorecard import Audit
from stages.present.markdown import show_list, show_table
from stages.present.page import cell_page
from stages.present.table import Column, make_table
from stages.report import policy_tables, validity
from stages.report.advice import advice_of, checks_table, rivals_table
from stages.report.findings import TRAFFIC, Findings
from stages.report.graph_text import flowchart
from stages.report.ranking import by_model_and_brief
from stages.report.repairs import EXPLAINED, HEADING, repairs_table
from stages.report.rows import CellRow, cell_of, cell_rows, mean_rows
from stages.report.tables import BRIEFS, FAILURES, Fields, cost_text, table_of, text_or_dash
from stages.shell import numbers as show
from stages.shell.text import details, fenced, markdown, markdown_code

MAX_OPEN_BRIEFS = 40
"""Briefs whose rows are open; the others are collapsed."""
MAX_FLAGS = 20
MAX_MATRIX_FIELDS = 2_000
MAX_SENTENCE = 400
"""Characters of a sentence that quotes a model or a brief."""
MAX_ADVICE = 1_000
_SHOWN_ELSEWHERE = ("unanswered", "cost_unknown", "shut_down")
"""Flags that a table or a notice of the page says already."""

Responses = Callable[[Cell], Response | None]


def best_graph(findings: Findings) -> CellRow | None:
    """The cell with the highest overall score; of equals the first by model (in order of rank),
    brief and sample.
    """
    ranks = {model_id: rank for rank, model_id in enumerate(findings.models["model_id"])}
    cells = findings.cells[findings.cells["usable"]]
    cells = cells.assign(rank=cells["model_id"].map(ranks))
    cells = cells.sort_values(["rank", "brief_id", "sample"])
    best_first = cells.sort_values("overall_score", ascending=False, kind="stable")
    return next(cell_rows(best_first.head(1)), None)


def summary(findings: Findings, response_of: Responses) -> str:
    """The whole page; `response_of` reads the response of the best cell, None when there is
    none.
    """
    sections = (
        _head(findings),
        _advice(findings),
        _leaderboard(findings),
        _policies(findings),
        _formats(findings),
        _repairs(findings),
        _briefs(findings),
        _failed(findings),
        _unchecked(findings),
        _flagged(findings),
        _warnings(findings),
        _audit(findings.audit),
        _agreement(findings),
        _best(best_graph(findings), response_of),
    )
    return "\n\n".join(part for section in sections for part in section if part) + "\n"


def _table(frame: pd.DataFrame, fields: Fields, shown: str) -> str:
    return show_table(table_of(frame, fields, shown))


def _head(findings: Findings) -> Iterator[str]:
    run, total = findings.run, findings.total
    yield f"# Results of {markdown_code(run.run_id)}"
    notices = [markdown(notice, MAX_SENTENCE) for notice in findings.notices]
    yield "\n>\n".join(f"> **{notice}**" for notice in notices)
    prompt = markdown_code(PurePosixPath(run.prompt.path).name)
    models = show.counted(len(findings.models), "model")
    briefs = show.counted(len(findings.briefs), "brief")
    cost = cost_text(total.cost_usd, total.cost_unknown)
    yield (
        f"Prompt {prompt}, {models}, {briefs}, {show.counted(run.samples, 'sample')} of each: "
        f"{show.counted(total.cells, 'cell')}, {show.count(total.answered)} answered, "
        f"{show.count(total.usable)} with a usable graph, cost {cost}."
    )


def _advice(findings: Findings) -> Iterator[str]:
    if not findings.decision.modes:
        return
    yield "## Which model to take"
    columns = [Column(title) for title in ("Mode", "Take", "Verdict", "Why")]
    rows = [
        (advice.mode, text_or_dash(advice.name), advice.verdict, advice.text)
        for advice in advice_of(findings.decision, findings.candidates)
    ]
    yield show_table(make_table(columns, rows), longest=MAX_ADVICE)
    checks = checks_table(findings.decision, findings.names)
    if checks.rows:
        heading = "The limits of the modes; only a missed limit excludes a model:"
        yield f"{heading}\n\n{show_table(checks)}"
    rivals = rivals_table(findings.decision, findings.names)
    if rivals.rows:
        heading = "The named model of each mode against the others, paired by brief:"
        yield f"{heading}\n\n{show_table(rivals)}"


def _leaderboard(findings: Findings) -> Iterator[str]:
    ranked, traffic = findings.ranked_models, findings.traffic_models
    yield "## Leaderboard"
    other = "*Expected* counts an answer without a usable graph as 0."
    if findings.params.rank_by == "expected_score":
        other = "*Overall* is the mean over valid graphs only."
    level = show.share(findings.params.confidence)
    yield f"{findings.ranking_note} The interval is {level} over briefs. {other}"
    ranking = (
        "rank name mode briefs usable score interval other unchecked content cost cost_per_usable "
        "p50 p95"
    )
    if len(ranked):
        yield _table(ranked, findings.model_fields, ranking)
        yield from _details(ranked, findings.model_fields)
    if len(traffic):
        yield f"**Traffic.** {TRAFFIC}"
        yield _table(traffic, findings.model_fields, ranking.removeprefix("rank "))
        yield from _details(traffic, findings.model_fields)


def _details(models: pd.DataFrame, fields: Fields) -> Iterator[str]:
    """The closed tables below a table of models."""
    dimensions = _table(
        models,
        fields,
        "name graphs param_quality option_diff completeness defaults spread_samples spread_briefs "
        "same_choice",
    )
    spread = (
        "Means over the n valid graphs. Spreads are standard deviations of the score that ranks: "
        "between the samples of one brief (needs two or more), and between briefs with the "
        "samples' share taken out."
    )
    yield details("Dimensions and spread", f"{dimensions}\n\n{spread}")
    tokens = "name calls input cached saved output reasoning output_mean"
    yield details("Tokens and the prompt cache", _table(models, fields, tokens))


def _policies(findings: Findings) -> Iterator[str]:
    if findings.policies:
        yield f"## Policies\n\n{policy_tables.LIMITS}"
        yield show_table(policy_tables.runs_table(findings.policies))
        yield show_table(policy_tables.steps_table(findings.policies, findings.names))


def _formats(findings: Findings) -> Iterator[str]:
    if findings.formats.empty:
        return
    yield "## Free text against structured output"
    yield (
        "Configs that differ only in `response_format`. "
        "*Gain* is paired by brief, stricter minus freest."
    )
    shown = "name asked usable parse_failed invalid score gain gain_interval cost_per_usable"
    yield _table(findings.formats, findings.model_fields, shown)


def _repairs(findings: Findings) -> Iterator[str]:
    repairs = repairs_table(findings.cells)
    if repairs.rows:
        yield f"## {HEADING}"
        yield EXPLAINED
        yield show_table(repairs)


def _briefs(findings: Findings) -> Iterator[str]:
    briefs, shown = findings.briefs, "brief complexity usable expected overall best worst"
    yield "## By brief"
    yield _table(briefs[:MAX_OPEN_BRIEFS], BRIEFS, shown)
    more = len(briefs) - MAX_OPEN_BRIEFS
    if more > 0:
        yield details(f"{show.count(more)} more", _table(briefs[MAX_OPEN_BRIEFS:], BRIEFS, shown))
    models = len(findings.models)
    if models > 1 and models * len(briefs) <= MAX_MATRIX_FIELDS:
        title = "Every model on every brief (expected score, usable/cells)"
        yield details(title, _matrix(findings))


def _matrix(findings: Findings) -> str:
    texts = {
        (
            mean.brief_id,
            mean.model_id,
        ): f"{show.score(mean.expected_score)} {mean.usable}/{mean.cells}"
        for mean in mean_rows(by_model_and_brief(findings.cells))
    }
    columns = [Column("Brief"), *(Column(name, show.score) for name in findings.models["name"])]
    rows = []
    for brief_id in findings.briefs["brief_id"]:
        fields = [
            texts.get((brief_id, model_id), show.MISSING)
            for model_id in findings.models["model_id"]
        ]
        rows.append([brief_id, *fields])
    return show_table(make_table(columns, rows))


def _failed(findings: Findings) -> Iterator[str]:
    yield "## What failed"
    if findings.codes.empty:
        yield "Nothing failed: every cell has a usable graph."
    else:
        outcomes = (
            "name cells invalid unfaithful parse_failed truncated refused unanswered unchecked"
        )
        yield _table(findings.models, findings.model_fields, outcomes)
        yield _table(findings.codes, FAILURES, "code share models recorded meaning fix")
    shares = findings.cells["default_share"]
    if shares.count():
        yield (
            f"On average {show.share(shares.mean())} of the causal edges were left at the default "
            f"parameters (default takeover, over {show.counted(shares.count(), 'valid graph')})."
        )
    else:
        yield "No valid graph has causal edges with parameters."


def _unchecked(findings: Findings) -> Iterator[str]:
    if len(findings.unchecked):
        yield f"## {validity.UNCHECKED_TITLE}"
        yield validity.UNCHECKED
        yield _table(findings.unchecked, BRIEFS, "brief unchecked usable_count reason")


def _flagged(findings: Findings) -> Iterator[str]:
    messages = [flag.message for flag in findings.flags if flag.kind not in _SHOWN_ELSEWHERE]
    yield "## Flagged issues"
    yield show_list(messages[:MAX_FLAGS], longest=MAX_SENTENCE) or "None."
    more = messages[MAX_FLAGS:]
    if more:
        yield details(f"{show.count(len(more))} more", show_list(more, longest=MAX_SENTENCE))


def _warnings(findings: Findings) -> Iterator[str]:
    if len(findings.warnings):
        yield "## Warnings\n\nOddities that change no score."
        yield _table(findings.warnings, FAILURES, "code cells meaning")


def _audit(audit: Audit | None) -> Iterator[str]:
    if audit is None:
        return
    yield "## What this score can and cannot see"
    yield validity.UNSEEN
    yield show_list(list(validity.audit_sentences(audit)), longest=MAX_SENTENCE)
    yield validity.INTRODUCTION
    yield show_table(validity.audit_table(audit))


def _agreement(findings: Findings) -> Iterator[str]:
    agreement = findings.agreement
    yield f"## {validity.TITLE}"
    if agreement is None or not agreement.reviewers:
        yield validity.NOT_MEASURED
        return
    yield " ".join(markdown(sentence, MAX_SENTENCE) for sentence in validity.sentences(agreement))
    yield validity.EXPLAINED
    if agreement.overall.judgements:
        yield show_table(validity.share_table(agreement))
    if agreement.disagreements:
        yield (
            "The strongest disagreements, in which more people preferred the graph with the lower "
            "score:"
        )
        yield "\n".join(_disagreement(item, findings.names) for item in agreement.disagreements)
    if agreement.overall.decided:
        yield details("By sub-score", show_table(validity.sub_score_table(agreement)))
    yield details("Reviewers", show_table(validity.reviewer_table(agreement)))


def _disagreement(item: Disagreement, names: Mapping[str, str]) -> str:
    lower = _graph_link(item, item.lower, names)
    higher = _graph_link(item, item.higher, names)
    reasons = "".join(f" “{markdown(reason)}”" for reason in item.reasons)
    votes = validity.votes(item)
    return f"- {markdown(item.brief_id)}: {lower} against {higher}; {votes}.{reasons}"


def _graph_link(item: Disagreement, graph: ChosenGraph, names: Mapping[str, str]) -> str:
    name = markdown(names.get(graph.model_id, graph.model_id))
    page = cell_page(validity.cell_of(item, graph))
    return f"[{name}](site/{page}) {show.score(graph.score)}"


def _best(best: CellRow | None, response_of: Responses) -> Iterator[str]:
    if best is None:
        return
    response = response_of(cell_of(best))
    drawing = flowchart(read(response.parsed_graph)[0]) if response else None
    if drawing is None:
        return
    cell = f"{markdown(best.name)} on {markdown(best.brief_id)}, sample {show.count(best.sample)}"
    signs = "Negative effects are dotted, confounders point both ways."
    yield "## The best graph"
    yield f"{cell}: overall {show.score(best.overall_score)}. {signs}"
    yield fenced(drawing, "mermaid")
