"""The command line of `graph-evaluator improve`."""

import argparse
from collections.abc import Iterator, Sequence

from stages.commands.settle.options import add_cap, problems_of_cap, read_options
from stages.shared.shell.command import command_parser

_INTRODUCTION = """\
When to use it: you have sixteen briefs or more and want a better prompt than the present one.
A model proposes prompts from what the checks found; the best one is proven on briefs that neither \
the model nor the search has seen."""
_EXAMPLES = (
    "--prompt prompts/old.txt --by gpt-4.1 --dry-run",
    "--prompt prompts/old.txt --by gpt-4.1 --models gpt-4.1-mini --max-usd 20",
)
_NOTES = """\

exit codes: 0 an improvement is proven, 3 no improvement shown, 4 could not measure (the cap or \
failed calls ended it), 2 wrong input, 130 after Ctrl-C. The same command continues: answers that \
were paid for are never called again."""


def parse_improve_options(arguments: Sequence[str]) -> argparse.Namespace:
    """The options; `models` is None for those of `params.yaml`.

    Raises:
        InputError: lists all problems.
    """
    return read_options(_parser(), arguments, _problems)


def _parser() -> argparse.ArgumentParser:
    parser = command_parser("improve", _INTRODUCTION, *_EXAMPLES, notes=_NOTES)
    parser.allow_abbrev = False
    add = parser.add_argument
    add("--prompt", required=True, metavar="PATH", help="the prompt that is to be improved")
    add("--by", required=True, metavar="MODEL", help="id of the model that proposes")
    models = "models that answer the briefs, ids or patterns; default: those of params.yaml"
    add("--models", nargs="+", metavar="ID", help=models)
    add("--rounds", type=int, default=10, metavar="N", help="proposals at most; default: 10")
    length = "length of a proposal at most, in lengths of the prompt; default: 1.5"
    add("--max-length", type=float, default=1.5, metavar="X", help=length)
    anyway = "go on with few briefs, a low cap, or where a gain of 0.10 could not be shown"
    add("--anyway", action="store_true", help=anyway)
    add_cap(parser)
    return parser


def _problems(options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    yield from problems_of_cap(options)
    if not 1 <= options.rounds <= 1000:
        yield "--rounds", f"must be 1 to 1000, found {options.rounds}"
    if not 1 <= options.max_length <= 10:
        yield "--max-length", f"must be 1 to 10, found {options.max_length:g}"
