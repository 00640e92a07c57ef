"""Adapter: what a revision holds, read through git and DVC (cache, then remote) without checking anything out."""

import datetime
import logging
from collections.abc import Iterable
from pathlib import Path

import msgspec
from dvc.exceptions import DvcException
from dvc.fs import DVCFileSystem
from dvc.repo.experiments.utils import exp_refs, exp_refs_by_baseline
from dvc.scm import SCMError, resolve_rev
from dvc_data.index import DataIndexError, StorageError
from dvc_objects.errors import ObjectFormatError

from stages.compare.committed import Committed
from stages.compare.lock_file import LOCK
from stages.compare.repository import first_parents, is_shallow, open_repository
from stages.compare.revision import NotStored, Revision, out_of_reach
from stages.compare.side import WORKSPACE
from stages.contracts.errors import InputError, Problem, nearest
from stages.report.visible_text import visible

_OUT_OF_REACH = (OSError, DvcException, DataIndexError, StorageError, ObjectFormatError)
logging.getLogger("dvc").setLevel(logging.ERROR)


class Revisions:
    """The revisions of the repository whose root is the working directory.

    Raises:
        InputError: there is no DVC repository with git here, or this is a folder inside one.
    """

    def __init__(self, root: Path) -> None:
        self._repo = open_repository(root)
        self._root = Path(self._repo.root_dir)
        self._committed: dict[str, Committed] = {}
        self._systems: dict[str, DVCFileSystem] = {}

    def resolve(self, name: str) -> Revision:
        """The revision of a git revision, tag, branch or experiment's name, or the working tree for `workspace`.

        Raises:
            InputError: there is none of that name; the message has the nearest.
        """
        if name == WORKSPACE:
            return Revision(name, None, None)
        try:
            if not name or name.startswith("-"):
                raise SCMError("not a name")
            commit = str(resolve_rev(self._repo.scm, name))
            found = self._repo.scm.resolve_commit(commit)
        except (SCMError, DvcException, ValueError, AttributeError):  # the last: a name of a tree or a blob
            raise InputError([Problem(f'"{visible(name)}"', "", self._unknown(name))]) from None
        date = datetime.datetime.fromtimestamp(found.commit_time, tz=datetime.UTC)
        return Revision(name[:10] if name == commit else name, commit, date.isoformat().replace("+00:00", "Z"))

    def resolve_all(self, names: Iterable[str]) -> tuple[Revision, ...]:
        """The revisions of several names.

        Raises:
            InputError: names without a revision: all of them.
        """
        found: list[Revision] = []
        problems: list[Problem] = []
        for name in names:
            try:
                found.append(self.resolve(name))
            except InputError as error:
                problems += error.problems
        if problems:
            raise InputError(problems)
        return tuple(found)

    def names(self) -> tuple[str, ...]:
        """The names that can be asked for: the working tree, branches, tags, experiments."""
        scm = self._repo.scm
        experiments = {info.name for info in exp_refs(scm) if info.name}
        return (WORKSPACE, *sorted({*scm.list_branches(), *scm.list_tags(), *experiments}))

    def experiments(self, base: Revision) -> tuple[Revision, ...]:
        """The experiments that began from a commit, in the order of their names; none for the working tree."""
        refs = exp_refs_by_baseline(self._repo.scm, {base.commit or ""})
        found = {info.name: self._repo.scm.get_ref(str(info)) for infos in refs.values() for info in infos if info.name}
        return tuple(msgspec.structs.replace(self.resolve(found[name]), name=name) for name in sorted(found))

    def read(self, revision: Revision, file: Path) -> bytes | None:
        """A file's content; None when the revision has no such file.

        Raises:
            NotStored: the revision has the file under DVC, and its content is in no place that can be reached.
        """
        if revision.commit is None:
            path = self._root / file
            return path.read_bytes() if path.is_file() else None
        content = self._committed_at(revision.commit).read(file)
        if content is not None:
            return content
        try:
            system = self._system(revision.commit)
            if not system.exists(file.as_posix()):
                return None
            with system.open(file.as_posix(), "rb") as stream:
                stored: bytes = stream.read()
        except _OUT_OF_REACH as error:
            raise self._out_of_reach(revision, file, error) from None
        return stored

    def files(self, revision: Revision, folder: Path) -> tuple[Path, ...]:
        """The files below a folder, in the order of their paths; none when the revision has no such folder.

        Raises:
            NotStored: the revision has the folder under DVC, and what is in it is known in no place that can be reached.
        """
        if revision.commit is None:
            found = [path.relative_to(self._root) for path in (self._root / folder).rglob("*") if path.is_file()]
            return tuple(sorted(found))
        try:
            system = self._system(revision.commit)
            names = list(system.find(folder.as_posix())) if system.exists(folder.as_posix()) else []
        except _OUT_OF_REACH as error:
            raise self._out_of_reach(revision, folder, error) from None
        return tuple(sorted(map(Path, names)))

    def runs(self, branch: str, file: Path) -> tuple[Revision, ...]:
        """The commits along a branch (first parents) that changed `file` or `dvc.lock`, the oldest first."""
        top = self.resolve(branch)
        commits = first_parents(self._root, top.commit or "HEAD", (LOCK, file.as_posix()))
        return tuple(self.resolve(commit) for commit in reversed(commits))

    def main_branch(self) -> str:
        """`main` or `master` where there is one, here or at `origin`, else what is checked out."""
        for name in ("main", "master", "origin/main", "origin/master"):
            try:
                self.resolve(name)
            except InputError:
                continue
            return name
        return "HEAD"

    def _committed_at(self, commit: str) -> Committed:
        if commit not in self._committed:
            self._committed[commit] = Committed(self._repo, commit)
        return self._committed[commit]

    def _unknown(self, name: str) -> str:
        known = self.names()
        shown = ", ".join(known[:20]) + (", ..." if len(known) > 20 else "")
        told = f"there is no revision, branch, tag or experiment of that name{nearest(name, known)}; known are {shown}"
        return (
            f"{told}; this clone is shallow: `git fetch --unshallow` brings what is older"
            if is_shallow(self._root)
            else told
        )

    def _system(self, commit: str) -> DVCFileSystem:
        if commit not in self._systems:
            remote = self._repo.config["core"].get("remote")  # today's: the revision may have had none yet
            named = {"remote": remote} if remote else {}
            self._systems[commit] = DVCFileSystem(repo=str(self._root), rev=commit, **named)
        return self._systems[commit]

    def _out_of_reach(self, revision: Revision, file: Path, error: Exception) -> NotStored:
        remote = self._repo.config.get("core", {}).get("remote") or self._repo.config.get("remote")
        return NotStored(out_of_reach(revision, file.as_posix(), error, has_remote=bool(remote)))
