"""`python -m stages.settle --prompt A --prompt B --max-usd 5`: which is better, with as few calls as the question needs."""

import re
import shlex
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import PurePosixPath

from pydantic import ValidationError

from stages.compare.effect import overall_effect
from stages.compare.pairing import Pairing
from stages.compare.verdict import EXIT_CODES, VERDICTS
from stages.compare.wording import what_would_settle
from stages.contracts.errors import InputError, Problem
from stages.contracts.json_text import NotJson, parse, pretty
from stages.contracts.settlement import SettleDesign, Settlement
from stages.generate.calls.budget import Budget
from stages.generate.calls.fetch import Fetched
from stages.generate.forecast import Forecaster
from stages.generate.ledger.store import Ledger
from stages.generate.missing import ledger_to_read, missing_answers, missing_keys, say
from stages.generate.plan.call import Call
from stages.generate.plan.cells import RunPlan
from stages.generate.plan.draws import needed
from stages.generate.responses.response import Outcome
from stages.score import rules_sha256
from stages.settle.design import (
    REFERENCE,
    ending_of,
    finished,
    planned,
    recorded_look,
    spread_of,
    take_look,
)
from stages.settle.options import parse_settle_options
from stages.settle.sides import Sides, load_sides, paid
from stages.settle.wording import closing_lines, look_line, plan_lines
from stages.shell import environment, paths
from stages.shell.command import run
from stages.shell.files import write_output
from stages.shell.inputs import load_params
from stages.shell.text import visible

FILE = paths.RESULTS / "settle.json"
_STOPPING = {"budget_stopped", "auth_failed", "quota_exceeded"}
"""The statuses of cells whose calls were not made, so that the look is not complete."""


def main() -> int:
    """Plan, then take look after look until the question is settled; the exit code states the verdict."""
    options = parse_settle_options(sys.argv[1:])
    params, variables = load_params(), environment.variables()
    sides = load_sides(options, params, variables)
    whole = sides.plan(options.looks[-1])
    if options.dry_run:
        with ledger_to_read(whole) as (ledger, missing):
            _print_plan(_begin(sides, whole, options, ledger), missing, ledger, options)
        return 0
    with Ledger(environment.ledger_folder(), say) as ledger:
        missing = missing_answers(whole, ledger, variables)
        _check(missing, variables)
        settlement = _begin(sides, whole, options, ledger)
        _print_plan(settlement, missing, ledger, options)
        settlement, pairing = _take_looks(settlement, sides, whole, options, ledger, variables)
    advice = None
    if settlement.verdict == "cannot tell" and pairing.pairs:
        settings = {"min_difference": settlement.design.margin, "planned_looks": 1}
        advice = what_would_settle(
            overall_effect(pairing, params.compare.model_copy(update=settings))
        )
    for line in closing_lines(settlement, advice):
        print(line)
    return EXIT_CODES[next(verdict for verdict in VERDICTS if verdict == settlement.verdict)]


def _begin(sides: Sides, plan: RunPlan, options: Namespace, ledger: Ledger) -> Settlement:
    """The settlement before its first look; one that was begun with the same design goes on with it."""
    base, head, compare = sides.base, sides.head, sides.params.compare
    pairing, cells = sides.scores(plan.cells, ledger, {}, Outcome())
    margin = compare.min_difference if options.margin is None else options.margin
    draft = SettleDesign(
        base=base.name,
        head=head.name,
        base_prompt=base.plan.prompt.sha256,
        head_prompt=head.plan.prompt.sha256,
        base_run=base.run_id,
        head_run=head.run_id,
        scoring_rules=rules_sha256(sides.params.score),
        models=len(base.plan.models),
        briefs=len(plan.briefs),
        confidence=compare.confidence,
        margin=margin,
        boundary=options.boundary,
        spread=spread_of(pairing.pairs, cells),
        reference=max(REFERENCE, margin),
        smallest=None,
        looks=(),
    )
    design, before = planned(draft, options.looks), _read()
    stored, usd = paid(plan.cells, ledger)
    begun = Settlement(design=design, stored_answers=stored, stored_usd=usd)
    if before is not None and before.design.settles(design):
        kept = {"design", "stored_answers", "stored_usd", "earlier_looks"}
        return _counted(
            begun.model_copy(update={name: getattr(before, name) for name in kept}), stored, usd
        )
    if before is not None and before.design.same_sides(design):
        return begun.model_copy(update={"earlier_looks": before.earlier_looks + len(before.looks)})
    return begun


def _check(missing: Sequence[Call], variables: Mapping[str, str]) -> None:
    """Check what calls need, before anything is written: keys, and prices for the cap."""
    unpriced = {call.cell.model_id for call in missing if call.cost_upper_usd is None}
    problems = missing_keys(missing, variables) + [
        Problem(
            f"models/{name}.json",
            "pricing",
            "is missing: without a known price --max-usd cannot be kept",
        )
        for name in unpriced
    ]
    if problems:
        raise InputError(problems)


def _print_plan(
    settlement: Settlement, missing: Sequence[Call], ledger: Ledger, options: Namespace
) -> None:
    forecaster = Forecaster(ledger.output_tokens)
    costs = [
        forecaster.total([call for call in missing if before < call.cell.sample <= samples])
        for before, samples in pairwise((0, *options.looks))
    ]
    for line in plan_lines(settlement, costs, max_usd=options.max_usd):
        print(line)
    sys.stdout.flush()


def _take_looks(
    settlement: Settlement,
    sides: Sides,
    whole: RunPlan,
    options: Namespace,
    ledger: Ledger,
    variables: Mapping[str, str],
) -> tuple[Settlement, Pairing]:
    """Take the looks one after the other; the outcome is written after each."""
    from stages.generate.pipeline import fetch_answers  # loads the SDK

    design, budget = (
        settlement.design,
        Budget(options.max_usd, spent_usd=settlement.usd, setting="--max-usd"),
    )
    write_output(FILE, pretty(settlement.to_json()))
    for index, look_plan in enumerate(design.looks):
        plan = sides.plan(look_plan.samples)
        missing = needed(plan.cells, ledger)
        fetched = fetch_answers(plan, missing, ledger, variables, budget) if missing else Fetched()
        outcome = Outcome()
        pairing, cells = sides.scores(plan.cells, ledger, fetched.failures, outcome)
        look = take_look(
            design, index, pairing, cells=len(plan.cells), answers=sum(map(len, cells))
        )
        stopped = next(
            (each for each in fetched.failures.values() if each.status in _STOPPING), None
        )
        ending = ending_of(design, look)
        if stopped is not None:
            ending = "budget" if stopped.status == "budget_stopped" else "failures"
        failure = (
            visible(stopped.message) if stopped else "; ".join(outcome.commonest_messages()) or None
        )
        looks = (*settlement.looks, look)
        settlement = _counted(
            settlement.model_copy(update={"looks": looks}), *paid(whole.cells, ledger)
        )
        if ending is not None:
            recorded = recorded_look(settlement, ending)
            commands = _commands(sides, options, recorded.samples) if recorded else ()
            settlement = finished(
                settlement, ending, failure if ending in ("budget", "failures") else None, commands
            )
        print(look_line(design, index + 1, look), flush=True)
        write_output(FILE, pretty(settlement.to_json()))
        if ending is not None:
            break
    return settlement, pairing


def _counted(settlement: Settlement, stored: int, usd: float) -> Settlement:
    """The settlement with what it has called and spent, from all answers that are stored now and their cost."""
    spent = {
        "calls": max(0, stored - settlement.stored_answers),
        "usd": max(0.0, usd - settlement.stored_usd),
    }
    return settlement.model_copy(update=spent)


def _commands(sides: Sides, options: Namespace, samples: int) -> tuple[str, ...]:
    settings = f"-S generate.samples={samples}"
    if options.models:
        base, head = options.models
        models = (
            f"-S {shlex.quote(f'prompt={sides.base.plan.prompt.path}')} -S 'models=[{base},{head}]'"
        )
        return (
            f"dvc exp run {models} {settings}",
            f"python -m stages.compare --models {base} {head}",
        )
    names = [
        f"{side}-{re.sub(r'[^A-Za-z0-9._-]+', '-', PurePosixPath(prompt).stem)}-{samples}-samples"
        for side, prompt in zip(("base", "head"), options.prompt, strict=True)
    ]
    runs = (
        f"dvc exp run --name {name} -S {shlex.quote(f'prompt={prompt}')} {settings}"
        for name, prompt in zip(names, options.prompt, strict=True)
    )
    return *runs, f"python -m stages.compare {names[0]} {names[1]}"


def _read() -> Settlement | None:
    """The settlement in the file; None when there is none. One that cannot be read is refused: what it spent counts towards the cap."""
    try:
        return Settlement.read(parse(FILE.read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, NotJson, ValidationError):
        message = (
            "cannot be read, so that what it has spent is unknown: delete it to start a new count"
        )
        raise InputError([Problem(FILE.as_posix(), "", message)]) from None


if __name__ == "__main__":
    run(main)
