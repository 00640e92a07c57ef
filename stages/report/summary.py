"""`results/summary.md`: the findings for a person, on GitHub or as plain text."""

from pathlib import PurePosixPath

from stages.contracts.cell import Cell
from stages.contracts.graph import DraftGraph
from stages.report import number_formats as show
from stages.report.digest import Digest
from stages.report.leaderboard import BriefStanding
from stages.report.markdown_text import code, details, fenced, table, text
from stages.report.mermaid import flowchart
from stages.report.summary_failures import failed, flagged
from stages.report.summary_formats import formats
from stages.report.summary_ranking import advice, modes, ranked

SHOWN_BRIEFS = 40
MOST_MATRIX_CELLS = 2_000


def best_cell(digest: Digest) -> Cell | None:
    """The cell with the highest overall score; of equals the first by model (in order of rank), brief and sample."""
    place = {one.model_id: index for index, one in enumerate(digest.leaderboard.standings)}
    scored = (
        (cell.overall_score, -place[cell.model_id], cell) for cell in digest.cells if cell.overall_score is not None
    )
    best = max(scored, key=lambda entry: entry[:2], default=None)
    return best[2].cell if best else None


def summary(digest: Digest, best: tuple[Cell, DraftGraph] | None) -> str:
    """The whole page; `best` is the best cell with its graph, None when there is none."""
    parts = [
        _head(digest),
        advice(digest),
        ranked(digest),
        modes(digest),
        formats(digest),
        _briefs(digest),
        failed(digest),
        flagged(digest),
        _best(digest, best),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(digest: Digest) -> str:
    run, board = digest.run, digest.leaderboard
    counts = board.counts
    facts = (
        f"Prompt {code(PurePosixPath(run.prompt.path).name)}, {show.things(len(board.standings), 'model')}, "
        f"{show.things(len(board.briefs), 'brief')}, {show.things(run.samples, 'sample')} of each: "
        f"{show.things(counts.cells, 'cell')}, {show.count(counts.answered)} answered, "
        f"{show.count(counts.scored)} with a valid graph, {_cost(digest)}."
    )
    notices = [f"> **{text(notice, 400)}**" for notice in digest.notices]
    return "\n\n".join([f"# Results of {code(run.run_id)}", *(["\n>\n".join(notices)] if notices else []), facts])


def _cost(digest: Digest) -> str:
    usage = digest.leaderboard.usage
    if usage.cost_usd is None:
        return "cost unknown"
    unknown = f" and {show.things(usage.cost_unknown, 'answer')} of unknown cost" if usage.cost_unknown else ""
    return f"{show.money(usage.cost_usd)}{unknown}"


def _briefs(digest: Digest) -> str:
    briefs = digest.leaderboard.briefs
    parts = ["## By brief", _brief_rows(briefs[:SHOWN_BRIEFS])]
    if len(briefs) > SHOWN_BRIEFS:
        parts.append(details(f"{show.count(len(briefs) - SHOWN_BRIEFS)} more", _brief_rows(briefs[SHOWN_BRIEFS:])))
    models = digest.leaderboard.standings
    if len(models) > 1 and len(models) * len(briefs) <= MOST_MATRIX_CELLS:
        parts.append(details("Every model on every brief (expected score, valid/cells)", _matrix(digest)))
    return "\n\n".join(parts)


def _brief_rows(briefs: tuple[BriefStanding, ...]) -> str:
    rows = [
        [
            text(one.brief_id), one.complexity, show.share_of(one.counts.scored, one.counts.cells),
            show.score(one.expected_score), show.score(one.overall_score), _model(one.best_model, one.best_score),
            _model(one.worst_model, one.worst_score),
        ]
        for one in briefs
    ]  # fmt: skip
    return table(["Brief", "Complexity", "Valid", "Expected", "Overall", "Best", "Worst"], rows, "llrrrll")


def _model(model: str | None, score: float | None) -> str:
    return show.MISSING if model is None else f"{text(model)} {show.score(score)}"


def _matrix(digest: Digest) -> str:
    standings = digest.leaderboard.standings
    means = {(one.model_id, mean.brief_id): mean for one in standings for mean in one.briefs}
    rows = []
    for brief in digest.leaderboard.briefs:
        row = [text(brief.brief_id)]
        for one in standings:
            mean = means.get((one.model_id, brief.brief_id))
            counted = f" {mean.counts.scored}/{mean.counts.cells}" if mean else ""
            row.append(show.score(mean.expected_score if mean else None) + counted)
        rows.append(row)
    return table(["Brief", *(text(one.model_id) for one in standings)], rows, "l" + "r" * len(standings))


def _best(digest: Digest, best: tuple[Cell, DraftGraph] | None) -> str:
    drawing = flowchart(best[1]) if best else None
    if best is None or drawing is None:
        return ""
    cell = best[0]
    score = next(one.overall_score for one in digest.cells if one.cell == cell)
    told = f"{text(cell.model_id)} on {text(cell.brief_id)}, sample {show.count(cell.sample)}: overall {show.score(score)}."
    return f"## The best graph\n\n{told} Negative effects are dotted, confounders point both ways.\n\n{fenced(drawing, 'mermaid')}"
