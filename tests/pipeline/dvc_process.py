"""A dvc command in a process forked from one that has imported dvc: starting dvc takes most of a second of CPU."""

import multiprocessing
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

# Not pygit2: it reads the home folder when it is imported, and each project has its own.
_PRELOADED = (
    __name__,
    "pytest",  # the main module of the tests is imported in every child
    "dvc.cli.parser",
    "dvc.cachemgr",
    "dvc.data_cloud",
    "dvc.repo.experiments.executor.local",
    "dvc.repo.experiments.queue.celery",
    "dvc.repo.index",
    "dvc.repo.open_repo",
    "dvc.repo.plots",
    "dvc.scm",
    "dvc.utils.hydra",
    "dvc.utils.strictyaml",
    "scmrepo.git.backend.dulwich",
)
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(list(_PRELOADED))


def run_dvc(
    arguments: tuple[str, ...], folder: Path, environment: Mapping[str, str]
) -> tuple[int, str]:
    """The exit code of a dvc command, and what it prints."""
    with tempfile.NamedTemporaryFile() as printed:
        process = _CONTEXT.Process(
            target=_dvc, args=(arguments, folder, dict(environment), printed.name)
        )
        process.start()
        process.join()
        return process.exitcode or 0, Path(printed.name).read_text(encoding="utf-8")


def _dvc(
    arguments: tuple[str, ...], folder: Path, environment: dict[str, str], printed: str
) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for output in (1, 2):
        os.dup2(os.open(printed, os.O_WRONLY | os.O_APPEND), output)
    sys.argv = ["dvc", *arguments]
    from dvc.cli import main

    sys.exit(main(list(arguments)))
