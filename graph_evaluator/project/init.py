"""`graph-evaluator init DIR`: makes a project: the pipeline, its settings, a brief, two models, a
prompt and a workflow for pull requests.
"""

import subprocess
import sys
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from graph_evaluator.records.errors import GraphEvaluatorError, Problem, input_error, refuse
from graph_evaluator.shell.command import command_parser, run, show, typed_path
from graph_evaluator.shell.paths import write_atomic
from graph_evaluator.shell.process import installed_version
from graph_evaluator.shell.repository import git_output, work_tree

_INTRODUCTION = """\
When to use it: you want to evaluate models or prompts on briefs of your own. It writes a project \
into a new or existing folder, under git and DVC. Existing files stay as they are."""
_TEMPLATE = files("graph_evaluator.project") / "template"
_CHARTS = files("graph_evaluator.report") / "charts"
_COPIED = {
    "dvc.yaml": "pipeline.yaml",
    "params.yaml": "settings.yaml",
    "README.md": "README.md",
    ".env.example": "env.example",
    ".github/workflows/evaluate.yml": "workflow.yml",
    "prompts/draft_graph_v20.txt": "prompts/draft_graph_v20.txt",
    "prompts/draft_graph.schema.json": "prompts/draft_graph.schema.json",
    "models/sim-careful.json": "models/sim-careful.json",
    "models/gpt-6-luna.json": "models/gpt-6-luna.json",
}
"""Files of the template, by their path in the project."""
_PURPOSES = {
    "answers": "Answers of recorded models, one file each: `graph-evaluator ingest` writes them.",
    "briefs": "Decision problems, one Markdown file each: "
    "`graph-evaluator briefs new ID` writes one.",
    "checks": "Checks of your own, one file each, with one function `check(graph, brief)`. "
    "`score.checks` in params.yaml lists those that run.",
    "codebooks": "What the labels of graphs mean, one file for each brief: "
    "`graph-evaluator briefs code` writes them.",
    "models": "Model configs, one JSON file each: how to call one model, with which settings.",
    "prompts": "System prompts. `prompt` in params.yaml names the one that is used.",
    "reviews": "People's opinions of graphs: `graph-evaluator review` asks for them.",
}
"""What the README of each folder says. A folder that a stage depends on must never be empty."""
_OWN_MARK = "cmd: graph-evaluator generate"
_NEXT_STEPS = """\
  git add -A . && git commit -m "Start an evaluation"
  dvc repro    # the simulated model: no key, no model call
  then open results/site/index.html"""
_DVC_CONFIG = "[core]\n    analytics = false\n    autostage = false\n"


def main() -> None:
    """Write the files that are missing, start git and DVC where they are, and say what is next."""
    examples = ("my-evaluation", "my-evaluation --language de")
    parser = command_parser("init", _INTRODUCTION, *examples)
    parser.add_argument("folder", metavar="DIR", type=typed_path, help="the folder of the project")
    language = "language of the example brief"
    parser.add_argument("--language", choices=("en", "de"), default="en", help=language)
    options = parser.parse_args(sys.argv[1:])
    folder = options.folder
    check_folder(folder)
    wanted = project_files(options.language)
    missing = {name: text for name, text in wanted.items() if not (folder / name).exists()}
    _start_git_and_dvc(folder)
    for name, text in missing.items():
        write_atomic(folder / name, text.encode())
    has_new_lines = _complete_gitignore(folder / ".gitignore")
    count = len(missing) + has_new_lines
    show(f"{folder}: {count} files written" if count else f"{folder}: nothing was missing")
    show("next:")
    if folder.resolve() != Path.cwd():
        show(f'  cd "{folder}"')
    show(_NEXT_STEPS)


def check_folder(folder: Path) -> None:
    """Raise InputError if a project cannot be made there: a file of that name, or a pipeline or
    settings that are not ours.
    """
    if folder.exists() and not folder.is_dir():
        raise input_error(folder, "", "is a file: name a folder")
    pipeline = folder / "dvc.yaml"
    if pipeline.is_file() and _OWN_MARK in pipeline.read_text(encoding="utf-8", errors="replace"):
        return
    message = "belongs to another project: name a new folder, such as one below this one"
    present = [folder / name for name in ("dvc.yaml", "params.yaml") if (folder / name).exists()]
    refuse(Problem(str(file), "", message) for file in present)


def project_files(language: str) -> Mapping[str, str]:
    """The text of each file of a new project, by its path; its only brief is in the language."""
    texts = {name: _read(source) for name, source in _COPIED.items()}
    texts["briefs/example.md"] = _read(f"briefs/{language}.md")
    texts["requirements.txt"] = f"graph-evaluator=={installed_version()}\n"
    for name, purpose in _PURPOSES.items():
        texts[f"{name}/README.md"] = f"{purpose}\n"
    for chart in sorted(_CHARTS.iterdir(), key=lambda file: file.name):
        texts[f".dvc/plots/{chart.name}"] = chart.read_text("utf-8")
    return dict(sorted(texts.items()))


def _read(name: str) -> str:
    return _TEMPLATE.joinpath(*name.split("/")).read_text("utf-8")


def _complete_gitignore(file: Path) -> bool:
    """Append the lines that are missing; whether there were any."""
    present = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    missing = [line for line in _read("gitignore").splitlines() if line not in present]
    if missing:
        write_atomic(file, "\n".join([*present, *missing, ""]).encode())
    return bool(missing)


def _start_git_and_dvc(folder: Path) -> None:
    """Make the folder part of a git repository and the root of a DVC repository."""
    folder.mkdir(parents=True, exist_ok=True)
    if work_tree(folder) is None:
        git_output("init", "--quiet", "--initial-branch=main", folder=folder)
    if (folder / ".dvc" / "config").exists():
        return
    is_root = work_tree(folder) == folder.resolve()
    options = ["--quiet", *([] if is_root else ["--subdir"])]
    command = [sys.executable, "-m", "dvc", "init", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise GraphEvaluatorError(f"dvc init failed: {done.stderr.strip()}")
    write_atomic(folder / ".dvc" / "config", _DVC_CONFIG.encode())


if __name__ == "__main__":
    run(main)
