"""Reads the scores that git keeps in `results/scores.csv`, for revisions whose scorecards cannot be read through DVC."""

import csv
import io
from collections.abc import Iterable, Mapping

from pydantic import ValidationError

from stages.compare.revisions import md5
from stages.contracts import yaml_text
from stages.contracts.model_config import IDENTIFIER
from stages.contracts.params import SCORING_VERSION, ScoringRules
from stages.contracts.scorecard import Scorecard
from stages.score import rules_sha256
from stages.shell import paths

_COLUMNS = (
    "model_id", "brief_id", "sample", "status", "structural_valid", "usable", "param_quality", "option_diff", "completeness",
    "overall_score", "expected_score", "node_count", "edge_count", "complexity", "scoring_version", "fingerprint",
    "failure_code", "latency_ms", "est_cost_usd", "pricing_source", "simulated",
)  # fmt: skip
_NULLABLE = dict.fromkeys(
    ("param_quality", "option_diff", "completeness", "overall_score", "expected_score", "node_count", "edge_count")
)


def recorded_scorecards(table: bytes, lock: bytes, run: bytes) -> tuple[Scorecard, ...] | None:
    """The scorecards in a table of scores: scores to four decimals, without evidence.

    `dvc.lock` proves that the table was made from this run, and holds the scoring rules.

    Args:
        table: `results/scores.csv`.
        lock: `dvc.lock`.
        run: `results/run.json`.

    Returns:
        None where the three do not belong together. Scores of another version of the scoring have rules of their own, so that they are
        compared with each other only.
    """
    rules = _scoring_rules(table, lock, run)
    if rules is None:
        return None
    try:
        rows = list(csv.DictReader(io.StringIO(table.decode("utf-8"))))
        cards = tuple(_scorecard(row, rules) for row in rows)
    except (csv.Error, UnicodeDecodeError, ValidationError):
        return None
    return cards if all(_is_sound(card) for card in cards) else None


def _scorecard(row: Mapping[str, str | None], rules: str) -> Scorecard:
    given: dict[str, object] = {name: row[name] for name in _COLUMNS if row.get(name)}
    codes = [code for code in (row.get("violation_codes") or "").split(";") if code]
    version = row.get("scoring_version")
    own = rules if version == SCORING_VERSION else f"version {version}: {rules}"
    return Scorecard.model_validate(
        {**_NULLABLE, **given, "violation_codes": codes, "scoring_rules": own}, strict=False
    )


def _is_sound(card: Scorecard) -> bool:
    scores = (card.overall_score, card.expected_score)
    names = (card.model_id, card.brief_id, *card.violation_codes)
    in_range = all(score is None or 0 <= score <= 1 for score in scores)
    return in_range and all(IDENTIFIER.fullmatch(name) for name in names)


def _scoring_rules(table: bytes, lock: bytes, run: bytes) -> str | None:
    """The hash of the rules by which the table was made; None where `dvc.lock` does not match the files."""
    names = [path.as_posix() for path in (paths.RUN, paths.SCORECARDS, paths.SCORES_CSV)]
    try:
        stages = yaml_text.parse(lock.decode("utf-8"))["stages"]  # type: ignore[index]
        score, report = stages["score"], stages["report"]
        rules = ScoringRules.model_validate(score["params"][paths.PARAMS.as_posix()]["score"])
        scored, made = _hashes(score["deps"], names[0]), _hashes(score["outs"], names[1])
        used, written = _hashes(report["deps"], *names[:2]), _hashes(report["outs"], names[2])
    except (yaml_text.NotYaml, UnicodeDecodeError, ValidationError, KeyError, TypeError):
        return None
    return (
        rules_sha256(rules) if used == [md5(run), *made] and scored == [md5(run)] and written == [md5(table)] else None
    )


def _hashes(entries: Iterable[Mapping[str, str]], *files: str) -> list[str]:
    found = {entry["path"]: entry["md5"] for entry in entries if "md5" in entry}
    return [found[file] for file in files]
