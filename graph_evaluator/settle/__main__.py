"""`graph-evaluator settle --prompt A --prompt B --max-usd 5`: finds out which prompt or model is
better with as few calls as the question needs.
"""

import argparse
import sys
from argparse import Namespace
from collections.abc import Iterator

from graph_evaluator.analysis.paired_test import MIN_BRIEFS
from graph_evaluator.compare.verdict import EXIT_CODES
from graph_evaluator.generate.fetching import open_fetcher
from graph_evaluator.generate.plan.call import PlannedModel, Variables
from graph_evaluator.generate.plan.cells import RunPlan
from graph_evaluator.generate.planning import (
    Changes,
    add_cap,
    budget_of,
    load_changed_plans,
    problems_of_cap,
    problems_of_model,
)
from graph_evaluator.records.errors import Problem, refuse
from graph_evaluator.records.params import Params
from graph_evaluator.settle.settling import SAMPLES, SettleSide, Settling, joint_plan
from graph_evaluator.shell import numbers
from graph_evaluator.shell.command import command_parser, run, show
from graph_evaluator.shell.inputs import load_params
from graph_evaluator.shell.paths import environment_variables

_INTRODUCTION = """\
When to use it: you want to know whether prompt B is better than prompt A, or model B than model \
A, with as few calls as the question needs.
It calls some samples of both, compares them, and continues only while the question is open."""
_EXAMPLES = (
    "--prompt prompts/a.txt --prompt prompts/b.txt --dry-run",
    "--models gpt-4.1 gpt-4.1-mini --max-usd 5",
)
_NOTES = """\

exit codes: those of compare (0 better, no meaningful difference or unchanged; 1 worse; 3 mixed or \
cannot tell; 4 could not measure; 2 wrong input), 130 after Ctrl-C. The same command continues: no \
answer is paid for twice."""


def main() -> int:
    """Plan, then make one interim analysis after the other until the question is settled; the exit
    code states the verdict.
    """
    options = _parser().parse_args(sys.argv[1:])
    refuse(_problems(options))
    params, variables = load_params(), environment_variables()
    baseline, candidate, coder = load_sides(options, params, variables)
    plan = joint_plan(baseline.plan, candidate.plan)
    budget = budget_of("settle", options, plan, baseline.plan.prompt, candidate.plan.prompt)
    with open_fetcher(plan, variables, budget, read_only=options.dry_run) as fetcher:
        settling = Settling(baseline, candidate, fetcher, coder)
        missing = fetcher.missing()
        show("\n".join(settling.plan_lines(missing)))
        if options.dry_run:
            return 0
        fetcher.announce(missing)
        for line in settling.settle():
            show(line)
        show("\n".join(settling.closing_lines()))
    return EXIT_CODES[settling.verdict]


def load_sides(
    options: Namespace, params: Params, variables: Variables
) -> tuple[SettleSide, SettleSide, PlannedModel | None]:
    """Baseline and candidate as the command line names them, and the coder; every problem of theirs
    is reported at once.
    """
    changes: list[Changes] = [{"prompt": path} for path in options.prompt]
    if options.models:
        prompt = changes[0] if changes else {}
        changes = [{**prompt, "models": (model,)} for model in options.models]
    plans = load_changed_plans(params, changes, SAMPLES[-1], variables)
    coding = [{"models": (options.coder,)}] if options.coder else []
    coders = load_changed_plans(params, coding, 1, variables)
    problems = list(_problems_of_plans(options, *plans))
    for plan in coders:
        problems += problems_of_model("--coder", options.coder, plan)
    refuse(problems)
    baseline, candidate = map(SettleSide, options.models or options.prompt, plans)
    return baseline, candidate, coders[0].models[0] if coders else None


def _problems_of_plans(
    options: Namespace, baseline: RunPlan, candidate: RunPlan
) -> Iterator[Problem]:
    if len(baseline.briefs) < MIN_BRIEFS:
        message = f"selects {len(baseline.briefs)}, and a verdict requires {MIN_BRIEFS}"
        yield Problem("params.yaml", "briefs", message)
    for name, plan in zip(options.models or (), (baseline, candidate), strict=False):
        yield from problems_of_model("--models", name, plan)
    if not options.models and baseline.prompt.sha256 == candidate.prompt.sha256:
        prompts = f"{baseline.prompt.path} and {candidate.prompt.path}"
        message = f"{prompts} have the same text: there is nothing to settle"
        yield Problem("command line", "--prompt", message)


def _parser() -> argparse.ArgumentParser:
    parser = command_parser("settle", _INTRODUCTION, *_EXAMPLES, notes=_NOTES)
    parser.allow_abbrev = False
    add = parser.add_argument
    prompt = "give it twice: A (baseline), then B (candidate)"
    add("--prompt", action="append", default=[], metavar="PATH", help=prompt)
    models = "two models with the same prompt (--prompt, else that of params.yaml)"
    add("--models", nargs=2, metavar=("A", "B"), help=models)
    coder = "a model that codes the labels of new answers, within the same cap"
    add("--coder", metavar="MODEL", help=coder)
    add_cap(parser)
    return parser


def _problems(options: Namespace) -> Iterator[Problem]:
    if options.models is None and len(options.prompt) != 2:
        count = numbers.counted(len(options.prompt), "time")
        message = f"is given {count}: give it twice, or give --models A B"
        yield Problem("command line", "--prompt", message)
    if options.models and len(options.prompt) > 1:
        message = "can be given only once with --models: one question at a time"
        yield Problem("command line", "--prompt", message)
    if options.models and len(set(options.models)) == 1:
        message = f"both are {options.models[0]}: there is nothing to settle"
        yield Problem("command line", "--models", message)
    yield from problems_of_cap(options)


if __name__ == "__main__":
    run(main)
