"""A revision's scores as git keeps them in `results/scores.csv`, for where its scorecards are in no cache and no remote."""

import csv
import io
from collections.abc import Mapping, Sequence

import msgspec
from pydantic import ValidationError

from stages.compare.lock_file import hashes, locked_stages, md5
from stages.compare.side import Side
from stages.contracts.params import SCORING_VERSION, ScoringRules
from stages.contracts.scorecard import Scorecard
from stages.report.csv_text import four_decimals
from stages.shell import paths

_TAKEN = (
    "model_id", "brief_id", "sample", "status", "structural_valid", "param_quality", "option_diff", "completeness",
    "overall_score", "expected_score", "node_count", "edge_count", "complexity", "scoring_version", "fingerprint",
    "failure_code", "latency_ms", "est_cost_usd", "pricing_source", "simulated",
)  # fmt: skip
_MAY_BE_EMPTY = dict.fromkeys(
    ("param_quality", "option_diff", "completeness", "overall_score", "expected_score", "node_count", "edge_count")
)


def recorded_scorecards(table: bytes, lock: bytes, manifest: bytes) -> tuple[Scorecard, ...] | None:
    """The scorecards that a table of scores holds: their scores to four decimals, without their evidence.

    `dvc.lock` says whether the table was made from the manifest's run, and by which scoring rules.

    Args:
        table: `results/scores.csv`.
        lock: `dvc.lock`.
        manifest: `results/run.json`.

    Returns:
        None where the three do not belong together, or the table was written by another version of the scoring.
    """
    rules = _rules(table, lock, manifest)
    if rules is None:
        return None
    try:
        rows = list(csv.DictReader(io.StringIO(table.decode("utf-8"))))
        cards = tuple(_card(row, rules) for row in rows)
    except (csv.Error, UnicodeDecodeError, ValidationError):
        return None
    return cards if all(_sound(card) for card in cards) else None


def alike(sides: Sequence[Side]) -> tuple[Side, ...]:
    """The sides; where any has its scores to four decimals only, all have."""
    return tuple(map(_rounded, sides)) if any(side.recorded for side in sides) else tuple(sides)


def _rounded(side: Side) -> Side:
    cards = tuple(
        card.model_copy(
            update={"overall_score": _four(card.overall_score), "expected_score": _four(card.expected_score)}
        )
        for card in side.scorecards
    )
    return msgspec.structs.replace(side, scorecards=cards)


def _sound(card: Scorecard) -> bool:
    scores = (card.overall_score, card.expected_score)
    return card.scoring_version == SCORING_VERSION and all(score is None or 0 <= score <= 1 for score in scores)


def _four(score: float | None) -> float | None:
    return None if score is None else float(four_decimals(score))


def _card(row: Mapping[str, str | None], rules: str) -> Scorecard:
    given: dict[str, object] = {name: row[name] for name in _TAKEN if row.get(name)}
    codes = [code for code in (row.get("violation_codes") or "").split(";") if code]
    return Scorecard.model_validate(
        {**_MAY_BE_EMPTY, **given, "violation_codes": codes, "scoring_rules": rules}, strict=False
    )


def _rules(table: bytes, lock: bytes, manifest: bytes) -> str | None:
    """The hash of the rules by which the table was made; None where the lock file does not vouch for it."""
    stages = locked_stages(lock)
    try:
        score, report = stages["score"], stages["report"]
        rules = ScoringRules.model_validate(score.params[paths.PARAMS.as_posix()]["score"])
    except (ValidationError, KeyError):
        return None
    run, cards, scores = (path.as_posix() for path in (paths.RUN, paths.SCORECARDS, paths.SCORES_CSV))
    made, used, written = hashes(score.outs), hashes(report.deps), hashes(report.outs)
    agreed = (
        made.get(cards, "made") == used.get(cards, "used")
        and used.get(run) == hashes(score.deps).get(run) == md5(manifest)
        and written.get(scores) == md5(table)
    )
    return rules.sha256 if agreed else None
