"""What a comparison, or a list of runs, says: its sentences and tables, the same in every form;
each form escapes them.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from graph_evaluator.analysis.interval import unseen_share
from graph_evaluator.analysis.paired_test import Verdict
from graph_evaluator.compare.comparison import OTHER_SET, Comparison, NotCompared, Step
from graph_evaluator.compare.outlook import Outlook
from graph_evaluator.compare.revisions import ComparedSide, changed_inputs, unchanged_recordings
from graph_evaluator.compare.tables import models_table, moved_table, runs_table
from graph_evaluator.present.table import Table
from graph_evaluator.report.findings import other_models_text
from graph_evaluator.shell import numbers

MAX_SHOWN = 20
"""Maximum rows of a long table."""
MAX_MOVED = 10
"""The rows of what moved, outside the page."""
EQUAL, EQUAL_MS = 0.1, 1_000.0
"""Failures, costs and latencies that differ by at most this share, and latencies that differ by at
most this time, are equal.
"""
FIGURES = (
    "Form is the specification's overall score, content the share of a brief's stated effects that "
    "a graph has right. Both are means over briefs; an answer without a usable graph counts 0. "
    "Cost and latency are per answer, the candidate's divided by the baseline's."
)
SAY_NOTHING = "their results show how the tool works and say nothing about real models."
SIMULATED_RUNS = f"Runs with simulated models are among these: {SAY_NOTHING}"


class Part(NamedTuple):
    """A part of a report: a table and the sentences below it. Outside the page at most `most` rows
    are shown. `full` parts are folded in Markdown, and in the terminal left to `--full`.
    """

    title: str
    lines: Sequence[str] = ()
    table: Table | None = None
    most: int = MAX_SHOWN
    full: bool = False


class Report(NamedTuple):
    """What is shown, as plain texts and tables: the verdict, the sentences that explain it or why
    nothing could be compared, then the parts. `notices` warn of simulated models; the run is the
    last one.
    """

    heading: str
    title: str
    sentences: Sequence[str] = ()
    parts: Sequence[Part] = ()
    notices: tuple[str, ...] = ()
    run_id: str = "not known"
    prompt: str = "not known"


def describe(result: Comparison | NotCompared, site: str = "") -> Report:
    """What is shown of a comparison; `site` is the way to the site of the candidate's run, empty
    for none.
    """
    if isinstance(result, NotCompared):
        title = f"{result.candidate} compared with {result.baseline}"
        return Report(heading=result.verdict, title=title, sentences=result.reasons)
    candidate = result.candidate
    more = [*notes_of(result), *_provenance(result)]
    parts = [
        Part("Differences by model", (), models_table(result)),
        Part("What moved", (), moved_table(result, site), MAX_MOVED),
        Part("What was compared, and how", more, full=result.verdict != "could not measure"),
    ]
    return Report(
        heading=result.verdict,
        title=_advice(result),
        sentences=list(_sentences(result)),
        parts=[part for part in parts if part.lines or (part.table and part.table.rows)],
        notices=_simulated(result),
        run_id=candidate.run.run_id,
        prompt=candidate.run.prompt.path,
    )


def describe_runs(steps: Sequence[Step], skipped: Sequence[str]) -> Report:
    """The report on runs along a branch, oldest first; `skipped` says why others are missing."""
    notes = [
        f"{OTHER_SET} {step.commit}: only this run or the one before has {step.other_set}; "
        "the two are compared on what both have."
        for step in steps
        if step.other_set
    ]
    notes += [f"Left out: {reason}" for reason in skipped]
    verdicts = Counter(step.verdict for step in steps if step.verdict)
    counts = [f"{count} {verdict}" for verdict, count in verdicts.most_common()]
    return Report(
        heading="history",
        title=", ".join([numbers.counted(len(steps), "run"), *counts]),
        parts=[Part("Runs", notes, runs_table(steps))] if steps or notes else [],
        notices=(SIMULATED_RUNS,) if any(step.simulated for step in steps) else (),
    )


def _advice(result: Comparison) -> str:
    """The advice, with the names of both sides."""
    baseline, candidate = result.baseline.name, result.candidate.name
    if result.verdict == "no meaningful difference":
        return _cheaper(result)
    advice: Mapping[Verdict, str] = {
        "could not measure": f"{candidate} compared with {baseline}",
        "unchanged": f"{candidate} has the same answers as {baseline}",
        "better": f"take {candidate} instead of {baseline}",
        "worse": f"keep {baseline} instead of {candidate}",
        "mixed": f"decide whether form or content matters; {candidate} compared with {baseline}",
        "cannot tell": f"keep {baseline}; {candidate} is not shown to be better or worse",
    }
    return advice[result.verdict]


def _cheaper(result: Comparison) -> str:
    """Of two sides without a meaningful difference the one that fails less, else costs less, else
    answers faster; the baseline where none of these matters.
    """
    sides = (result.baseline, result.candidate)
    before, after = result.overall.baseline, result.overall.candidate
    failed, still_failed = (1 - (side.usable_rate.value or 0.0) for side in (before, after))
    values = (
        ("fails less", failed, still_failed, 0.0),
        ("costs less", before.cost.per_answer, after.cost.per_answer, 0.0),
        ("answers faster", before.latency.per_answer_ms, after.latency.per_answer_ms, EQUAL_MS),
    )
    for advantage, old, new, equal in values:
        if old is None or new is None or math.isclose(old, new, rel_tol=EQUAL, abs_tol=equal):
            continue
        taken, other = sides if old < new else reversed(sides)
        return f"take {taken.name}, which {advantage} than {other.name}"
    return f"keep {sides[0].name}; {sides[1].name} does not fail less, cost less or answer faster"


def _sentences(result: Comparison) -> Iterator[str]:
    """What both numbers show and what reruns change, why content decides nothing, what would settle
    an open question, how many answers failed, how many recommended options changed, and who
    answered.
    """
    yield f"{result.reason}{_reruns(result)}"
    if not result.pairing.pairs:
        return
    if result.overall.judgement.content_left_out:
        yield result.overall.judgement.content_left_out
    if result.outlook is not None:
        yield what_would_settle(result.outlook)
    yield _failures(result)
    compared = {model for model, _ in result.pairing.asked}
    models = sorted((result.baseline.models | result.candidate.models) - compared)
    if models and not result.candidate.model:
        yield f"Models that were not compared: {numbers.first_of(models)}."
    yield from _choices(result)
    for side in (result.baseline, result.candidate):
        others = other_models_text(side.name, side.cells)
        if others:
            yield others


def _reruns(result: Comparison) -> str:
    """What a rerun of the baseline alone changes; empty where that is not known."""
    if not result.reruns or result.verdict in ("could not measure", "unchanged"):
        return ""
    changes = " and ".join(
        f"{number} by ±{numbers.score(change)}" for number, change in result.reruns.items()
    )
    return f" A rerun of {result.baseline.name} alone moves {changes}."


def _choices(result: Comparison) -> Iterator[str]:
    """On how many briefs both sides recommend the same option, next to what reruns change."""
    choices = result.choices
    if not choices.compared and not choices.not_compared:
        return
    noun, plural = "brief", "briefs"
    if len(result.models) > 1:
        noun, plural = "pair of model and brief", "pairs of model and brief"
    pairs = numbers.counted(choices.compared, noun, plural)
    text = f"Both recommend the same option on {numbers.count(choices.same)} of {pairs}"
    if choices.not_compared:
        text += f" ({numbers.count(choices.not_compared)} not compared: options do not pair)"
    reruns = choices.reruns.value
    if reruns is None:
        yield f"{text}; generate.samples: 2 shows what reruns change."
        return
    text += f"; two answers of {result.baseline.name} agree on {numbers.share(reruns)}"
    yield f"{text}: more changed than reruns explain." if choices.changed else f"{text}."


def _failures(result: Comparison) -> str:
    """The answers without a usable graph on both sides, and what briefs without any can hide."""
    sides = (
        (result.candidate.name, result.overall.candidate),
        (result.baseline.name, result.overall.baseline),
    )
    briefs = result.overall.candidate.usable_rate.n
    unseen = numbers.share(unseen_share(briefs, result.settings.confidence))
    hidden = f"with {numbers.counted(briefs, 'brief')} alone, up to {unseen} may fail elsewhere"
    failed = [
        f"{numbers.count(side.answered - side.usable)} of "
        f"{numbers.counted(side.answered, 'answer')} of {name}"
        for name, side in sides
    ]
    if any(side.answered > side.usable for _, side in sides):
        return f"Without a usable graph: {', '.join(failed)}."
    answers = dict.fromkeys(numbers.count(side.answered) for _, side in sides)
    return f"None of the {' and '.join(answers)} answers failed on either side; {hidden}."


def what_would_settle(outlook: Outlook) -> str:
    """The briefs or samples that would settle an open question, and which is cheaper."""
    ways = []
    if outlook.more_briefs:
        briefs = numbers.counted(outlook.more_briefs, "brief")
        more = numbers.count(outlook.more_briefs - outlook.briefs)
        ways.append(f"at least {briefs} ({more} more)")
    if outlook.more_samples:
        ways.append(f"{numbers.counted(outlook.more_samples, 'sample')} each")
    target = f"{outlook.target:.2f}"
    found = f"To find a difference of {target} in {outlook.number} with 80 % power:"
    if not ways:
        return f"{found} more than 64 times the present briefs."
    text = f"{found} {' or '.join(ways)}"
    if outlook.cheaper:
        return f"{text}; more {outlook.cheaper} are cheaper."
    if not outlook.sampling_known:
        return f"{text}; generate.samples: 2 shows what more samples would do."
    return f"{text}."


def notes_of(result: Comparison) -> Iterator[str]:
    """Notes on the comparison, each once."""
    alike = sorted(unchanged_recordings(result.baseline, result.candidate))
    if alike:
        yield (
            f"Left out: {numbers.first_of(alike)}. Recorded answers that are equal on both sides "
            "are no evidence about the prompt."
        )
    for side in (result.baseline, result.candidate):
        if side.rescored:
            yield f"The answers of {side.name} were scored again, by today's rules."
    changed = ", ".join(changed_inputs(result.baseline.run, result.candidate.run))
    if changed:
        yield f"Changed inputs (a changed brief is still paired with itself): {changed}."


def _simulated(result: Comparison) -> tuple[str, ...]:
    """Which models are simulated; none if all are real."""
    names = {
        cell.model_id
        for pair in result.pairing.pairs
        for end in (pair.baseline, pair.candidate)
        for cell in end.cells
        if cell.cost.simulated
    }
    notice = f"Simulated models ({numbers.first_of(sorted(names))}): {SAY_NOTHING}"
    return (notice,) if names else ()


def _provenance(result: Comparison) -> Iterator[str]:
    """The provenance: sides, method and what was left out."""
    baseline, candidate, pairing = result.baseline, result.candidate, result.pairing
    yield _side("Baseline", baseline)
    yield _side("Candidate", candidate)
    left_out = {
        f"Only in {baseline.name}": pairing.only_baseline,
        f"Only in {candidate.name}": pairing.only_candidate,
        "No answer on one side": pairing.unpaired,
    }
    for place, keys in left_out.items():
        if keys:
            cells = [f"{model} / {brief}" for model, brief in keys]
            yield f"{place}: {numbers.first_of(cells, MAX_SHOWN)}."
    counts = (pairing.baseline_unanswered, pairing.candidate_unanswered)
    for side, count in zip((baseline, candidate), counts, strict=True):
        if count:
            counted = numbers.counted(count, "missing answer")
            yield f"{counted} of {side.name}: left out, not counted as 0."
    settings, test = result.settings, result.overall.judgement.form
    yield (
        f"The intervals are at {100 * test.confidence:.4g}% confidence. A difference below "
        f"{settings.min_difference:g} in form or {settings.min_content_difference:g} in content "
        "does not matter. The test treats briefs as independent draws. The verdicts of several "
        "models share one error rate."
    )
    yield FIGURES


def _side(role: str, side: ComparedSide) -> str:
    commit = "the working tree" if side.revision is None else side.revision[:10]
    date = f", {side.date[:10]}" if side.date else ""
    return f"{role}, {side.name}: run {side.run.run_id}, prompt {side.prompt} ({commit}{date})"
