"""The tables of the analysis pack: scores, failures, and for each brief who drafted better and by what."""

from collections.abc import Iterator, Mapping, Sequence

from stages.report import number_formats as show
from stages.report.cells import CellResult
from stages.report.digest import Digest, what_ranks
from stages.report.estimate import mean_of
from stages.report.failures import FailureKind, by_code, codes_of
from stages.report.leaderboard import BriefStanding, Standing
from stages.report.markdown_text import code, narrow_table, text
from stages.report.pack_budget import Block

SCORES, FAILURES, BRIEFS = 0.4, 0.2, 0.2
"""The part of the pack that each table may take."""


def score_table(digest: Digest) -> Iterator[Block]:
    """The leaderboard."""
    board = digest.leaderboard
    yield from _rows(
        "score tables", f"## Scores\n\n{what_ranks(board)}", [_score_row(one) for one in board.standings], SCORES
    )


def failure_table(digest: Digest) -> Iterator[Block]:
    """What failed, over all models."""
    kinds = by_code(digest.failures, digest.leaderboard.counts.cells)
    yield from _rows("failure tables", "## What failed", [_failure_row(one) for one in kinds], FAILURES)


def brief_table(digest: Digest) -> Iterator[Block]:
    """The best and the worst model of each brief and what sets them apart, the widest gap first."""
    groups: dict[tuple[str, str], list[CellResult]] = {}
    for cell in digest.cells:
        groups.setdefault((cell.model_id, cell.brief_id), []).append(cell)
    briefs = sorted(digest.leaderboard.briefs, key=lambda one: (-(_gap(one) or 0.0), one.brief_id))
    rows = [_brief_row(one, groups) for one in briefs]
    yield from _rows("brief tables", "## Comparison per brief", rows, BRIEFS)


def _rows(kind: str, heading: str, rows: Sequence[Mapping[str, str]], share: float) -> Iterator[Block]:
    """A table with shorter forms that hold its first rows only; nothing for no rows."""
    if rows:
        header = list(rows[0])
        forms = [
            f"{heading}\n\n{narrow_table(header, [list(row.values()) for row in rows[:most]])}"
            for most in (len(rows), 100, 40, 20, 10, 5, 3, 1)
            if most == len(rows) or most < len(rows)
        ]
        yield Block(kind, forms[0], tuple(forms[1:]), share)


def _score_row(one: Standing) -> dict[str, str]:
    return {
        "#": show.count(one.rank),
        "Model": text(one.model_id, 60),
        "Mode": one.target_mode or show.MISSING,
        "Valid": show.share_of(one.counts.scored, one.counts.cells),
        "Expected": show.score(one.expected.mean),
        "Interval": show.span(one.expected.low, one.expected.high),
        "Overall": show.score(one.overall_mean),
        "Parameters": show.score(one.dimensions["param_quality"]),
        "Options": show.score(one.dimensions["option_diff"]),
        "Completeness": show.score(one.dimensions["completeness"]),
        "Per valid graph": show.money(one.usage.cost_per_valid_usd),
        "p50": show.duration(one.usage.latency_ms_p50),
    }


def _failure_row(one: FailureKind) -> dict[str, str]:
    models = ", ".join(f"{model} {show.count(cells)}" for model, cells in one.models[:5])
    return {
        "Code": code(one.code),
        "Cells": f"{show.count(one.cells)} of {show.count(one.of_cells)}",
        "Models": text(models, 160) + (" ..." if len(one.models) > 5 else ""),
        "What it means": text(one.meaning),
    }


def _brief_row(one: BriefStanding, groups: Mapping[tuple[str, str], Sequence[CellResult]]) -> dict[str, str]:
    best = groups.get((one.best_model or "", one.brief_id), ())
    worst = groups.get((one.worst_model or "", one.brief_id), ())
    return {
        "Brief": text(one.brief_id, 60),
        "Complexity": one.complexity,
        "Valid": show.share_of(one.counts.scored, one.counts.cells),
        "Best": _who(one.best_model, one.best_score),
        "Worst": _who(one.worst_model, one.worst_score),
        "Gap": show.score(_gap(one)),
        "Where the worst loses": text(_lost(best, worst)),
    }


def _who(model: str | None, score: float | None) -> str:
    return show.MISSING if model is None else f"{text(model, 60)} {show.score(score)}"


def _gap(one: BriefStanding) -> float | None:
    return None if one.best_score is None or one.worst_score is None else one.best_score - one.worst_score


def _lost(best: Sequence[CellResult], worst: Sequence[CellResult]) -> str:
    """The failures of the worst, then the sub-scores in which it is furthest behind the best."""
    codes = list(dict.fromkeys(code for cell in worst if cell.answered for code in codes_of(cell)))[:2]
    names = list(dict.fromkeys(name for cell in worst for name in cell.sub_scores))
    behind = []
    for name in names:
        ours = mean_of([cell.sub_scores.get(name) for cell in best])
        theirs = mean_of([cell.sub_scores.get(name) for cell in worst])
        if ours is not None and theirs is not None and ours - theirs > 0.0005:
            behind.append((theirs - ours, name))
    told = [f"{name.split('.', 1)[1]} {show.difference(gap)}" for gap, name in sorted(behind)[:3]]
    return ", ".join([*codes, *told]) or show.MISSING
