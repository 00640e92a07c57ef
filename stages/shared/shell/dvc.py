"""Adapter: what DVC recorded and stored: `dvc.lock`, folders by their hash, files of any commit.

Importing DVC takes most of a second, so only the functions that need it do so.
"""

import datetime
import hashlib
import logging
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError

from stages.shared.records import yaml_text
from stages.shared.records.errors import input_error
from stages.shared.records.record import Array, Record
from stages.shared.shell import paths
from stages.shared.shell.numbers import counted

if TYPE_CHECKING:
    from dvc.api import DVCFileSystem
    from dvc.repo import Repo
    from dvc_data.hashfile.hash_info import HashInfo

LOCK = Path("dvc.lock")
MAX_REASON = 200
"""Characters of a remote's error that a message repeats."""
_RESPONSES_HASH = re.compile(
    rb"^  generate:\n(?:    .*\n)*?    - path: %b\n(?:      hash: md5\n)?"
    rb"      md5: ([0-9a-f]{32}\.dir)$" % paths.RESPONSES.as_posix().encode(),
    re.MULTILINE,
)
_USER = re.compile(r"(?<=//)[^/@\s]*@")
"""User and password in an address."""


class NotFetched(Exception):
    """Content is neither in DVC's cache nor in a remote that can be reached; the message says
    why.
    """


class LockedFile(Record):
    """A file or folder of a stage, with its hash; None where git keeps it without one."""

    path: str
    md5: str | None = None


class LockedStage(Record):
    """What `dvc.lock` records of a stage: parameters by file, inputs and outputs."""

    params: dict[str, dict[str, Any]] = Field(default_factory=dict)
    deps: Array[LockedFile] = ()
    outs: Array[LockedFile] = ()

    def hash_of(self, file: Path) -> str | None:
        """The hash of an input or output; None where it is neither."""
        hashes = {entry.path: entry.md5 for entry in (*self.deps, *self.outs)}
        return hashes.get(file.as_posix())


class LockFile(Record):
    """The content of a `dvc.lock`."""

    stages: dict[str, LockedStage] = Field(default_factory=dict)


def read_lock(text: str) -> LockFile:
    """The content of a `dvc.lock`, empty where it holds something else; NotYaml as of a
    conflict.
    """
    with suppress(ValidationError):
        return LockFile.read(yaml_text.parse(text))
    return LockFile()


def responses_hash(lock: bytes) -> str | None:
    """The hash of the folder of responses that a `dvc.lock` names; None where it names none.

    DVC writes the file, so its lines are enough: to parse 200 of them takes over a second.
    """
    match = _RESPONSES_HASH.search(lock)
    return match[1].decode() if match else None


class StoredFolders:
    """The content of folders by their hash, from DVC's cache, else from the default remote of the
    repository.
    """

    def __init__(self) -> None:
        self._fault: str | None = None

    def files(self, folder_md5: str) -> Iterator[bytes]:
        """The content of every file of a folder; fetches what the cache lacks.

        Raises:
            NotFetched: before the first file, if any of them cannot be read.
        """
        from dvc_data.hashfile.hash_info import HashInfo
        from dvc_data.hashfile.tree import Tree

        folder = HashInfo("md5", folder_md5)
        try:
            cache = self._repo.cache.local
            self._fetch([folder])
            entries = [(key, file) for key, _, file in Tree.load(cache, folder)]
            self._fetch([file for _, file in entries])
            stored = sorted((key, Path(cache.oid_to_path(file.value))) for key, file in entries)
        except NotFetched:
            raise
        except Exception as error:  # noqa: BLE001 - what DVC raises for a damaged cache or config
            raise NotFetched(_sentence(error)[:MAX_REASON]) from None
        return (path.read_bytes() for _, path in stored)

    @cached_property
    def _repo(self) -> "Repo":
        from dvc.repo import Repo

        logging.getLogger("dvc").setLevel(logging.CRITICAL)
        # Not the working directory: there a remote with a relative path is another folder.
        return Repo(str(paths.repository()))

    def _fetch(self, hashes: "Sequence[HashInfo]") -> None:
        """Fetch what the cache lacks, or raise NotFetched; a remote that cannot be reached is tried
        once.
        """
        from dvc.config import NoRemoteError

        cache = self._repo.cache.local
        absent = [entry for entry in hashes if not cache.exists(entry.value)]
        if absent and self._fault is None:
            try:
                self._repo.cloud.pull(absent)
            except NoRemoteError:
                self._fault = "no remote is configured"
            except Exception as error:  # noqa: BLE001 - each kind of remote raises its own
                self._fault = self._unreachable(error)
        missing = sum(not cache.exists(entry.value) for entry in absent)
        if missing:
            raise NotFetched(self._fault or self._reason_without_error(missing))

    def _reason_without_error(self, missing: int) -> str:
        """Why files are missing after a fetch that did not fail: DVC takes a folder or a web server
        that is away for an empty remote.
        """
        remote = self._repo.cloud.get_remote()
        try:
            remote.fs.info(remote.path)
        except FileNotFoundError as error:
            if remote.fs.protocol == "local":
                self._fault = self._unreachable("there is no such folder")
            elif error.__cause__ and not isinstance(error.__cause__, FileNotFoundError):
                self._fault = self._unreachable(error.__cause__)
        except Exception as error:  # noqa: BLE001 - each kind of remote raises its own
            return self._unreachable(error)
        files = counted(missing, "file is", "files are")
        return self._fault or f"{files} missing in {self._remote_name()}"

    def _unreachable(self, reason: object) -> str:
        return f"{self._remote_name()} cannot be reached: {_sentence(reason)}"[:MAX_REASON]

    def _remote_name(self) -> str:
        name = self._repo.config["core"]["remote"]
        return _sentence(f'the remote "{name}" ({self._repo.config["remote"][name]["url"]})')


def _sentence(text: object) -> str:
    """A text in one line, without users and passwords in addresses."""
    return _USER.sub("", " ".join(str(text).split())) or type(text).__name__


class UnknownRevision(Exception):
    """No commit, branch, tag or experiment has the name."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: its SHA, and its date, ISO 8601."""

    sha: str
    date: str


class DvcRepository:
    """The DVC repository with git whose root is `root`; InputError where that is no root of one."""

    def __init__(self, root: Path) -> None:
        logging.getLogger("dvc").setLevel(logging.ERROR)
        self._repo = _open(root)
        self.root = Path(self._repo.root_dir)
        self._folder = self.root.resolve().relative_to(Path(self._repo.scm.root_dir).resolve())
        self._systems: dict[str, DVCFileSystem] = {}

    @property
    def remote(self) -> str | None:
        """The default remote as configured now: a commit may have been made before it."""
        name: str | None = self._repo.config["core"].get("remote")
        return name

    @property
    def has_remote(self) -> bool:
        """Whether any remote is configured."""
        return bool(self.remote or self._repo.config.get("remote"))

    def resolve(self, name: str) -> Commit:
        """The commit that a branch, tag, experiment or SHA names; UnknownRevision if there is
        none.
        """
        from dvc.exceptions import DvcException
        from dvc.scm import SCMError, resolve_rev

        if not name or name.startswith("-"):
            raise UnknownRevision(name)
        try:
            sha = str(resolve_rev(self._repo.scm, name))
            commit_time = self._repo.scm.resolve_commit(sha).commit_time
        # AttributeError: the name of a tree or a blob
        except (SCMError, DvcException, ValueError, AttributeError):
            raise UnknownRevision(name) from None
        date = datetime.datetime.fromtimestamp(commit_time, tz=datetime.UTC)
        return Commit(sha, date.isoformat().replace("+00:00", "Z"))

    def revision_names(self) -> list[str]:
        """The names of all branches, tags and experiments, sorted."""
        from dvc.repo.experiments.utils import exp_refs

        scm = self._repo.scm
        experiments = {info.name for info in exp_refs(scm) if info.name}
        return sorted({*scm.list_branches(), *scm.list_tags(), *experiments})

    def read(self, commit: str, file: Path) -> bytes | None:
        """A file's content at a commit; None where the commit has no such file.

        Raises:
            NotFetched: DVC tracks the file, and its content cannot be read.
        """
        # git first: DVC reads nothing at all where its remote is broken
        tree = self._repo.scm.get_fs(commit)
        path_in_git = (self._folder / file).as_posix()
        if tree.isfile(path_in_git):
            with tree.open(path_in_git, "rb") as stream:
                return bytes(stream.read())
        with self._stored(commit) as system:
            info = _info(system, file)
            if info is None:
                return None
            content: bytes = system.read_bytes(file.as_posix())
            if info["dvc_info"]["md5"] != hashlib.md5(content, usedforsecurity=False).hexdigest():
                raise OSError("what is stored is damaged")
            return content

    def files(self, commit: str, folder: Path) -> tuple[Path, ...]:
        """The files below a folder at a commit, sorted; none without the folder.

        Raises:
            NotFetched: DVC tracks the folder, and its listing cannot be read.
        """
        with self._stored(commit) as system:
            names = system.find(folder.as_posix()) if _info(system, folder) else ()
            return tuple(sorted(map(Path, names)))

    def modified_outs(self) -> frozenset[str]:
        """The outs of the working tree whose content is not what `dvc.lock` names."""
        modified = self._repo.data_status()["uncommitted"].get("modified", ())
        return frozenset(name.rstrip("/") for name in modified)

    @contextmanager
    def _stored(self, commit: str) -> "Iterator[DVCFileSystem]":
        """What DVC stores of a commit; every error in reading it becomes `NotFetched`."""
        from dvc.api import DVCFileSystem

        try:
            if commit not in self._systems:
                options = {"remote": self.remote} if self.remote else {}
                self._systems[commit] = DVCFileSystem(repo=str(self.root), rev=commit, **options)
            yield self._systems[commit]
        except Exception as error:  # noqa: BLE001 - each kind of remote raises its own
            raise NotFetched(_reason_of(error)) from None


def _reason_of(error: BaseException | None) -> str:
    """The first line of a remote's own error, which DVC wraps; empty where content is only
    missing.
    """
    from dvc_data.index import DataIndexDirError

    while isinstance(error, FileNotFoundError | DataIndexDirError):
        error = error.__cause__
    lines = str(error or "").splitlines()
    return _sentence(lines[0])[:MAX_REASON] if lines else ""


def _info(system: "DVCFileSystem", file: Path) -> Mapping[str, Any] | None:
    with suppress(FileNotFoundError):
        return dict(system.info(file.as_posix()))
    return None


def _open(root: Path) -> "Repo":
    from dvc.exceptions import NotDvcRepoError
    from dvc.repo import Repo
    from dvc.scm import NoSCM, SCMError

    try:
        repo = Repo(str(root))
        has_git = not isinstance(repo.scm, NoSCM)
    except NotDvcRepoError:
        message = "is not in a DVC repository: run it where dvc.yaml is"
        raise input_error(str(root), "", message) from None
    except SCMError:
        has_git = False
    if not has_git:
        message = "is not in a git repository, so it has no revisions to compare"
        raise input_error(str(root), "", message)
    top, here = Path(repo.root_dir).resolve(), root.resolve()
    if top != here:
        message = f"is inside the repository: run it at its root, in {os.path.relpath(top, here)}"
        raise input_error(str(root), "", message)
    return repo
