"""Whether the working tree's results are those of its inputs: the prompt, the briefs, the model configs, the settings."""

import hashlib
from collections.abc import Iterable, Mapping

from stages.contracts.brief import Brief
from stages.contracts.cell import Cell
from stages.contracts.model_config import ModelConfig, config_sha256_text
from stages.contracts.params import GenerateParams
from stages.contracts.run import Run
from stages.contracts.scorecard import Scorecard


def stale(
    run: Run,
    *,
    prompt_path: str,
    prompt_sha256: str,
    models: tuple[ModelConfig, ...],
    briefs: tuple[Brief, ...],
    settings: GenerateParams,
) -> str | None:
    """A sentence on what the results were not made from, or None when they are up to date.

    Without it, a prompt that was edited and never run would be compared by the old prompt's answers.
    """
    wanted_models = {config.id: hashlib.sha256(config_sha256_text(config)).hexdigest() for config in models}
    wanted_briefs = {brief.id: brief.sha256 for brief in briefs}
    differing = []
    if (run.prompt.path, run.prompt.sha256) != (prompt_path, prompt_sha256):
        differing.append(f"the prompt {prompt_path}")
    differing += _differing("model", run.models, wanted_models)
    differing += _differing("brief", run.briefs, wanted_briefs)
    differing += [
        f"generate.{name} {wanted}"
        for name in GenerateParams.model_fields
        if (wanted := getattr(settings, name)) != getattr(run, name)
    ]
    if not differing:
        return None
    return f"the results are not of the present inputs ({', '.join(differing)}): run `dvc repro`, commit and `dvc push`"


def unscored(scorecards: Iterable[Scorecard], answers: Mapping[Cell, str | None]) -> str | None:
    """A sentence when scorecards are not of the answers that lie beside them, or None.

    So it is when `generate` ran and `score` did not: the manifest names the new prompt, the scores are the old one's.

    Args:
        scorecards: The scorecards of the working tree.
        answers: The fingerprints of its answers; of nothing where it holds none.
    """
    if not answers or {card.cell: card.fingerprint for card in scorecards} == answers:
        return None
    return "the scores are not of the present answers: run `dvc repro`, commit and `dvc push`"


def _differing(noun: str, recorded: Mapping[str, str], wanted: Mapping[str, str]) -> list[str]:
    names = sorted(name for name in recorded.keys() | wanted.keys() if recorded.get(name) != wanted.get(name))
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return [f"{noun} {shown}"] if names else []
