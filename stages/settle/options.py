"""The command line of `python -m stages.settle`."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, get_args

from stages.contracts.errors import InputError, Problem
from stages.contracts.params import Params
from stages.contracts.settlement import Boundary
from stages.shell import numbers

MOST_SAMPLES = 1000
_EPILOG = """\
exit codes: those of stages.compare (0 better, no meaningful difference or unchanged, 1 worse, 3 cannot tell, 4 could not measure, 2 wrong
input), 130 after Ctrl-C. The same command continues: answers that were paid for are never called again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleOptions:
    """The options of one call. `prompts` has two entries, or `models` is given and `prompts` has one at most."""

    prompts: tuple[str, ...]
    models: tuple[str, str] | None
    max_usd: float | None
    looks: tuple[int, ...]
    margin: float | None
    boundary: Boundary
    dry_run: bool

    @property
    def names(self) -> tuple[str, str]:
        """What the two sides are called."""
        base, head = self.models or self.prompts
        return base, head

    def sides(self, params: Params) -> tuple[Params, Params]:
        """The settings of the two runs that the last look amounts to."""
        generate = params.generate.model_copy(update={"samples": self.looks[-1]})
        changes: list[dict[str, Any]] = (
            [{"models": (model,), "prompt": (*self.prompts, params.prompt)[0]} for model in self.models]
            if self.models
            else [{"prompt": prompt} for prompt in self.prompts]
        )
        base, head = (params.model_copy(update={"generate": generate, **each}) for each in changes)
        return base, head


def parse_settle_options(arguments: Sequence[str]) -> SettleOptions:
    """The options.

    Raises:
        InputError: a value is out of range, or options do not go together; every problem.
    """
    parser = argparse.ArgumentParser(
        prog="python -m stages.settle",
        description="Find out whether prompt B is better than prompt A (or model B than model A) with as few calls as needed: "
        "call some samples of both, compare, and go on only while the question is open and can be settled.",
        epilog=_EPILOG,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--prompt", action="append", default=[], metavar="PATH", help="given twice: A, then B, which is judged")
    add("--models", nargs=2, metavar=("A", "B"), help="two models with one prompt (--prompt, or that of params.yaml)")
    add("--max-usd", type=float, metavar="USD", help="hard cap on the cost of all looks together, US dollars")
    add("--looks", default="1,2,4,8", metavar="N,N", help="samples per cell at each look; default: 1,2,4,8")
    add(
        "--margin",
        type=float,
        metavar="D",
        help="the smallest difference that matters; default: compare.min_difference",
    )
    add(
        "--boundary",
        choices=get_args(Boundary),
        default="obrien-fleming",
        help="how the error rate is spent; default: obrien-fleming",
    )
    add("--dry-run", action="store_true", help="print the plan and stop; call and write nothing")
    options = parser.parse_args(arguments)
    looks = _looks(options.looks)
    faults = _faults(options, looks)
    if faults:
        raise InputError(Problem("command line", name, message) for name, message in faults.items())
    return SettleOptions(
        prompts=tuple(options.prompt),
        models=tuple(options.models) if options.models else None,
        max_usd=options.max_usd,
        looks=looks,
        margin=options.margin,
        boundary=options.boundary,
        dry_run=options.dry_run,
    )


def _looks(text: str) -> tuple[int, ...]:
    """The samples of each look; none where the text is not numbers."""
    parts = [part.strip() for part in text.split(",")]
    return tuple(map(int, parts)) if all(part.isascii() and part.isdigit() for part in parts) else ()


def _faults(options: argparse.Namespace, looks: Sequence[int]) -> dict[str, str]:
    found: dict[str, str] = {}
    prompts = options.prompt
    if options.models is None and len(prompts) != 2:
        found["--prompt"] = f"is given {numbers.counted(len(prompts), 'time')}: give it twice, or give --models A B"
    elif options.models is not None and len(prompts) > 1:
        found["--prompt"] = "is given once at most with --models: one question at a time"
    elif options.models is None and prompts[0] == prompts[1]:
        found["--prompt"] = f"both are {prompts[0]}: there is nothing to settle"
    elif options.models is not None and options.models[0] == options.models[1]:
        found["--models"] = f"both are {options.models[0]}: there is nothing to settle"
    increasing = all(one < following for one, following in pairwise((0, *looks)))
    if not looks or not increasing or looks[-1] > MOST_SAMPLES:
        found["--looks"] = (
            f'must be increasing whole numbers, 1 to {MOST_SAMPLES}, such as 1,2,4,8; found "{options.looks}"'
        )
    if options.max_usd is None and not options.dry_run:
        found["--max-usd"] = "is missing: what all looks together may cost, US dollars (--dry-run shows the forecast)"
    elif options.max_usd is not None and not 0 < options.max_usd < float("inf"):
        found["--max-usd"] = f"must be above 0, found {options.max_usd:g}"
    if options.margin is not None and not 0 <= options.margin <= 1:
        found["--margin"] = f"must be 0 to 1, found {options.margin:g}"
    return found
