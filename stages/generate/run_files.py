"""The files of a run: a response for each cell, and the manifest."""

import hashlib
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath, PurePosixPath
from typing import Self

from stages.generate.plan.call import address
from stages.generate.plan.models import PlannedModel
from stages.shared.records.brief import Brief, Prompt
from stages.shared.records.json_text import canonical, pretty
from stages.shared.records.params import GenerateParams
from stages.shared.records.record import hashed_values
from stages.shared.records.response import (
    TOOL_VERSION,
    PromptRef,
    RecordedCounts,
    Response,
    Run,
)
from stages.shared.shell.files import files_sha256, remove_others, write_atomic
from stages.shared.shell.paths import response_file
from stages.shared.shell.results import run_if_readable


class ResponseFolder:
    """The next content of a folder of responses: prepared elsewhere, put in place by `publish`.

    Used as a context. Until it is published the folder is unchanged; a kill in between leaves some
    files of both runs, which the manifest does not name.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._hashes: dict[PurePath, str] = {}
        self._scratch = tempfile.TemporaryDirectory(prefix="graph-evaluator-")
        self._prepared = Path(self._scratch.name, folder.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._scratch.cleanup()

    def write(self, response: Response) -> None:
        """Prepare the file of a response; one that is in the folder already is not written."""
        file = response_file(response.cell)
        content = pretty(response.to_json())
        self._hashes[file] = hashlib.sha256(content).hexdigest()
        present = self._folder / file
        if present.is_file() and present.read_bytes() == content:
            return
        prepared = self._prepared / file
        prepared.parent.mkdir(parents=True, exist_ok=True)
        prepared.write_bytes(content)

    @property
    def sha256(self) -> str:
        """The hash of all files."""
        return files_sha256(self._hashes)

    def publish(self) -> None:
        """Put what was prepared into the folder, and remove every other file."""
        remove_others(self._folder, {self._folder / file for file in self._hashes})
        if self._prepared.exists():
            self._folder.parent.mkdir(parents=True, exist_ok=True)
            _move(self._prepared, self._folder)


def _move(source: Path, target: Path) -> None:
    """Move a file, or a folder as far as there is none; a file that is there is replaced."""
    if source.is_dir() and target.is_dir():
        for entry in source.iterdir():
            _move(entry, target / entry.name)
        return
    target.unlink(missing_ok=True)  # it may be a link to DVC's cache, which must not be changed
    shutil.move(source, target)


def manifest(
    prompt: Prompt,
    models: Sequence[PlannedModel],
    briefs: Sequence[Brief],
    settings: GenerateParams,
    recorded: Mapping[str, RecordedCounts] | None = None,
    answers: Mapping[str, str] | None = None,
    responses_sha256: str | None = None,
    git_sha: str | None = None,
) -> Run:
    """The manifest of a run. Equal inputs give an equal run id, whatever the tool's version."""
    model_hashes = {model.config.id: model.config.sha256 for model in models}
    brief_hashes = {brief.id: brief.sha256 for brief in briefs}
    endpoints = {model.config.id: address(model.endpoint) for model in models}
    answers_hashes = {name: counts.answers_sha256 for name, counts in (recorded or {}).items()}
    inputs: list[object] = [
        [prompt.path, prompt.sha256],
        model_hashes,
        brief_hashes,
        endpoints,
        hashed_values(settings),
    ]
    if answers_hashes:
        inputs.append(answers_hashes)
    inputs_sha256 = hashlib.sha256(canonical(inputs)).hexdigest()
    return Run(
        run_id=f"{PurePosixPath(prompt.path).stem}-{inputs_sha256[:12]}",
        git_sha=git_sha,
        tool_version=TOOL_VERSION,
        prompt=PromptRef(path=prompt.path, sha256=prompt.sha256),
        models=model_hashes,
        briefs=brief_hashes,
        samples=settings.samples,
        round=settings.round,
        unparsed_draws=settings.unparsed_draws,
        simulated_models=tuple(model.config.id for model in models if model.simulated),
        endpoints=endpoints,
        recorded=dict(recorded or {}),
        responses_sha256=responses_sha256,
        answers=dict(answers or {}),
    )


def write_run(file: Path, run: Run) -> None:
    """Write the manifest; one from which it differs by the commit alone stays."""
    content = file.read_bytes() if file.is_file() else None
    before = run_if_readable(content)
    if before is not None and before.git_sha and before.inputs == run.inputs:
        return
    write_atomic(file, pretty(run.to_json()))
