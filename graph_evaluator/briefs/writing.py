"""Adapter: writes the files of new briefs: one to fill in, and made-up ones."""

from argparse import Namespace
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from graph_evaluator.briefs.made_up import make_up_brief
from graph_evaluator.records.errors import InputError, Problem, input_error
from graph_evaluator.records.model_config import ID_RULE, IDENTIFIER
from graph_evaluator.shell import numbers, paths
from graph_evaluator.shell.command import show
from graph_evaluator.shell.files import write_atomic

MAX_SEED, MAX_COUNT = 999_999_999, 99


def write_new_brief(options: Namespace) -> None:
    """Write a brief with commented front-matter, whose text is to be written."""
    if not IDENTIFIER.fullmatch(options.id):
        raise input_error("command line", "ID", f"must be {ID_RULE}")
    template = files("graph_evaluator.briefs").joinpath("new_brief.md").read_text("utf-8")
    (file,) = _write_briefs({options.id: template})
    show(f"written: {file.as_posix()}")
    show(
        "Replace the options and write the decision below the second line ---, in 30 to 400 words."
    )


def write_made_up_briefs(options: Namespace) -> None:
    """Write made-up briefs; those that are there already stay as they are."""
    limits = {"seed": (0, MAX_SEED), "count": (1, MAX_COUNT)}
    problems = [
        Problem("command line", f"--{name}", f"must be from {least} to {most}")
        for name, (least, most) in limits.items()
        if not least <= getattr(options, name) <= most
    ]
    if problems:
        raise InputError(problems)
    made_up = [
        make_up_brief(options.seed, number, options.level, options.language)
        for number in range(1, options.count + 1)
    ]
    written = _write_briefs({brief.id: brief.text for brief in made_up})
    first, last = written[0].as_posix(), written[-1].name
    show(f"{numbers.counted(len(written), 'brief')} written: {first} to {last}")


def _write_briefs(texts: Mapping[str, str]) -> list[Path]:
    """Write all of the briefs, or none where a file has another text.

    Raises:
        InputError: the files with another text.
    """
    contents = {Path(paths.BRIEFS, f"{name}.md"): text.encode() for name, text in texts.items()}
    others = [
        file for file, content in contents.items() if file.exists() and file.read_bytes() != content
    ]
    if others:
        message = "exists with another text; nothing was written"
        raise InputError(Problem(file.as_posix(), "", message) for file in others)
    for file, content in contents.items():
        write_atomic(file, content)
    return list(contents)
