"""Adapter: reads commits, experiments and the working tree, without checking anything out."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from stages.commands.compare.sides import NamedRevision, NotMeasured
from stages.shared.records.errors import InputError, Problem, collecting, input_error, nearest
from stages.shared.shell import paths
from stages.shared.shell.dvc import LOCK, DvcRepository, NotFetched, UnknownRevision
from stages.shared.shell.git import changing_commits, file_versions, git_output
from stages.shared.shell.numbers import first_of
from stages.shared.shell.text import visible

WORKSPACE = "workspace"
"""The name of the working tree."""
MAX_NAMES = 20


class NotStored(NotMeasured):
    """Content that DVC tracks cannot be read; the message says what to do."""


class Revisions:
    """The revisions of the repository at `root`; InputError where that is no root of one."""

    def __init__(self, root: Path) -> None:
        self._repository = DvcRepository(root)
        self._root = self._repository.root

    def resolve(self, name: str) -> NamedRevision:
        """The revision of a commit, tag, branch, experiment or `workspace`; InputError if there is
        none.
        """
        if name == WORKSPACE:
            return NamedRevision(name=name, revision=None)
        try:
            commit = self._repository.resolve(name)
        except UnknownRevision:
            raise input_error(f'"{visible(name)}"', "", self._unknown(name)) from None
        shown = name[:10] if name == commit.sha else name
        return NamedRevision(name=shown, revision=commit.sha, date=commit.date)

    def resolve_all(self, names: Iterable[str]) -> tuple[NamedRevision, ...]:
        """The revisions of several names; InputError lists every name without one."""
        revisions: list[NamedRevision] = []
        problems: list[Problem] = []
        for name in names:
            with collecting(problems):
                revisions.append(self.resolve(name))
        if problems:
            raise InputError(problems)
        return tuple(revisions)

    def runs(self, branch: str) -> tuple[NamedRevision, ...]:
        """The commits along a branch's first parents that changed the run, the oldest first."""
        commit = self.resolve(branch).revision or "HEAD"
        files = (LOCK, paths.RUN)
        commits = changing_commits(files, "--first-parent", commit, folder=self._root)
        return tuple(self.resolve(sha) for sha in reversed(commits))

    def recorded_manifests(self) -> list[bytes]:
        """Every version of the run manifest in any branch, tag or experiment."""
        commits = changing_commits([paths.RUN], "--all", folder=self._root)
        versions = file_versions(commits, paths.RUN, folder=self._root)
        return [content for content in versions.values() if content]

    def main_branch(self) -> str:
        """`main` or `master`, here or at `origin`; HEAD where there is neither."""
        for name in ("main", "master", "origin/main", "origin/master"):
            with suppress(InputError):
                return self.resolve(name).name
        return "HEAD"

    def read(self, at: NamedRevision, file: Path) -> bytes | None:
        """A file's content, None when the revision has no such file; NotStored if it cannot be
        read.
        """
        if at.revision is None:
            path = self._root / file
            return path.read_bytes() if path.is_file() else None
        try:
            return self._repository.read(at.revision, file)
        except NotFetched as error:
            raise self._not_stored(at, file, error) from None

    def files(self, at: NamedRevision, folder: Path) -> tuple[Path, ...]:
        """The files below a folder, sorted, none without it; NotStored if its listing cannot be
        read.
        """
        if at.revision is None:
            present = [path for path in (self._root / folder).rglob("*") if path.is_file()]
            return tuple(sorted(path.relative_to(self._root) for path in present))
        try:
            return self._repository.files(at.revision, folder)
        except NotFetched as error:
            raise self._not_stored(at, folder, error) from None

    def modified_outs(self) -> frozenset[str]:
        """The outs of the working tree that differ from `dvc.lock`, as before `dvc checkout`."""
        return self._repository.modified_outs()

    def _not_stored(self, at: NamedRevision, file: Path, error: NotFetched) -> NotStored:
        place = "is neither in DVC's cache nor in a remote that can be reached"
        problem = f"{file.as_posix()} of {at.name} {place}"
        if not self._repository.has_remote:
            fix = "`dvc remote add`, or run the pipeline at that revision"
            return NotStored(f"{problem}, and no remote is configured: {fix}")
        detail = f" ({error})" if str(error) else ""
        fix = "`dvc push` it where it was made, or `dvc fetch` to see what is missing"
        return NotStored(f"{problem}{detail}: {fix}")

    def _unknown(self, name: str) -> str:
        known = (WORKSPACE, *self._repository.revision_names())
        shown = first_of(known, MAX_NAMES)
        problem = "no revision, branch, tag or experiment has that name"
        message = f"{problem}{nearest(name, known)}; known are {shown}"
        shallow = git_output("rev-parse", "--is-shallow-repository", folder=self._root)
        if shallow.strip() == "true":
            message += "; this clone is shallow: `git fetch --unshallow` fetches older commits"
        return message
