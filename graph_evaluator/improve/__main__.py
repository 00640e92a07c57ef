"""`graph-evaluator improve --prompt A --by MODEL --max-usd 20`: proposes a better prompt and
proves it on briefs that nobody has looked at.
"""

import argparse
import sys
from argparse import Namespace
from collections import Counter
from pathlib import Path

from graph_evaluator.generate.capped_answers import (
    CappedAnswers,
    Unanswered,
    add_cap,
    capped_answers,
    check_calls,
    problems_of_cap,
    purpose_of,
)
from graph_evaluator.generate.missing import ledger_to_read
from graph_evaluator.improve.planning import (
    PARTS_FILE,
    ImproveInputs,
    load_inputs,
    plan_search,
    usual_reflection,
)
from graph_evaluator.improve.search import Search
from graph_evaluator.records.brief import prompt_of
from graph_evaluator.records.commands import (
    Improvement,
    ImprovementEnding,
    Outcome,
)
from graph_evaluator.records.errors import InputError
from graph_evaluator.settle.settling import analysis_line
from graph_evaluator.shell import numbers, paths
from graph_evaluator.shell.command import command_parser, run, show
from graph_evaluator.shell.files import environment_variables, free_path, write_atomic, write_record
from graph_evaluator.shell.inputs import load_params

EXIT_CODES = {"better": 0, "no improvement shown": 3, "could not measure": 4}


def main() -> int:
    """Print the plan, search, prove; the exit code says whether an improvement is proven."""
    options = _parser().parse_args(sys.argv[1:])
    problems = list(problems_of_cap(options))
    if problems:
        raise InputError(problems)
    variables = environment_variables()
    inputs = load_inputs(options, load_params(), variables)
    with ledger_to_read(inputs.baseline) as (ledger, missing):
        show("\n".join(plan_search(inputs, options, missing, ledger)))
    if options.dry_run:
        return 0
    check_calls([*inputs.calls("learn", "choose"), usual_reflection(inputs)], variables)
    baseline, purpose = inputs.baseline, inputs.purpose
    with capped_answers(baseline, purpose, options.max_usd, variables) as answers:
        improvement = improve(inputs, options, answers)
    write_record(paths.RESULTS / "improve.json", improvement)
    show("\n".join(closing_lines(improvement)))
    return EXIT_CODES[improvement.outcome.verdict]


def improve(inputs: ImproveInputs, options: Namespace, answers: CappedAnswers) -> Improvement:
    """Search and prove; the parts of the briefs and a prompt that is proven are written."""
    write_record(PARTS_FILE, inputs.drawn)
    search = Search(inputs, answers, options.rounds)
    try:
        search.run()
    except Unanswered as stopped:
        is_capped = stopped.fault.status == "budget_stopped"
        ended: ImprovementEnding = "budget" if is_capped else "failures"
        outcome = Outcome(ended=ended, reason=f"{stopped}; the same command continues")
    else:
        outcome = _prove(inputs, search.best, answers)
    prompt = None
    if outcome.proof and outcome.ended == "proven":
        prompt = outcome.proof.plan.candidate
        write_atomic(Path(prompt), search.best.encode())
    calls, usd = answers.paid()
    return Improvement(
        baseline=inputs.baseline.prompt.path,
        purpose=inputs.purpose,
        by=options.by,
        parts={role: tuple(brief.id for brief in part) for role, part in inputs.parts.items()},
        candidates=tuple(search.tried.values()),
        refusals=tuple(search.refusals),
        prompt=prompt,
        outcome=outcome,
        calls=calls,
        usd=usd,
    )


def _prove(inputs: ImproveInputs, text: str, answers: CappedAnswers) -> Outcome:
    """What the holdout says of a candidate; its use is noted before the first call."""
    baseline = inputs.baseline.prompt
    if text == baseline.text:
        reason = "no candidate scores higher than the baseline on the briefs that choose"
        return Outcome(ended="no candidate", reason=reason)
    file = Path(baseline.path)
    file = free_path(file.with_stem(f"{file.stem}-improved"), text)
    candidate = prompt_of(file.as_posix(), text)
    use = f"{baseline.sha256} {purpose_of('use', inputs.baseline, baseline, candidate)}"
    drawn = inputs.drawn.with_use(use)
    write_record(PARTS_FILE, drawn)
    number = drawn.uses.index(use) + 1
    for proof in inputs.settling(candidate, number, answers).settle():
        if not proof.stopped:
            show(analysis_line(proof))
    ended: ImprovementEnding = "not proven"
    if proof.ended == "budget" or proof.ended == "failures":
        ended = proof.ended
    elif proof.verdict == "better":
        ended = "proven"
    reason = f"on the holdout, {proof.reason}"
    return Outcome(ended=ended, reason=reason, use=number, proof=proof)


def closing_lines(improvement: Improvement) -> list[str]:
    """How it ended, what it cost, and how to see and record the best candidate."""
    outcome = improvement.outcome
    reasons = Counter(refusal.reason for refusal in improvement.refusals)
    lines = [f"{outcome.verdict}: {outcome.reason}."]
    if outcome.proof:
        lines += [last.caveat for last in outcome.proof.analyses[-1:] if last.caveat]
    lines += [f"refused {times} x: {reason}" for reason, times in reasons.items()]
    calls = numbers.counted(improvement.calls, "call")
    lines.append(f"{calls}, {numbers.money(improvement.usd)}.")
    if improvement.prompt:
        lines.append(f"{improvement.prompt}: written; no run uses it yet.")
    if improvement.commands:
        lines.append("To record the proof as experiments (nothing is called):")
    return [*lines, *(f"  {command}" for command in improvement.commands)]


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


def _parser() -> argparse.ArgumentParser:
    parser = command_parser("improve", _INTRODUCTION, *_EXAMPLES, notes=_NOTES)
    parser.allow_abbrev = False
    add = parser.add_argument
    add("--prompt", required=True, metavar="PATH", help="the prompt that is to be improved")
    add("--by", required=True, metavar="MODEL", help="id of the model that proposes")
    models = "models that answer the briefs, ids or patterns; default: those of params.yaml"
    add("--models", nargs="+", metavar="ID", help=models)
    add("--rounds", type=int, default=10, metavar="N", help="proposals at most; default: 10")
    add_cap(parser)
    return parser


if __name__ == "__main__":
    run(main)
