"""Commands in processes forked from one that has imported the libraries: to start dvc or a stage takes most of a second
of CPU. The tests of `make` start them as users do.
"""

import multiprocessing
import os
import pkgutil
import runpy
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

import graph_evaluator
from graph_evaluator.shell import process

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
    "dvc.utils.hydra",
    "dvc.utils.strictyaml",
    "openai.resources.responses",
    "scipy.stats",
)
_RUN = ("__main__", "project.init", "project.run")
"""Modules that are run, which must not have been imported."""
_OURS = [
    module.name
    for module in pkgutil.walk_packages(graph_evaluator.__path__, "graph_evaluator.")
    if not module.name.endswith(_RUN)
]
_FORK = multiprocessing.get_context("fork")
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload([*_PRELOADED, *_OURS])


def run_module(module, arguments, folder, environment) -> tuple[int, str]:
    """The exit code of `python -m MODULE`, and what it prints."""
    with tempfile.NamedTemporaryFile() as printed:
        command = _CONTEXT.Process(
            target=_run_printing,
            args=(printed.name, module, arguments, folder, dict(environment)),
        )
        command.start()
        command.join()
        return command.exitcode or 0, Path(printed.name).read_text()


def _run_printing(printed, module, *rest):
    for output in (1, 2):
        os.dup2(os.open(printed, os.O_WRONLY | os.O_APPEND), output)
    _run(module, *rest)


def _run(module, arguments, folder, environment) -> NoReturn:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    process.AT_START = process.ancestors()
    if module == "dvc":
        import dvc.stage.run

        dvc.stage.run._run = _run_stage  # what starts the command of a stage
    sys.orig_argv = ["python", "-m", module, *arguments]
    sys.argv = [module, *arguments]
    if module.endswith(".py"):
        runpy.run_path(module, run_name="__main__")
    else:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    sys.exit()


def _run_stage(_shell, line, *, cwd, env, **_rest):
    """Runs the command of a stage, `python SCRIPT`, as dvc does; takes the place of a function of dvc."""
    from dvc.stage.exceptions import StageCmdFailedError

    script, *arguments = line.split()[1:]
    sys.stdout.flush()
    stage = _FORK.Process(target=_run, args=(script, arguments, Path(cwd), env))
    stage.start()
    stage.join()
    if stage.exitcode:
        raise StageCmdFailedError(line, stage.exitcode)
