"""The options of `graph-evaluator generate`, and the settings that they stand for."""

import argparse
from collections.abc import Mapping, Sequence

from stages.generate.inputs import load_changed_plans
from stages.generate.plan.cells import RunPlan
from stages.shared.records.errors import InputError
from stages.shared.shell.command import command_parser
from stages.shared.shell.inputs import load_params, problems_of_files

_INTRODUCTION = """\
When to use it: before a run, with --dry-run, to see what would be called and what that may cost; \
or to see what was paid for, with --spent. `dvc repro` runs it for you.
It sends every brief to every model of params.yaml, unless the answer is stored, and writes a \
response for each cell."""
_EXAMPLES = ("", "--dry-run", "--dry-run --models 'gpt-*' --cells", "--spent")
_NOTES = """\

to run with other settings: dvc exp run -S prompt=... -S 'models=[...]'

exit codes: 0 also when some cells have no answer, which the last line says; 1 when none has one, \
or some have none and runtime.require_all is true; 2 wrong input, 130 stopped."""
_KEYS = ("prompt", "models", "briefs")
"""The keys of `params.yaml` that options stand for."""


def parse_generate_options(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of the command."""
    parser = command_parser("generate", _INTRODUCTION, *_EXAMPLES, notes=_NOTES)
    parser.allow_abbrev = False
    add = parser.add_argument
    dry_run = "say what is stored and to call, and forecast tokens and cost; call nothing"
    add("--dry-run", action="store_true", help=dry_run)
    spent = "print what the ledger holds by month, model and purpose, with its cost; goes alone"
    add("--spent", action="store_true", help=spent)
    add("--cells", action="store_true", help="with --dry-run: list every cell")
    cancel = "cancel all submitted batches and stop; the next run fetches what was finished"
    add("--cancel-batches", action="store_true", help=cancel)
    add("--prompt", metavar="PATH", help="with --dry-run: another prompt")
    models = "with --dry-run: other models, ids or patterns"
    add("--models", metavar="A,B", type=_split_list, help=models)
    briefs = "with --dry-run: other briefs, ids or patterns"
    add("--briefs", metavar="A,B", type=_split_list, help=briefs)
    options = parser.parse_args(arguments)
    if options.cancel_batches and len(arguments) > 1:
        parser.error("--cancel-batches goes alone: it cancels the batches of all models")
    if options.spent and len(arguments) > 1:
        parser.error("--spent goes alone: it shows what all models cost")
    for name in (*_KEYS, "cells"):
        if getattr(options, name) and not options.dry_run:
            parser.error(f"--{name} goes with --dry-run; `dvc exp run -S KEY=...` runs with others")
    return options


def load_chosen_plan(options: argparse.Namespace, variables: Mapping[str, str]) -> RunPlan:
    """The run of `params.yaml`, with the values of the command line in their place.

    Raises:
        InputError: lists all problems, with those of all input files.
    """
    try:
        params = load_params()
    except InputError as error:
        raise InputError([*error.problems, *problems_of_files()]) from None
    chosen = {f"--{name}": getattr(options, name) for name in _KEYS}
    changes = {option: value for option, value in chosen.items() if value is not None}
    (plan,) = load_changed_plans(params, [changes], params.generate.samples, variables)
    return plan


def _split_list(text: str) -> tuple[str, ...]:
    parts = (part.strip() for part in text.split(","))
    return tuple(part for part in parts if part)
