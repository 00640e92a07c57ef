"""One side of a comparison: its scorecards, whether they are up to date, and whether they must be
scored again.

Where scorecards cannot be read through DVC, they are made from the scores that git keeps in
`results/scores.csv`.
"""

import csv
import hashlib
import io
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from pydantic import ValidationError

from stages.compare.pairing import PolicyMeans
from stages.contracts import yaml_text
from stages.contracts.decision import Decision
from stages.contracts.errors import InputError, Problem, nearest
from stages.contracts.model_config import IDENTIFIER
from stages.contracts.params import SCORING_VERSION, ScoringRules
from stages.contracts.run import Run
from stages.contracts.scorecard import Scorecard
from stages.score import rules_sha256
from stages.shell import numbers, paths
from stages.shell.dvc import read_lock

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
SETTINGS = ("samples", "round", "unparsed_draws")
"""The settings of `generate` that a manifest has."""
OTHER_COLUMNS = {"violation_codes", "warnings", "fidelity"}
"""The columns of the table whose values a scorecard has in another form."""


class NotMeasured(Exception):
    """Why there are no results of the inputs, and what to do.

    `not_run`: inputs of the working tree were changed since the run.
    """

    def __init__(self, *reasons: str, not_run: bool = False) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons
        self.not_run = not_run


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedRevision:
    """A revision by the name that the user wrote.

    `revision` is its commit (None: the working tree), `date` the commit's, ISO 8601.
    """

    name: str
    revision: str | None
    date: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedSide(NamedRevision):
    """The results of a revision.

    `rescored`: the scorecards were made now, from its answers. `recorded`: they are those of
    `results/scores.csv`, to four decimals, because the scorecards themselves cannot be read.
    `model`: the only model of the side, where two models are compared. `decision`: which model the
    revision recommends for each mode; None where that is not recorded. `policy`: its means, where
    `model` is a policy.
    """

    run: Run
    scorecards: tuple[Scorecard, ...]
    rescored: bool = False
    recorded: bool = False
    model: str | None = None
    decision: Decision | None = None
    policy: PolicyMeans | None = None

    @property
    def models(self) -> frozenset[str]:
        """The ids of the models that have scorecards."""
        return frozenset(card.model_id for card in self.scorecards)

    @property
    def prompt(self) -> str:
        """The path of the prompt that was answered: a recorded model's own, else that of
        the run.
        """
        recorded = self.run.recorded.get(self.model or "")
        own_prompt = recorded.prompt if recorded else None
        return own_prompt or self.run.prompt.path

    @property
    def rules(self) -> frozenset[str]:
        """The hashes of the scoring rules that made the scorecards."""
        return frozenset(card.scoring_rules for card in self.scorecards)

    def of_model(self, model: str, called: str) -> "ComparedSide":
        """The side with the scorecards of one model, renamed: models of one name are paired by
        brief.
        """
        cards = [card for card in self.scorecards if card.model_id == model]
        renamed = tuple(card.model_copy(update={"model_id": called}) for card in cards)
        return replace(self, name=model, model=model, scorecards=renamed)


def require_models(named: Iterable[str], known: Collection[str]) -> None:
    """Raise InputError for the models or policies given to `--models` that a run does not have."""
    others = f"it has {', '.join(sorted(known))}"
    problems = [
        Problem("--models", model, f"is not in the run{nearest(model, known)}; {others}")
        for model in named
        if model not in known
    ]
    if problems:
        raise InputError(problems)


def changed_inputs(before: Run, after: Run) -> str | None:
    """The prompt, models, briefs and settings of the second run that differ, by name."""
    changed = []
    if before.prompt != after.prompt:
        changed.append(f"the prompt {after.prompt.path}")
    changed += _changed_names("model", before.models, after.models)
    changed += _changed_names("brief", before.briefs, after.briefs)
    for name in SETTINGS:
        value = getattr(after, name)
        if value != getattr(before, name):
            changed.append(f"generate.{name} {value}")
    return ", ".join(changed) or None


def changed_between(base: Run, head: Run) -> str | None:
    """The inputs that differ and are named nowhere else: without the models and briefs that one run
    alone has, and without a prompt of another name.
    """
    compared: dict[str, object] = {
        "models": _of_same_names(base.models, head.models),
        "briefs": _of_same_names(base.briefs, head.briefs),
    }
    if base.prompt.path != head.prompt.path:
        compared["prompt"] = base.prompt
    return changed_inputs(base, head.model_copy(update=compared))


def _of_same_names(base: Mapping[str, str], head: Mapping[str, str]) -> dict[str, str]:
    """The names of the base, with the hashes of the head where it has them."""
    return {name: head.get(name, sha256) for name, sha256 in base.items()}


def _changed_names(noun: str, before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    names = sorted(before.keys() | after.keys())
    changed = [name for name in names if before.get(name) != after.get(name)]
    return [f"{noun} {numbers.first_of(changed, 5)}"] if changed else []


def recorded_scorecards(table: bytes, lock: bytes, run: bytes) -> tuple[Scorecard, ...] | None:
    """The scorecards in a table of scores: scores to four decimals, without evidence.

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
    return cards if all(map(_is_sound, cards)) else None


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
        stages = read_lock(lock.decode("utf-8")).stages
        score, report = stages["score"], stages["report"]
        rules = ScoringRules.model_validate(score.params[paths.PARAMS.as_posix()]["score"])
    except (yaml_text.NotYaml, UnicodeDecodeError, ValidationError, KeyError):
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
