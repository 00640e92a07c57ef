"""`python -m stages.settle --prompt A --prompt B --max-usd 5`: which is better, with as few calls as the question needs."""

import re
import shlex
import sys
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
from stages.contracts.params import Params
from stages.contracts.settlement import SettleDesign, Settlement
from stages.generate.calls.budget import Budget
from stages.generate.calls.fetch import Fetched
from stages.generate.forecast import Forecaster
from stages.generate.ledger.store import Ledger
from stages.generate.missing import ledger_to_read, missing_answers, missing_keys, say
from stages.generate.plan.cells import Call, RunPlan
from stages.generate.plan.draws import needed
from stages.generate.responses.response import Outcome
from stages.score import rules_sha256
from stages.settle.design import REFERENCE, planned_looks, spread_of
from stages.settle.looks import ending_of, finished, recorded_look, take_look
from stages.settle.options import SettleOptions, parse_settle_options
from stages.settle.sides import Sides, load_sides, paid
from stages.settle.wording import closing_lines, look_line, plan_lines
from stages.shell import environment, paths
from stages.shell.command import run
from stages.shell.files import write_atomic
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
            settlement = _begin(sides, whole, options, params, ledger)
            _print_plan(settlement, missing, ledger, options)
        return 0
    with Ledger(environment.ledger_folder(), say) as ledger:
        missing = missing_answers(whole, ledger, variables)
        _check(missing, variables)
        settlement = _begin(sides, whole, options, params, ledger)
        _print_plan(settlement, missing, ledger, options)
        settlement, pairing = _take_looks(settlement, sides, whole, options, ledger, variables)
    margin = {"min_difference": settlement.design.margin, "planned_looks": 1}
    open_question = settlement.verdict == "cannot tell" and pairing.pairs
    found = overall_effect(pairing, params.compare.model_copy(update=margin)) if open_question else None
    for line in closing_lines(settlement, what_would_settle(found) if found else None):
        print(line)
    return EXIT_CODES[next(verdict for verdict in VERDICTS if verdict == settlement.verdict)]


def _begin(sides: Sides, plan: RunPlan, options: SettleOptions, params: Params, ledger: Ledger) -> Settlement:
    """The settlement before its first look; one that was begun with the same design goes on with it."""
    pairing, cells = sides.scores(plan.cells, ledger, Outcome(Fetched()))
    spread = spread_of(pairing.pairs, cells)
    models, briefs = len(sides.base.plan.models), len(plan.briefs)
    margin = params.compare.min_difference if options.margin is None else options.margin
    looks, smallest = planned_looks(
        options.looks,
        spread,
        models=models,
        briefs=briefs,
        confidence=params.compare.confidence,
        margin=margin,
        boundary=options.boundary,
    )
    design = SettleDesign(
        base=sides.base.name,
        head=sides.head.name,
        base_prompt=sides.base.plan.prompt.sha256,
        head_prompt=sides.head.plan.prompt.sha256,
        base_run=sides.base.run_id,
        head_run=sides.head.run_id,
        scoring_rules=rules_sha256(params.score),
        models=models,
        briefs=briefs,
        confidence=params.compare.confidence,
        margin=margin,
        boundary=options.boundary,
        spread=spread,
        reference=max(REFERENCE, margin),
        smallest=smallest,
        looks=looks,
    )
    stored, usd = paid(plan.cells, ledger)
    before = _read()
    if before is None or not before.design.settles(design):
        earlier = before.earlier_looks + len(before.looks) if before and before.design.same_sides(design) else 0
        return Settlement(design=design, stored_answers=stored, stored_usd=usd, earlier_looks=earlier)
    return Settlement(
        design=before.design,
        stored_answers=before.stored_answers,
        stored_usd=before.stored_usd,
        calls=max(0, stored - before.stored_answers),
        usd=max(0.0, usd - before.stored_usd),
        earlier_looks=before.earlier_looks,
    )


def _check(missing: Sequence[Call], variables: Mapping[str, str]) -> None:
    """Check what calls need, before anything is written: keys, and prices for the cap."""
    unpriced = {call.cell.model_id for call in missing if call.planned.cost_upper_usd is None}
    problems = missing_keys(missing, variables) + [
        Problem(f"models/{name}.json", "pricing", "is missing: without a known price --max-usd cannot be kept")
        for name in unpriced
    ]
    if problems:
        raise InputError(problems)


def _print_plan(settlement: Settlement, missing: Sequence[Call], ledger: Ledger, options: SettleOptions) -> None:
    """Print the plan, with the forecast of the calls that each look adds."""
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
    options: SettleOptions,
    ledger: Ledger,
    variables: Mapping[str, str],
) -> tuple[Settlement, Pairing]:
    """Take the looks one after the other; the outcome is written after each."""
    from stages.generate.pipeline import fetch_answers  # loads the SDK

    design, budget = settlement.design, Budget(options.max_usd, spent_usd=settlement.usd, setting="--max-usd")
    _write(settlement)
    for index, planned in enumerate(design.looks):
        plan = sides.plan(planned.samples)
        missing = needed(plan.cells, ledger)
        fetched = fetch_answers(plan, missing, ledger, variables, budget) if missing else Fetched()
        outcome = Outcome(fetched)
        pairing, cells = sides.scores(plan.cells, ledger, outcome)
        look = take_look(design, index, pairing, cells=len(plan.cells), answers=sum(map(len, cells)))
        stopped = next((each for each in fetched.failures.values() if each.status in _STOPPING), None)
        ending = ending_of(design, look)
        if stopped is not None:
            ending = "budget" if stopped.status == "budget_stopped" else "failures"
        failure = visible(stopped.message) if stopped else "; ".join(outcome.commonest_messages()) or None
        stored, usd = paid(whole.cells, ledger)
        settlement = settlement.model_copy(
            update={
                "looks": (*settlement.looks, look),
                "calls": max(0, stored - settlement.stored_answers),
                "usd": max(0.0, usd - settlement.stored_usd),
            }
        )
        if ending is not None:
            recorded = recorded_look(settlement, ending)
            commands = _commands(sides, options, recorded.samples) if recorded else ()
            settlement = finished(settlement, ending, failure if ending in ("budget", "failures") else None, commands)
        print(look_line(design, index + 1, look), flush=True)
        _write(settlement)
        if ending is not None:
            break
    return settlement, pairing


def _commands(sides: Sides, options: SettleOptions, samples: int) -> tuple[str, ...]:
    """The commands that record the answers of a look as experiments, and compare them."""
    settings = f"-S generate.samples={samples}"
    if options.models:
        base, head = options.models
        models = f"-S {shlex.quote(f'prompt={sides.base.plan.prompt.path}')} -S 'models=[{base},{head}]'"
        return f"dvc exp run {models} {settings}", f"python -m stages.compare --models {base} {head}"
    stems = [re.sub(r"[^A-Za-z0-9._-]+", "-", PurePosixPath(prompt).stem) for prompt in options.names]
    names = [f"{side}-{stem}-{samples}-samples" for side, stem in zip(("base", "head"), stems, strict=True)]
    runs = (
        f"dvc exp run --name {name} -S {shlex.quote(f'prompt={prompt}')} {settings}"
        for name, prompt in zip(names, options.names, strict=True)
    )
    return *runs, f"python -m stages.compare {names[0]} {names[1]}"


def _read() -> Settlement | None:
    """The settlement in the file; None when there is none. One that cannot be read is refused: what it spent counts towards the cap."""
    try:
        return Settlement.read(parse(FILE.read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, NotJson, ValidationError):
        message = "cannot be read, so that what it has spent is unknown: delete it to start a new count"
        raise InputError([Problem(FILE.as_posix(), "", message)]) from None


def _write(settlement: Settlement) -> None:
    try:
        write_atomic(FILE, pretty(settlement.to_json()))
    except OSError as error:
        raise InputError([Problem(FILE.as_posix(), "", f"cannot be written: {error.strerror}")]) from None


if __name__ == "__main__":
    run(main)
