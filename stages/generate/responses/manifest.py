"""The run manifest: what was asked of whom, so that equal inputs give an equal run id."""

import hashlib
from collections.abc import Sequence
from pathlib import PurePosixPath

from stages.contracts.brief import Brief
from stages.contracts.json_text import canonical
from stages.contracts.model_config import ModelConfig, config_sha256_text
from stages.contracts.params import GenerateParams
from stages.contracts.run import PromptRef, Run
from stages.generate.plan.endpoint import Endpoint, address


def manifest(
    prompt: PromptRef,
    models: Sequence[tuple[ModelConfig, Endpoint]],
    briefs: Sequence[Brief],
    settings: GenerateParams,
    *,
    git_sha: str | None = None,
    tool_version: str,
) -> Run:
    """The manifest of a run; neither `git_sha` nor `tool_version` enters the run id.

    `endpoints` names, for each model, where it is called.
    """
    model_hashes = {config.id: hashlib.sha256(config_sha256_text(config)).hexdigest() for config, _ in models}
    brief_hashes = {brief.id: brief.sha256 for brief in briefs}
    endpoints = {config.id: address(endpoint) for config, endpoint in models}
    inputs = canonical(
        [
            [prompt.path, prompt.sha256],
            model_hashes,
            brief_hashes,
            endpoints,
            settings.model_dump(mode="json"),
        ]
    )
    return Run(
        run_id=f"{PurePosixPath(prompt.path).stem}-{hashlib.sha256(inputs).hexdigest()[:12]}",
        git_sha=git_sha,
        tool_version=tool_version,
        prompt=prompt,
        models=model_hashes,
        briefs=brief_hashes,
        samples=settings.samples,
        round=settings.round,
        unparsed_draws=settings.unparsed_draws,
        simulated_models=tuple(config.id for config, _ in models if config.provider == "simulated"),
        endpoints=endpoints,
    )


def commit_of_same(run: Run, before: Run | None) -> str | None:
    """The commit of the run before, when the two differ in nothing but the commit; else None."""
    if before is None or run.model_copy(update={"git_sha": before.git_sha}) != before:
        return None
    return before.git_sha
