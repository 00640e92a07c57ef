"""The files of a run: a response for each cell, written when its content differs and removed with its cell, and the manifest."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from stages.contracts.brief import Brief, Prompt
from stages.contracts.errors import GraphEvaluatorError
from stages.contracts.json_text import NotJson, canonical, parse, pretty
from stages.contracts.params import GenerateParams
from stages.contracts.record import hashed_values
from stages.contracts.response import Response
from stages.contracts.run import TOOL_VERSION, PromptRef, Run
from stages.generate.plan.endpoint import address
from stages.generate.plan.models import PlannedModel
from stages.generate.responses.summary import CellResult, result_of
from stages.shell.files import remove_others, write_atomic
from stages.shell.paths import response_file


def write_responses(folder: Path, responses: Iterable[Response]) -> list[CellResult]:
    """Write one file for each response whose content differs, and remove every other file below.

    Returns what the run's summary needs of each response.
    """
    results: list[CellResult] = []
    kept: set[str] = set()
    for response in responses:
        file = folder / response_file(response.model_id, response.brief_id, response.sample)
        with _one_sentence(file):
            write_atomic(file, pretty(response.to_json()))
        kept.add(str(file))
        results.append(result_of(response))
    with _one_sentence(folder):
        remove_others(folder, kept)
    return results


def manifest(
    prompt: Prompt,
    models: Sequence[PlannedModel],
    briefs: Sequence[Brief],
    settings: GenerateParams,
) -> Run:
    """The manifest of a run, without a commit: equal inputs give an equal run id, whatever the tool's version."""
    model_hashes = {one.config.id: one.config.sha256 for one in models}
    brief_hashes = {brief.id: brief.sha256 for brief in briefs}
    endpoints = {one.config.id: address(one.endpoint) for one in models}
    inputs = canonical(
        [
            [prompt.path, prompt.sha256],
            model_hashes,
            brief_hashes,
            endpoints,
            hashed_values(settings),
        ]
    )
    return Run(
        run_id=f"{PurePosixPath(prompt.path).stem}-{hashlib.sha256(inputs).hexdigest()[:12]}",
        git_sha=None,
        tool_version=TOOL_VERSION,
        prompt=PromptRef(path=prompt.path, sha256=prompt.sha256),
        models=model_hashes,
        briefs=brief_hashes,
        samples=settings.samples,
        round=settings.round,
        unparsed_draws=settings.unparsed_draws,
        simulated_models=tuple(one.config.id for one in models if one.simulated),
        endpoints=endpoints,
    )


def write_run(file: Path, run: Run, commit: str | None) -> None:
    """Write the manifest with its commit; when only the commit would differ from the manifest before, that commit is kept."""
    before = read_run(file)
    if before and before.git_sha and run.model_copy(update={"git_sha": before.git_sha}) == before:
        commit = before.git_sha
    with _one_sentence(file):
        write_atomic(file, pretty(run.model_copy(update={"git_sha": commit}).to_json()))


def read_run(file: Path) -> Run | None:
    """The manifest of the run before; None when there is none that can be read."""
    try:
        return Run.read(parse(file.read_bytes())) if file.is_file() else None
    except (OSError, NotJson, ValidationError):
        return None


@contextmanager
def _one_sentence(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise GraphEvaluatorError(
            f"{file.as_posix()} cannot be written ({error.strerror}); every answer is kept in the ledger: fix this and run again"
        ) from None
