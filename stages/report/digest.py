"""Everything that the reports say, worked out once: what the tables, the site, the terminal and the metrics are made from."""

import msgspec

from stages.contracts.run import Run
from stages.report.cells import CellResult
from stages.report.failures import Failure, Flag
from stages.report.leaderboard import Leaderboard
from stages.report.recommendation import Recommendation


class ModelFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the reports know of a model beyond its cells; prices are US dollars per million tokens."""

    model_id: str
    display_name: str
    model: str
    target_mode: str
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
    flags: tuple[Flag, ...]
    warnings: tuple[tuple[str, int], ...]
    """Codes of scorecard warnings (they change no score) with the number of cells they occur in."""
    notices: tuple[str, ...]
