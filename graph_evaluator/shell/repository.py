"""Adapter: what git committed, and what DVC recorded and stored, by the command line of git, by
`dvc.lock`, and by the hashes of content.

Names of files are relative to the folder in which git runs. Importing DVC takes most of a second,
so only the functions that need it do so.
"""

import datetime
import hashlib
import logging
import re
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graph_evaluator.records.errors import GraphEvaluatorError
from graph_evaluator.records.json_text import parse

HERE = Path()


def ask_git(*arguments: str, folder: Path = HERE) -> subprocess.CompletedProcess[str]:
    """The result of a command of git, which may have failed; GraphEvaluatorError without git."""
    try:
        return subprocess.run(
            ["git", *arguments],
            cwd=folder,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except OSError:
        message = "git is not installed, and this command needs it"
        raise GraphEvaluatorError(message) from None


def git_output(*arguments: str, folder: Path = HERE) -> str:
    """What a command of git prints; GraphEvaluatorError if it fails."""
    result = ask_git(*arguments, folder=folder)
    if result.returncode:
        raise GraphEvaluatorError(f"git {arguments[0]} failed: {result.stderr.strip()}")
    return result.stdout


def work_tree(folder: Path) -> Path | None:
    """The root of the git repository that a folder is in; None outside of any."""
    answer = ask_git("rev-parse", "--show-toplevel", folder=folder)
    return Path(answer.stdout.strip()) if answer.returncode == 0 else None


def head_commit() -> str | None:
    """The SHA of the current commit; None outside a repository, without git or any commit."""
    with suppress(GraphEvaluatorError):
        return git_output("rev-parse", "--verify", "HEAD").strip()
    return None


def commits_of(names: Iterable[str], folder: Path = HERE) -> list[str]:
    """The SHAs of the commits that the names are of, without names that git does not know."""
    answers = [ask_git("rev-parse", "--quiet", "--verify", name, folder=folder) for name in names]
    return [answer.stdout.strip() for answer in answers if answer.returncode == 0]


def find_commit(name: str, folder: Path) -> tuple[str, str] | None:
    """The SHA and the date (ISO 8601) of the commit that a branch, tag, experiment or SHA names;
    None if there is none.
    """
    names = [name, revision_refs(folder).get(name, name)]
    for sha in commits_of([f"{known}^{{commit}}" for known in names], folder):
        seconds = git_output("show", "--no-patch", "--format=%ct", sha, folder=folder)
        date = datetime.datetime.fromtimestamp(int(seconds), tz=datetime.UTC)
        return sha, date.isoformat().replace("+00:00", "Z")
    return None


def revision_refs(folder: Path) -> dict[str, str]:
    """What git calls the branches, tags and experiments of DVC, by their names, sorted."""
    kinds = ("refs/heads", "refs/tags", "refs/exps/??/*/*")
    refs = git_output("for-each-ref", "--format=%(refname)", *kinds, folder=folder).split()
    return dict(sorted((_REF_KIND.sub("", ref), ref) for ref in refs))


def commit_being_merged(folder: Path = HERE) -> str | None:
    """The name that git has for the commit that a stopped rebase, merge or cherry-pick applies to
    HEAD; None when there is none.
    """
    names = ["MERGE_HEAD", "CHERRY_PICK_HEAD"]
    state = ask_git("rev-parse", "--git-path", "rebase-merge", folder=folder)
    if state.returncode == 0 and (folder / state.stdout.strip()).is_dir():
        names.insert(0, "REBASE_HEAD")  # git keeps the name when the rebase has ended
    return next((name for name in names if commits_of([name], folder)), None)


def is_shallow(folder: Path) -> bool:
    """Whether the history is cut off: earlier commits were not fetched."""
    return ask_git("rev-parse", "--is-shallow-repository", folder=folder).stdout == "true\n"


def branch_and_experiment_tips(folder: Path = HERE) -> list[str]:
    """The last commit of each local branch and of each experiment of DVC, the newest first."""
    options = ("--sort=-committerdate", "--format=%(objectname)", "refs/heads", "refs/exps")
    return ask_git("for-each-ref", *options, folder=folder).stdout.split()


def changing_commits(files: Iterable[Path], *options: str, folder: Path = HERE) -> list[str]:
    """The commits that changed one of these files, the newest first; `options` of `git log` select
    them.
    """
    names = [file.as_posix() for file in files]
    return git_output("log", "--format=%H", *options, "--", *names, folder=folder).split()


def file_versions(
    commits: Iterable[str], file: Path, *, folder: Path = HERE
) -> dict[str, bytes | None]:
    """A file's content in each of the commits, None in those that lack it; one process reads
    all.
    """
    wanted = list(commits)
    names = "".join(f"{commit}:./{file.as_posix()}\n" for commit in wanted)
    command = ["git", "cat-file", "--batch"]
    output = b""
    with suppress(OSError):  # there is no git
        done = subprocess.run(
            command, cwd=folder, input=names.encode(), capture_output=True, check=False
        )
        output = done.stdout
    stream = BytesIO(output)
    return {commit: _next_object(stream) for commit in wanted}


def committed_files(commit: str, place: Path, repository: Path) -> list[Path]:
    """A file of the repository at a commit, or the files below a folder, sorted; none without
    it.
    """
    options = ("-r", "-z", "--name-only", commit, place.as_posix())
    names = git_output("ls-tree", *options, folder=repository).split("\0")
    return [Path(name) for name in names if name]


def _next_object(stream: BytesIO) -> bytes | None:
    """The content of the next file that `git cat-file --batch` printed; None for anything else."""
    header = stream.readline().split()
    if len(header) != 3 or not header[2].isdigit():
        return None
    content = stream.read(int(header[2]))
    stream.readline()
    return content if header[1] == b"blob" else None


if TYPE_CHECKING:
    from dvc.repo import Repo

LOCK = Path("dvc.lock")
_REF_KIND = re.compile("^refs/(heads|tags|exps/../[^/]+)/")
_OUTS = re.compile(r"^    outs:\n((?:    - .*\n|      .*\n)+)", re.MULTILINE)
_OUT = re.compile(r"^    - path: (.+)\n(?:      .*\n)*?      md5: (\S+)$", re.MULTILINE)


class NotFetched(Exception):
    """Content is neither in DVC's cache nor in a remote that can be reached."""


def out_hashes(lock: bytes) -> dict[str, str]:
    """The hash of each output that a `dvc.lock` records, by its path.

    DVC writes the file, so its lines are enough: to parse 200 of them takes over a second.
    """
    blocks = _OUTS.findall(lock.decode("utf-8", errors="replace"))
    return {path: md5 for block in blocks for path, md5 in _OUT.findall(block)}


class StoredContent:
    """Content by its hash, from DVC's cache of the repository at `root`, else from its default
    remote.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._remote_answers = True

    def file(self, md5: str) -> Path:
        """The file in the cache; NotFetched where it cannot be read, or is damaged."""
        self._fetch([md5])
        content = self._place(md5).read_bytes()
        if hashlib.md5(content, usedforsecurity=False).hexdigest() != md5.removesuffix(".dir"):
            raise NotFetched
        return self._place(md5)

    def folder(self, md5: str) -> dict[str, Path]:
        """The files in the cache by their paths within a folder; NotFetched unless all of them can
        be read.
        """
        listing: Any = parse(self.file(md5).read_bytes())
        self._fetch([entry["md5"] for entry in listing])
        return {entry["relpath"]: self._place(entry["md5"]) for entry in listing}

    def modified_outs(self) -> frozenset[str]:
        """The outs of the working tree whose content is not what `dvc.lock` names."""
        modified = self._repo.data_status()["uncommitted"].get("modified", ())
        return frozenset(name.rstrip("/") for name in modified)

    @cached_property
    def _repo(self) -> "Repo":
        from dvc.repo import Repo

        logging.getLogger("dvc").setLevel(logging.CRITICAL)
        return Repo(str(self._root))

    def _place(self, md5: str) -> Path:
        return Path(self._repo.cache.local.oid_to_path(md5))

    def _fetch(self, hashes: Sequence[str]) -> None:
        """Fetch what the cache lacks; a remote that fails is tried once."""
        from dvc_data.hashfile.hash_info import HashInfo

        try:
            absent = [md5 for md5 in hashes if not self._place(md5).exists()]
            if absent and self._remote_answers:
                self._remote_answers = False
                self._repo.cloud.pull([HashInfo("md5", md5) for md5 in absent])
                self._remote_answers = True
            is_complete = all(self._place(md5).exists() for md5 in absent)
        except Exception:  # noqa: BLE001 - each kind of remote raises its own
            raise NotFetched from None
        if not is_complete:
            raise NotFetched
