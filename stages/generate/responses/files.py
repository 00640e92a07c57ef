"""The files of a run: a response for each cell, swapped in as a whole folder, and the manifest."""

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePath, PurePosixPath
from typing import Self

from filelock import FileLock

from stages.generate.plan.endpoint import address
from stages.generate.plan.models import PlannedModel
from stages.shared.records.brief import Brief, Prompt
from stages.shared.records.errors import GraphEvaluatorError
from stages.shared.records.json_text import canonical, pretty
from stages.shared.records.params import GenerateParams
from stages.shared.records.record import hashed_values
from stages.shared.records.response import TOOL_VERSION, PromptRef, RecordedCounts, Response, Run
from stages.shared.shell.files import files_sha256, folder_sha256, write_atomic
from stages.shared.shell.paths import response_file
from stages.shared.shell.results import run_if_readable


class ResponseFolder:
    """The next content of a folder of responses: prepared beside it, swapped in by `publish`.

    Used as a context. Until it is published the folder is unchanged; what a killed process leaves
    beside it is removed by the next one. `lock` is held while the folder is changed.
    """

    def __init__(self, folder: Path, lock: FileLock) -> None:
        self._folder = folder
        self._lock = lock
        self._scratch: Path | None = None
        self._hashes: dict[PurePath, str] = {}
        self._unchanged: list[PurePath] = []
        self._closing = ExitStack()

    def __enter__(self) -> Self:
        with _one_sentence(self._folder), self._lock:
            for leftover in self._folder.parent.glob(f".{self._folder.name}-*"):
                _remove_leftover(leftover, self._folder)
        return self

    def __exit__(self, *_error: object) -> None:
        self._closing.close()

    def write(self, response: Response) -> None:
        """Prepare the file of a response; one that is in the folder already is not written."""
        file = response_file(response.cell)
        content = pretty(response.to_json())
        self._hashes[file] = hashlib.sha256(content).hexdigest()
        present = self._folder / file
        with _one_sentence(present):
            if present.is_file() and present.read_bytes() == content:
                self._unchanged.append(file)
            else:
                self._prepare(file, content)

    @property
    def sha256(self) -> str:
        """The hash of all files."""
        return files_sha256(self._hashes)

    def publish(self) -> None:
        """Put what was prepared in place of the folder; an equal one stays."""
        with _one_sentence(self._folder), self._lock:
            if folder_sha256(self._folder) == self.sha256:
                return
            scratch = self._open_scratch()
            self._prepare_unchanged()
            if os.path.lexists(self._folder):
                self._folder.rename(scratch / "old")
            (scratch / "new").rename(self._folder)

    def _prepare_unchanged(self) -> None:
        for file in self._unchanged:
            content = (self._folder / file).read_bytes()
            if hashlib.sha256(content).hexdigest() != self._hashes[file]:
                raise GraphEvaluatorError(f"{self._folder} was changed by another run: run again")
            self._prepare(file, content)

    def _prepare(self, file: PurePath, content: bytes) -> None:
        prepared = self._open_scratch() / "new" / file
        prepared.parent.mkdir(parents=True, exist_ok=True)
        prepared.write_bytes(content)

    def _open_scratch(self) -> Path:
        """The folder that holds what is prepared; locked while this process runs."""
        if self._scratch is not None:
            return self._scratch
        parent, prefix = self._folder.parent, f".{self._folder.name}-"
        with self._lock:
            parent.mkdir(parents=True, exist_ok=True)
            self._scratch = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
            handle = os.open(self._scratch, os.O_RDONLY)
            self._closing.callback(os.close, handle)
            self._closing.callback(shutil.rmtree, self._scratch, ignore_errors=True)
            fcntl.flock(handle, fcntl.LOCK_EX)
            (self._scratch / "new").mkdir()
        return self._scratch


def _remove_leftover(scratch: Path, folder: Path) -> None:
    """Remove what a killed process prepared, and undo a swap that was cut off."""
    handle = os.open(scratch, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.lexists(scratch / "old") and not os.path.lexists(folder):
            (scratch / "old").rename(folder)
        shutil.rmtree(scratch, ignore_errors=True)
    except BlockingIOError:  # its process runs
        return
    finally:
        os.close(handle)


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
    with _one_sentence(file):
        write_atomic(file, pretty(run.to_json()))


@contextmanager
def _one_sentence(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        name = error.filename2 or error.filename or file.as_posix()
        raise GraphEvaluatorError(
            f"{name} cannot be written ({error.strerror}); every answer is kept in the ledger: "
            "fix this and run again"
        ) from None
