"""Adapter: reads commits, experiments and the working tree, without checking anything out."""

from collections.abc import Iterator
from pathlib import Path

from graph_evaluator.compare.sides import NamedRevision, NoResults
from graph_evaluator.records.errors import input_error, nearest
from graph_evaluator.shell import paths
from graph_evaluator.shell.numbers import first_of
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
            message = f"{problem}; known are {first_of(known, MAX_NAMES)}"
            raise input_error(f'"{visible(name)}"', "", message)
        shown = name[:10] if name == commit.sha else name
        return NamedRevision(name=shown, revision=commit.sha, date=commit.date)

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
