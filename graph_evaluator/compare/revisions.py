"""Adapter: the revisions that are compared, with their results and inputs: commits, experiments and
the working tree are read without checking anything out.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from graph_evaluator.records.errors import Problem, input_error, nearest, refuse
from graph_evaluator.records.params import GenerateParams
from graph_evaluator.records.run_results import Run
from graph_evaluator.records.scorecard import ScoredCell
from graph_evaluator.shell import numbers, paths
from graph_evaluator.shell.repository import (
    LOCK,
    NotFetched,
    StoredContent,
    ask_git,
    changing_commits,
    committed_files,
    file_versions,
    find_commit,
    out_hashes,
    revision_refs,
)
from graph_evaluator.shell.text import visible

WORKSPACE = "workspace"
"""The name of the working tree."""
MAX_NAMES = 20


class NoResults(Exception):
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

    `rescored`: its answers were scored now. `model`: the only model of the side, where two are
    compared.
    """

    run: Run
    cells: tuple[ScoredCell, ...]
    rescored: bool = False
    model: str | None = None

    @property
    def models(self) -> frozenset[str]:
        """The ids of the models that have cells."""
        return frozenset(cell.model_id for cell in self.cells)

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
        """The hashes of the scoring rules that made the scores."""
        return frozenset(cell.scoring_rules for cell in self.cells)

    def of_model(self, model: str) -> "ComparedSide":
        """The side with the cells of one model."""
        cells = tuple(cell for cell in self.cells if cell.model_id == model)
        return replace(self, name=model, model=model, cells=cells)


def require_models(named: Iterable[str], known: Collection[str]) -> None:
    """Raise InputError for the models given to `--models` that a run does not have."""
    others = f"it has {', '.join(sorted(known))}"
    refuse(
        Problem("--models", model, f"is not in the run{nearest(model, known)}; {others}")
        for model in named
        if model not in known
    )


def unchanged_recordings(before: ComparedSide, after: ComparedSide) -> frozenset[str]:
    """Recorded models with equal answers on both sides of a change of the prompt: they are no
    evidence about the prompt.
    """
    if before.run.prompt.sha256 == after.run.prompt.sha256:
        return frozenset()
    common = before.models & after.models
    old, new = before.run.recorded, after.run.recorded
    return frozenset(
        model
        for model in common & old.keys() & new.keys()
        if old[model].answers_sha256 == new[model].answers_sha256
    )


def changed_inputs(before: Run, after: Run) -> Iterator[str]:
    """The prompt, models, briefs and settings in which two runs differ, by name."""
    if before.prompt != after.prompt:
        yield f"prompt {', '.join(sorted({before.prompt.path, after.prompt.path}))}"
    inputs = {"model": (before.models, after.models), "brief": (before.briefs, after.briefs)}
    for noun, (old, new) in inputs.items():
        differing = {name for name, _ in old.items() ^ new.items()}
        changes = {
            noun: differing & old.keys() & new.keys(),
            f"added {noun}": new.keys() - old.keys(),
            f"removed {noun}": old.keys() - new.keys(),
        }
        for change, names in changes.items():
            if names:
                yield f"{change} {numbers.first_of(sorted(names), 5)}"
    for name in GenerateParams.model_fields:
        value = getattr(after, name)
        if value != getattr(before, name):
            yield f"generate.{name} {value}"


class Revisions:
    """The revisions of the repository at `root`; InputError where that is not a root of one."""

    def __init__(self, root: Path) -> None:
        if not (root / ".dvc").is_dir() or ask_git("rev-parse", folder=root).returncode:
            message = "is not the root of a DVC repository with git, which has revisions to compare"
            raise input_error(str(root), "", message)
        self._root = root
        self._stored = StoredContent(root)

    def resolve(self, name: str) -> NamedRevision:
        """The revision of a commit, tag, branch, experiment or `workspace`; InputError if there is
        none.
        """
        if name == WORKSPACE:
            return NamedRevision(name=name, revision=None)
        commit = None if name.startswith("-") else find_commit(name, self._root)
        if commit is None:
            known = (WORKSPACE, *revision_refs(self._root))
            problem = f"no revision, branch, tag or experiment has that name{nearest(name, known)}"
            message = f"{problem}; known are {numbers.first_of(known, MAX_NAMES)}"
            raise input_error(f'"{visible(name)}"', "", message)
        sha, date = commit
        return NamedRevision(name=name[:10] if name == sha else name, revision=sha, date=date)

    def runs(self, branch: str, limit: int) -> list[NamedRevision]:
        """The last commits along a branch's first parents that changed the run, the oldest
        first.
        """
        commit = self.resolve(branch).revision or "HEAD"
        options = ("--first-parent", f"--max-count={limit}", commit)
        commits = changing_commits((LOCK, paths.RUN), *options, folder=self._root)
        return [self.resolve(sha) for sha in reversed(commits)]

    def read(self, at: NamedRevision, file: Path) -> bytes | None:
        """A file's content, None when the revision has no such file; NoResults if it cannot be
        read.
        """
        return next((content for _, content in self.files(at, file)), None)

    def files(self, at: NamedRevision, place: Path) -> Iterator[tuple[Path, bytes]]:
        """A file, or the files below a folder, with their content, sorted; none where there is
        none. NoResults if they cannot be read.
        """
        if at.revision is None:
            root = self._root / place
            for path in [root] if root.is_file() else sorted(root.rglob("*")):
                if path.is_file():
                    yield path.relative_to(self._root), path.read_bytes()
            return
        for file in committed_files(at.revision, place, self._root):
            yield file, self._committed(at.revision, file) or b""
        for file, stored in sorted(self._stored_files(at, place).items()):
            if file.is_relative_to(place):
                yield file, stored.read_bytes()

    def modified_outs(self) -> frozenset[str]:
        """The outs of the working tree that differ from `dvc.lock`, as before `dvc checkout`."""
        return self._stored.modified_outs()

    def _committed(self, commit: str, file: Path) -> bytes | None:
        return file_versions([commit], file, folder=self._root)[commit]

    def _stored_files(self, at: NamedRevision, place: Path) -> dict[Path, Path]:
        """The files of the out that is a place or holds it, by path, as DVC stores them; none where
        `dvc.lock` names no such out.
        """
        lock = self._committed(at.revision or "HEAD", LOCK) or b""
        for out, md5 in out_hashes(lock).items():
            if not place.is_relative_to(out):
                continue
            try:
                if not md5.endswith(".dir"):
                    return {place: self._stored.file(md5)}
                folder = self._stored.folder(md5)
                return {Path(out, name): file for name, file in folder.items()}
            except NotFetched:
                raise NoResults(
                    f"{place.as_posix()} of {at.name} is neither in DVC's cache nor in a remote "
                    "that can be reached: run `dvc push` where it was made (`dvc fetch` says what "
                    "is missing), or run the pipeline at that revision"
                ) from None
        return {}
