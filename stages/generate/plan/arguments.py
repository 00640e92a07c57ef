"""The command line of `generate`: settings come from `params.yaml`; a dry run may try others."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from stages.contracts.errors import InputError, Problem
from stages.contracts.params import Params


@dataclass(frozen=True)
class Arguments:
    """What was asked on the command line; None where nothing was."""

    dry_run: bool
    cancel_batches: bool
    prompt: str | None
    models: tuple[str, ...] | None
    briefs: tuple[str, ...] | None
    samples: int | None


def parse_arguments(words: Sequence[str]) -> Arguments:
    """The arguments; `--help` and a wrong option end the program, as argparse has it."""
    parser = argparse.ArgumentParser(
        prog="python -m stages.generate",
        description="Send every brief to every model and write a response for each cell. Settings are in params.yaml.",
        epilog="To run with other settings: dvc exp run -S prompt=... -S 'models=[...]' -S 'briefs=[...]'.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="list every cell and forecast tokens and cost; call nothing"
    )
    parser.add_argument(
        "--cancel-batches",
        action="store_true",
        help="ask for the end of the batches that are out, and stop; the next run fetches what they had finished",
    )
    parser.add_argument("--prompt", metavar="PATH", help="with --dry-run: another prompt")
    parser.add_argument("--models", metavar="A,B", type=_listed, help="with --dry-run: other models, ids or patterns")
    parser.add_argument("--briefs", metavar="A,B", type=_listed, help="with --dry-run: other briefs, ids or patterns")
    parser.add_argument("--samples", metavar="N", type=int, help="with --dry-run: another number of samples")
    found = parser.parse_args(words)
    arguments = Arguments(found.dry_run, found.cancel_batches, found.prompt, found.models, found.briefs, found.samples)
    others = [name for name in ("prompt", "models", "briefs", "samples") if getattr(arguments, name) is not None]
    if others and not arguments.dry_run:
        raise InputError(
            Problem(
                "command line", f"--{name}", f"goes with --dry-run; to run with it: dvc exp run -S {_setting(name)}=..."
            )
            for name in others
        )
    return arguments


def changed(params: Params, arguments: Arguments) -> Params:
    """The params with what the command line asks for in their place.

    Raises:
        InputError: a value that is out of range.
    """
    if arguments.samples is not None and not 1 <= arguments.samples <= 1000:
        raise InputError([Problem("command line", "--samples", f"must be 1 to 1000, found {arguments.samples}")])
    asked: dict[str, object] = {}
    for name in ("prompt", "models", "briefs"):
        value = getattr(arguments, name)
        if value is not None:
            asked[name] = value
    if arguments.samples is not None:
        asked["generate"] = params.generate.model_copy(update={"samples": arguments.samples})
    return params.model_copy(update=asked)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _setting(name: str) -> str:
    return "generate.samples" if name == "samples" else name
