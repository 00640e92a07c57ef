"""One side of a comparison: its scorecards and where they came from, whether they are up to date, and scoring them again.

Where scorecards cannot be read through DVC, they are made from the scores that git keeps in `results/scores.csv`.
"""

import csv
import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal

from pydantic import ValidationError

from stages.contracts import yaml_text
from stages.contracts.cell import Cell
from stages.contracts.decision import Decision
from stages.contracts.model_config import IDENTIFIER
from stages.contracts.params import SCORING_VERSION, GenerateParams, ScoringRules
from stages.contracts.response import Response
from stages.contracts.run import Run
from stages.contracts.scorecard import Scorecard
from stages.score import rules_sha256
from stages.score.scorer import Scorer
from stages.shell import paths
from stages.shell.inputs import Inputs

_COLUMNS = (
    "model_id", "brief_id", "sample", "status", "structural_valid", "usable", "param_quality", "option_diff", "completeness",
    "overall_score", "expected_score", "node_count", "edge_count", "complexity", "scoring_version", "fingerprint",
    "failure_code", "latency_ms", "est_cost_usd", "pricing_source", "simulated",
)  # fmt: skip
_NULLABLE = dict.fromkeys(
    ("param_quality", "option_diff", "completeness", "overall_score", "expected_score", "node_count", "edge_count")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side. `name` is what the user wrote, `revision` the commit (None: the working tree), `date` the commit's, ISO 8601.

    `rescored`: the scorecards were made now, from the revision's answers. `recorded`: they are those of `results/scores.csv`,
    to four decimals, because the scorecards themselves cannot be read. `model`: the only model of the side, where two models are
    compared. `decision`: which model the revision recommends for each mode; None where that is not recorded.
    """

    name: str
    revision: str | None
    run: Run
    scorecards: tuple[Scorecard, ...]
    date: str | None = None
    rescored: bool = False
    recorded: bool = False
    model: str | None = None
    decision: Decision | None = None

    @property
    def rules(self) -> frozenset[str]:
        """The hashes of the scoring rules that made the scorecards."""
        return frozenset(card.scoring_rules for card in self.scorecards)


def to_rescore(sides: Sequence[Side], today: str) -> list[int]:
    """The indices of the sides to compare that must be scored again, given the hash of today's rules.

    None when all were scored by the same rules, whatever those are. The working tree counts by today's rules, though: if it
    is one of the sides, and where the rules differ, each side whose rules are not today's.
    """
    rules = frozenset().union(*(side.rules for side in sides))
    of_today = any(side.revision is None for side in sides)
    equal = len(rules) <= 1 and (not of_today or rules <= {today})
    return [index for index, side in enumerate(sides) if not equal and side.rules != {today}]


def models_of_one_run(side: Side, base_model: str, head_model: str) -> tuple[Side, Side]:
    """Two sides with one model each, which are paired by brief."""
    pair = f"{head_model} against {base_model}"
    base, head = (
        replace(
            side,
            name=model,
            model=model,
            scorecards=tuple(
                card.model_copy(update={"model_id": pair}) for card in side.scorecards if card.model_id == model
            ),
        )
        for model in (base_model, head_model)
    )
    return base, head


def rescored(side: Side, answers: Iterable[Response], scorer: Scorer) -> Side:
    """The side with its answers scored again; an answer whose brief no longer exists has the default expectations."""
    return replace(side, scorecards=tuple(map(scorer.score, answers)), rescored=True, recorded=False)


def equally_rounded(sides: Sequence[Side]) -> tuple[Side, ...]:
    """The sides; all with scores to four decimals where any has its scores to four decimals only."""
    if not any(side.recorded for side in sides):
        return tuple(sides)
    return tuple(replace(side, scorecards=tuple(map(_four_decimals, side.scorecards))) for side in sides)


def outdated_results(run: Run, inputs: Inputs) -> str | None:
    """Which present inputs the results were not made from, in a sentence; None when they are up to date.

    Without this check a prompt that was edited and never run would be judged by the answers to the old prompt.
    """
    models = {config.id: config.sha256 for config in inputs.models}
    changed = []
    if (run.prompt.path, run.prompt.sha256) != (inputs.prompt.path, inputs.prompt.sha256):
        changed.append(f"the prompt {inputs.prompt.path}")
    changed += _differing("model", run.models, models)
    changed += _differing("brief", run.briefs, {brief.id: brief.sha256 for brief in inputs.briefs})
    changed += [
        f"generate.{name} {wanted}"
        for name in GenerateParams.model_fields
        if (wanted := getattr(inputs.params.generate, name)) != getattr(run, name)
    ]
    if not changed:
        return None
    return f"the results are not of the present inputs ({', '.join(changed)}): run `dvc repro`, commit and `dvc push`"


def outdated_scores(scorecards: Iterable[Scorecard], answers: Mapping[Cell, str | None]) -> str | None:
    """A sentence when scorecards are not of the answers (fingerprints) beside them, as after `generate` without `score`; else None."""
    if not answers or {card.cell: card.fingerprint for card in scorecards} == answers:
        return None
    return "the scores are not of the present answers: run `dvc repro`, commit and `dvc push`"


def _differing(noun: str, recorded: Mapping[str, str], wanted: Mapping[str, str]) -> list[str]:
    names = sorted(name for name in recorded.keys() | wanted.keys() if recorded.get(name) != wanted.get(name))
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return [f"{noun} {shown}"] if names else []


def _four_decimals(card: Scorecard) -> Scorecard:
    def rounded(score: float | None) -> float | None:
        return None if score is None else float(Decimal(score).quantize(Decimal("0.0001"), ROUND_HALF_UP))

    scores = {"overall_score": rounded(card.overall_score), "expected_score": rounded(card.expected_score)}
    return card.model_copy(update=scores)


def recorded_scorecards(table: bytes, lock: bytes, run: bytes) -> tuple[Scorecard, ...] | None:
    """The scorecards in a table of scores: scores to four decimals, without evidence.

    `dvc.lock` proves that the table was made from this run, and holds the scoring rules. None where the three do not belong together.
    Scores of another version of the scoring have rules of their own, so that they are compared with each other only.
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
    of_run, of_table = (hashlib.md5(file, usedforsecurity=False).hexdigest() for file in (run, table))
    return rules_sha256(rules) if used == [of_run, *made] and scored == [of_run] and written == [of_table] else None


def _hashes(entries: Iterable[Mapping[str, str]], *files: str) -> list[str]:
    found = {entry["path"]: entry["md5"] for entry in entries if "md5" in entry}
    return [found[file] for file in files]
