"""Adapter: the repository that holds the working directory, opened with DVC and asked through git."""

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from dvc.exceptions import NotDvcRepoError
from dvc.repo import Repo
from dvc.scm import NoSCM, SCMError

from stages.contracts.errors import InputError, Problem

_NO_GIT = "is not in a git repository, so it has no revisions to compare"


def open_repository(root: Path) -> Repo:
    """The DVC repository at a folder.

    Raises:
        InputError: there is none with git, or the folder is one inside it.
    """
    try:
        repo = Repo(str(root))
    except NotDvcRepoError:
        raise InputError([Problem(str(root), "", "is not in a DVC repository: run it where dvc.yaml is")]) from None
    except SCMError:
        raise InputError([Problem(str(root), "", _NO_GIT)]) from None
    if isinstance(repo.scm, NoSCM):
        raise InputError([Problem(str(root), "", _NO_GIT)])
    top, here = Path(repo.root_dir).resolve(), root.resolve()
    if top != here:
        message = f"is inside the repository: run it at its root, in {os.path.relpath(top, here)}"
        raise InputError([Problem(str(root), "", message)])
    return repo


def is_shallow(root: Path) -> bool:
    """Whether the clone lacks the older part of its history."""
    return _git(root, "rev-parse", "--is-shallow-repository") == ["true"]


def first_parents(root: Path, commit: str, files: Iterable[str]) -> list[str]:
    """The commits along the first parents of a commit, itself included, that changed any of the files; the newest first.

    A merge counts as the one commit that brought what was merged.
    """
    return _git(root, "log", "--first-parent", "--format=%H", commit, "--", *files)


def _git(root: Path, *arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.split()
