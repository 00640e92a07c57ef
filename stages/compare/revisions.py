"""Adapter: reads git revisions, DVC experiments and the working tree, without checking anything out."""

import datetime
import hashlib
import logging
import os
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from dvc.api import DVCFileSystem
from dvc.exceptions import DvcException, NotDvcRepoError
from dvc.repo import Repo
from dvc.repo.experiments.utils import exp_refs, exp_refs_by_baseline
from dvc.scm import NoSCM, SCMError, resolve_rev

from stages.compare.sides import NamedRevision, NotMeasured
from stages.contracts.errors import InputError, Problem, collecting, nearest
from stages.shell import paths
from stages.shell.text import visible

WORKSPACE = "workspace"
"""The name of the working tree."""
LOCK = Path("dvc.lock")
logging.getLogger("dvc").setLevel(logging.ERROR)


class NotStored(NotMeasured):
    """The content of a file is neither in DVC's cache nor in a remote that can be reached; the message says what to do."""


class Revisions:
    """The revisions of the repository whose root is `root`; InputError where that is no root of a DVC repository with git."""

    def __init__(self, root: Path) -> None:
        self._repo = _open(root)
        self._root = Path(self._repo.root_dir)
        self._folder = self._root.resolve().relative_to(Path(self._repo.scm.root_dir).resolve())
        self._systems: dict[str, DVCFileSystem] = {}

    def resolve(self, name: str) -> NamedRevision:
        """The revision of a commit, tag, branch or experiment, or the working tree for `workspace`; InputError if there is none."""
        if name == WORKSPACE:
            return NamedRevision(name=name, revision=None)
        try:
            if not name or name.startswith("-"):
                raise SCMError("not a name")
            commit = str(resolve_rev(self._repo.scm, name))
            found = self._repo.scm.resolve_commit(commit)
        except (
            SCMError,
            DvcException,
            ValueError,
            AttributeError,
        ):  # AttributeError: the name of a tree or a blob
            raise InputError([Problem(f'"{visible(name)}"', "", self._unknown(name))]) from None
        date = datetime.datetime.fromtimestamp(found.commit_time, tz=datetime.UTC)
        shown = name[:10] if name == commit else name
        return NamedRevision(
            name=shown, revision=commit, date=date.isoformat().replace("+00:00", "Z")
        )

    def resolve_all(self, names: Iterable[str]) -> tuple[NamedRevision, ...]:
        """The revisions of several names; InputError lists every name without one."""
        found: list[NamedRevision] = []
        problems: list[Problem] = []
        for name in names:
            with collecting(problems):
                found.append(self.resolve(name))
        if problems:
            raise InputError(problems)
        return tuple(found)

    def experiments(self, base: NamedRevision) -> tuple[NamedRevision, ...]:
        """The experiments that were started from a commit, sorted by name; none for the working tree."""
        refs = exp_refs_by_baseline(self._repo.scm, {base.revision or ""})
        found = {
            info.name: self._repo.scm.get_ref(str(info))
            for infos in refs.values()
            for info in infos
            if info.name
        }
        return tuple(replace(self.resolve(found[name]), name=name) for name in sorted(found))

    def runs(self, branch: str) -> tuple[NamedRevision, ...]:
        """The commits along a branch's first parents that changed the run or `dvc.lock`, the oldest first."""
        commit = self.resolve(branch).revision or "HEAD"
        files = (LOCK.as_posix(), paths.RUN.as_posix())
        commits = self._git("log", "--first-parent", "--format=%H", commit, "--", *files)
        return tuple(self.resolve(each) for each in reversed(commits))

    def recorded_runs(self) -> Iterator[bytes]:
        """Every version of the run manifest in any branch, tag or experiment."""
        for commit in self._git("log", "--all", "--format=%H", "--", paths.RUN.as_posix()):
            if content := self.read(NamedRevision(name=commit, revision=commit), paths.RUN):
                yield content

    def main_branch(self) -> str:
        """`main` or `master`, here or at `origin`; HEAD where there is neither."""
        for name in ("main", "master", "origin/main", "origin/master"):
            with suppress(InputError):
                return self.resolve(name).name
        return "HEAD"

    def read(self, at: NamedRevision, file: Path) -> bytes | None:
        """A file's content, None when the revision has no such file; NotStored if DVC tracks it and its content cannot be read."""
        if at.revision is None:
            path = self._root / file
            return path.read_bytes() if path.is_file() else None
        tree = self._repo.scm.get_fs(
            at.revision
        )  # git first: DVC reads nothing at all where its remote is broken
        in_git = (self._folder / file).as_posix()
        if tree.isfile(in_git):
            with tree.open(in_git, "rb") as stream:
                return bytes(stream.read())
        with self._stored(at.name, at.revision, file) as (system, info):
            if info is None:
                return None
            content: bytes = system.read_bytes(file.as_posix())
            if info["dvc_info"]["md5"] != hashlib.md5(content, usedforsecurity=False).hexdigest():
                raise OSError("what is stored is damaged")
            return content

    def files(self, at: NamedRevision, folder: Path) -> tuple[Path, ...]:
        """The files below a folder, sorted, none without it; NotStored if DVC tracks the folder and its listing cannot be read."""
        if at.revision is None:
            found = [
                path.relative_to(self._root)
                for path in (self._root / folder).rglob("*")
                if path.is_file()
            ]
            return tuple(sorted(found))
        with self._stored(at.name, at.revision, folder) as (system, info):
            return tuple(sorted(map(Path, system.find(folder.as_posix()) if info else ())))

    def modified_outs(self) -> frozenset[str]:
        """The outs of the working tree whose content is not what `dvc.lock` names, as after `git merge` without `dvc checkout`."""
        found = self._repo.data_status()["uncommitted"].get("modified", ())
        return frozenset(name.rstrip("/") for name in found)

    @contextmanager
    def _stored(
        self, name: str, commit: str, file: Path
    ) -> Iterator[tuple[DVCFileSystem, dict[str, Any] | None]]:
        """What DVC stores of a commit, and what it knows of the file (None: nothing); every error becomes `NotStored`."""
        remote = self._repo.config["core"].get(
            "remote"
        )  # today's: the revision may have been made before it
        try:
            if commit not in self._systems:
                named = {"remote": remote} if remote else {}
                self._systems[commit] = DVCFileSystem(repo=str(self._root), rev=commit, **named)
            yield self._systems[commit], _info(self._systems[commit], file)
        except Exception as error:  # noqa: BLE001 - every kind of remote raises exceptions of its own
            found = f"{file.as_posix()} of {name} is neither in DVC's cache nor in a remote that can be reached"
            if not (remote or self._repo.config.get("remote")):
                fix = "`dvc remote add`, or run the pipeline at that revision"
                raise NotStored(f"{found}, and no remote is configured: {fix}") from None
            lines = [] if isinstance(error, FileNotFoundError) else str(error).splitlines()
            detail = f" ({lines[0][:200]})" if lines else ""
            fix = "`dvc push` it where it was made, or `dvc fetch` to see what is missing"
            raise NotStored(f"{found}{detail}: {fix}") from None

    def _unknown(self, name: str) -> str:
        scm = self._repo.scm
        experiments = {info.name for info in exp_refs(scm) if info.name}
        known = (WORKSPACE, *sorted({*scm.list_branches(), *scm.list_tags(), *experiments}))
        shown = ", ".join(known[:20]) + (", ..." if len(known) > 20 else "")
        message = f"no revision, branch, tag or experiment has that name{nearest(name, known)}; known are {shown}"
        if self._git("rev-parse", "--is-shallow-repository") == ["true"]:
            message += "; this clone is shallow: `git fetch --unshallow` fetches older commits"
        return message

    def _git(self, *arguments: str) -> list[str]:
        command = ["git", *arguments]
        return subprocess.run(
            command, cwd=self._root, check=True, capture_output=True, text=True
        ).stdout.split()


def _info(system: DVCFileSystem, file: Path) -> dict[str, Any] | None:
    with suppress(FileNotFoundError):
        return dict(system.info(file.as_posix()))
    return None


def _open(root: Path) -> Repo:
    try:
        repo = Repo(str(root))
        if isinstance(repo.scm, NoSCM):
            raise SCMError("no git")
    except NotDvcRepoError:
        raise InputError(
            [Problem(str(root), "", "is not in a DVC repository: run it where dvc.yaml is")]
        ) from None
    except SCMError:
        message = "is not in a git repository, so it has no revisions to compare"
        raise InputError([Problem(str(root), "", message)]) from None
    top, here = Path(repo.root_dir).resolve(), root.resolve()
    if top != here:
        message = f"is inside the repository: run it at its root, in {os.path.relpath(top, here)}"
        raise InputError([Problem(str(root), "", message)])
    return repo
