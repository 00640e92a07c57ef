"""Everything that the reports say, worked out once: what the tables, the site, the terminal and the metrics are made from."""

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from stages.contracts.model_config import ModelConfig, TargetMode
from stages.contracts.params import ReportParams
from stages.contracts.run import Run
from stages.report import number_formats as show
from stages.report.answer_formats import FormatPair, format_pairs
from stages.report.cells import CellResult
from stages.report.failures import Failure, failures_of
from stages.report.flags import Flag, flags_of
from stages.report.leaderboard import Leaderboard
from stages.report.ranking import rank
from stages.report.recommendation import Recommendation, recommend, score_name
from stages.report.retirement import retirement_flags

SIMULATED = "These are results of simulated models: they show how the tool works and say nothing about real models."
PARTLY_SIMULATED = "Some models here are simulated (marked so): their results say nothing about real models."


class ModelFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the reports know of a model beyond its cells. `settings` are the params that are sent, as text, by name."""

    model_id: str
    display_name: str
    provider: str
    model: str
    target_mode: TargetMode
    settings: tuple[tuple[str, str], ...]
    pricing_source: str | None


class Digest(msgspec.Struct, frozen=True, kw_only=True):
    """All findings of a run. `notices` are plain-text lines that must stand wherever results are shown."""

    run: Run
    cells: tuple[CellResult, ...]
    """By model, brief, sample."""
    models: dict[str, ModelFacts]
    """By model id; a model without a config is not in it."""
    leaderboard: Leaderboard
    recommendations: tuple[Recommendation, ...]
    """In the order fast, normal, deep, then models without a config."""
    failures: tuple[Failure, ...]
    """By model in order of rank."""
    flags: tuple[Flag, ...]
    warnings: tuple[tuple[str, int], ...]
    """Codes of scorecard warnings (they change no score) with the number of cells they occur in."""
    notices: tuple[str, ...]
    formats: tuple[FormatPair, ...] = ()
    """Models that were called with and without structured output."""


def digest_of(
    run: Run, cells: Iterable[CellResult], configs: Mapping[str, ModelConfig], params: ReportParams
) -> Digest:
    """All findings of a run.

    Args:
        run: The manifest.
        cells: Every cell, in any order.
        configs: The model configs by id, as far as there are any.
        params: What ranks, and at which confidence.
    """
    ordered = tuple(sorted(cells, key=lambda cell: (cell.model_id, cell.brief_id, cell.sample)))
    board = rank(ordered, configs, params.rank_by, params.confidence)
    place = {standing.model_id: index for index, standing in enumerate(board.standings)}
    ending = retirement_flags(configs, ordered)
    warned = Counter(code for cell in ordered for code in dict.fromkeys(cell.warning_codes))
    return Digest(
        run=run,
        cells=ordered,
        models={key: _facts(configs[key]) for key in sorted(configs)},
        leaderboard=board,
        recommendations=recommend(board),
        failures=failures_of(sorted(ordered, key=lambda cell: place[cell.model_id])),
        flags=(*flags_of(board), *ending),
        warnings=tuple(sorted(warned.items(), key=lambda pair: (-pair[1], pair[0]))),
        notices=(*_notices(board, ordered), *(flag.message for flag in ending if flag.kind == "retired")),
        formats=format_pairs(board, configs),
    )


def what_ranks(board: Leaderboard) -> str:
    """One plain-text sentence that says which score ranks and what it counts."""
    if board.rank_by == "expected_score":
        how = "an answer without a valid graph counts 0, a cell without an answer is left out and counted"
    else:
        how = "only valid graphs count, so a model that fails often is flattered"
    return f"Ranked by {score_name(board.rank_by)}, the mean over briefs: {how}."


def _facts(config: ModelConfig) -> ModelFacts:
    sent = config.params.model_dump(exclude_none=True)
    return ModelFacts(
        model_id=config.id,
        display_name=config.display_name,
        provider=config.provider,
        model=config.model,
        target_mode=config.target_mode,
        settings=tuple((key, str(sent[key])) for key in sorted(sent)),
        pricing_source=config.pricing.source if config.pricing else None,
    )


def _notices(board: Leaderboard, cells: tuple[CellResult, ...]) -> list[str]:
    notices = {"all": [SIMULATED], "some": [PARTLY_SIMULATED], "none": []}[board.simulated]
    missing = board.counts.unanswered
    if missing:
        have = show.things(missing, "cell has", "cells have")
        notices = [*notices, f"{have} no answer; dvc repro -f calls just those."]
    rules = len({cell.scoring_rules for cell in cells})
    if rules > 1:
        text = f"The scores were made under {rules} different sets of scoring rules and must not be compared: run dvc repro -f score."
        notices = [*notices, text]
    return notices
