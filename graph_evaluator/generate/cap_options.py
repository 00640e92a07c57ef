"""The options of commands that call models under `--max-usd`, and the budget that they set."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from graph_evaluator.generate.calls.booking import Budget
from graph_evaluator.generate.plan.cells import RunPlan
from graph_evaluator.records.brief import Prompt
from graph_evaluator.records.errors import Problem
from graph_evaluator.records.json_text import sha256_of


def budget_of(command: str, options: Namespace, plan: RunPlan, *prompts: Prompt) -> Budget:
    """The budget of a command under `--max-usd`. Its purpose, `COMMAND:HASH`, is the same for the
    same prompts, models, briefs and round in any order, so that no other setting starts a new
    count.
    """
    inputs = [
        sorted(prompt.sha256 for prompt in prompts),
        sorted(model.config.id for model in plan.models),
        sorted(brief.body for brief in plan.briefs),
        plan.params.generate.round,
    ]
    purpose = f"{command}:{sha256_of(inputs)[:12]}"
    return Budget(options.max_usd, purpose, plan.params.runtime.max_cost_usd_month)


def add_cap(parser: ArgumentParser) -> None:
    """Add `--max-usd` and `--dry-run`."""
    cap = "hard cap on the cost of all calls together, over all runs of the command, US dollars"
    parser.add_argument("--max-usd", type=float, metavar="USD", help=cap)
    dry_run = "print the plan and stop; call and write nothing"
    parser.add_argument("--dry-run", action="store_true", help=dry_run)


def problems_of_cap(options: Namespace) -> Iterator[Problem]:
    """What is wrong with `--max-usd`; a dry run needs none."""
    if options.max_usd is None and not options.dry_run:
        meaning = "what all calls together may cost, US dollars (--dry-run shows the forecast)"
        yield Problem("command line", "--max-usd", f"is missing: {meaning}")
    if options.max_usd is not None and not 0 < options.max_usd < float("inf"):
        message = f"must be above 0, found {options.max_usd:g}"
        yield Problem("command line", "--max-usd", message)


def problems_of_model(option: str, name: str, plan: RunPlan) -> Iterator[Problem]:
    """What is wrong with an option that names the one model that a run calls."""
    if [model.config.id for model in plan.recorded] == [name]:
        message = f"{name} is recorded, and recorded models are never called"
        yield Problem("command line", option, message)
    elif [model.config.id for model in plan.models] != [name]:
        yield Problem("command line", option, f"must be the id of one model, found {name}")
