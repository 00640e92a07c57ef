"""The scores that git keeps in `results/scores.csv`, for scorecards that cannot be read."""

import csv
import hashlib
import io
from collections.abc import Mapping

from pydantic import ValidationError

from stages.score import rules_sha256
from stages.shared.analysis.scored_cell import ScoredCell, scored_cell
from stages.shared.records.model_config import IDENTIFIER
from stages.shared.records.params import SCORING_VERSION, ScoringRules
from stages.shared.records.scorecard import Scorecard
from stages.shared.shell import paths
from stages.shared.shell.dvc import read_lock

NULLABLE_FIELDS = (
    "param_quality",
    "option_diff",
    "completeness",
    "overall_score",
    "expected_score",
    "node_count",
    "edge_count",
)
"""What a scorecard must name; an empty field of the table is None."""
OTHER_COLUMNS = {"violation_codes", "warnings", "fidelity"}
"""The columns of the table whose values a scorecard has in another form."""


def recorded_cells(table: bytes, lock: bytes, run: bytes) -> tuple[ScoredCell, ...] | None:
    """The cells in a table of scores: scores to four decimals, without evidence.

    `dvc.lock` proves that the table was made from this run, and holds the scoring rules. None where
    the three do not belong together, or the scores are of another version of the scoring.
    """
    rules = _scoring_rules(table, lock, run)
    if rules is None:
        return None
    try:
        rows = list(csv.DictReader(io.StringIO(table.decode("utf-8"))))
        cards = tuple(_read_scorecard(row, rules) for row in rows)
    except (csv.Error, UnicodeDecodeError, ValidationError):
        return None
    return tuple(map(scored_cell, cards)) if all(map(_is_sound, cards)) else None


def _read_scorecard(row: Mapping[str, str | None], rules: str) -> Scorecard:
    values = {
        name: value for name, value in row.items() if value and name and name not in OTHER_COLUMNS
    }
    codes = [code for code in (row.get("violation_codes") or "").split(";") if code]
    fields = {
        **dict.fromkeys(NULLABLE_FIELDS),
        **values,
        "violation_codes": codes,
        "scoring_rules": rules,
    }
    return Scorecard.model_validate(fields, strict=False)


def _is_sound(card: Scorecard) -> bool:
    """Whether scores are of this version and in range, and ids are ids: a table can be written by
    anybody.
    """
    scores = (card.overall_score, card.expected_score)
    in_range = all(score is None or 0 <= score <= 1 for score in scores)
    ids = (card.model_id, card.brief_id, *card.violation_codes)
    is_ours = card.scoring_version == SCORING_VERSION
    return is_ours and in_range and all(map(IDENTIFIER.fullmatch, ids))


def _scoring_rules(table: bytes, lock: bytes, run: bytes) -> str | None:
    """The hash of the rules that made a table from a run; None where `dvc.lock` does not prove
    it.
    """
    try:
        stages = read_lock(lock).stages
        score, report = stages["score"], stages["report"]
        rules = ScoringRules.model_validate(score.params[paths.PARAMS.as_posix()]["score"])
    except (ValidationError, KeyError):
        return None
    chain = (
        (_md5(run), score.hash_of(paths.RUN)),
        (_md5(run), report.hash_of(paths.RUN)),
        (score.hash_of(paths.SCORECARDS), report.hash_of(paths.SCORECARDS)),
        (_md5(table), report.hash_of(paths.SCORES_CSV)),
    )
    proven = all(first is not None and first == second for first, second in chain)
    return rules_sha256(rules) if proven else None


def _md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()
