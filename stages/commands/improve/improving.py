"""Adapter: searches, and proves the best candidate on briefs that nobody has looked at."""

from argparse import Namespace
from collections import Counter
from pathlib import Path

from stages.commands.improve.planning import PARTS_FILE, ImproveInputs
from stages.commands.settle.wording import analysis_line
from stages.generate.capped_answers import CappedAnswers, Unanswered, purpose_of
from stages.shared.records.brief import prompt_of
from stages.shared.records.improvement import (
    Improvement,
    ImprovementEnding,
    Outcome,
)
from stages.shared.shell import numbers, paths
from stages.shared.shell.files import free_path, write_output, write_record

CANDIDATE_FILE = paths.RESULTS / "improve/candidate.txt"


def improve(inputs: ImproveInputs, options: Namespace, answers: CappedAnswers) -> Improvement:
    """Search and prove; the parts of the briefs and the best prompt are written."""
    from stages.commands.improve.search import Search  # loads gepa

    write_record(PARTS_FILE, inputs.drawn)
    CANDIDATE_FILE.unlink(missing_ok=True)
    search = Search(inputs, answers, options.rounds, options.max_length)
    try:
        search.run()
    except Unanswered as stopped:
        is_capped = stopped.fault.status == "budget_stopped"
        ended: ImprovementEnding = "budget" if is_capped else "failures"
        outcome = Outcome(ended=ended, reason=f"{stopped}; the same command continues")
    else:
        outcome = _prove(inputs, search.best, answers)
    prompt = None
    if search.best != inputs.baseline.prompt.text:
        prompt = CANDIDATE_FILE.as_posix()
        write_output(CANDIDATE_FILE, search.best.encode())
    if outcome.proof and outcome.ended == "proven":
        prompt = outcome.proof.plan.candidate
        write_output(Path(prompt), search.best.encode())
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
            print(analysis_line(proof), flush=True)
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
        lines += [
            "The best candidate, word by word:",
            f"  git diff --no-index --word-diff {improvement.baseline} {improvement.prompt}",
        ]
    if improvement.commands:
        lines.append("No run uses it yet. To record the proof as experiments (nothing is called):")
    return [*lines, *(f"  {command}" for command in improvement.commands)]
