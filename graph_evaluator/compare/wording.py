"""What a comparison, or a list of runs, says: its sentences and tables, the same in every form;
each form escapes them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from graph_evaluator.analysis.interval import unseen_share
from graph_evaluator.analysis.paired_test import Verdict
from graph_evaluator.analysis.summary import Summary
from graph_evaluator.compare.comparison import Comparison, Step, Unmeasured
from graph_evaluator.compare.outlook import Outlook, Study
from graph_evaluator.compare.pairs import score_differences
from graph_evaluator.compare.sides import ComparedSide, changed_inputs, recorded_alike
from graph_evaluator.compare.tables import models_table, moved_table, runs_table
from graph_evaluator.present.table import Table
from graph_evaluator.shell import numbers

NEXT_STEPS: Mapping[Verdict, str] = {
    "could not measure": "run both sides on more briefs, or again for what is missing",
    "unchanged": "there is nothing to choose",
    "better": "take the candidate",
    "worse": "keep the baseline",
    "mixed": "decide which of the two numbers matters more; the briefs that moved show why",
    "no meaningful difference": "take the side that costs less or answers faster",
    "cannot tell": "keep the baseline, or run more briefs or samples",
}
SHARE_SOMETHING = (
    "both sides need a model and briefs in common: compare runs of the same models, or two models "
    "of one run (--models A B)"
)
MAX_SHOWN = 20
"""How many rows of a long table are shown."""
BESIDE = "Beside the verdict, deciding nothing"
FIGURES = (
    "Score and content count an answer without a usable graph as 0, quality leaves it out; content "
    "is the share of a brief's stated effects that a graph has right. Cost is "
    "the candidate's per answer, with candidate over baseline in brackets; latency is candidate "
    "over baseline."
)
SAY_NOTHING = "their results show how the tool works and say nothing about real models."
SIMULATED_RUNS = f"Runs with simulated models are among these: {SAY_NOTHING}"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a report: a table, sentences below it; `folded` where there is room for less."""

    title: str
    lines: Sequence[str] = ()
    table: Table | None = None
    folded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What is shown, as plain texts and tables: the verdict, the sentences that explain it or why
    nothing could be compared, then the parts. `simulated` warns of such models; the run is the
    last one.
    """

    heading: str
    title: str
    sentences: Sequence[str] = ()
    parts: Sequence[Part] = ()
    simulated: str | None = None
    run_id: str = "not known"
    prompt: str = "not known"


def describe(result: Comparison | Unmeasured, site: str = "") -> Report:
    """What is shown of a comparison; `site` is the way to the site of the candidate's run, empty
    for none.
    """
    if isinstance(result, Unmeasured):
        title = f"{result.candidate} against {result.baseline}"
        return Report(heading=result.verdict, title=title, sentences=result.reasons)
    candidate = result.candidate
    parts = [
        Part(BESIDE, list(_beside(result))),
        Part("Differences by model", list(notes_of(result)), models_table(result)),
        Part("What moved", (), moved_table(result, site), folded=True),
        Part("What was compared, and how", list(_provenance(result)), folded=True),
    ]
    return Report(
        heading=result.verdict,
        title=f"{candidate.name} against {result.baseline.name}",
        sentences=[*_reason(result), *_next_steps(result)],
        parts=[part for part in parts if part.lines or (part.table and part.table.rows)],
        simulated=_simulated(result),
        run_id=candidate.run.run_id,
        prompt=candidate.run.prompt.path,
    )


def describe_runs(steps: Sequence[Step], skipped: Sequence[str]) -> Report:
    """What is shown of the runs along a branch, the oldest first; `skipped` says why others are
    missing.
    """
    notes = [
        f"{step.mark} {step.commit}: only this run or the one before has {step.other_set}; "
        "compared on what both have."
        for step in steps
        if step.other_set
    ]
    notes += [f"Left out: {reason}" for reason in skipped]
    verdicts = Counter(step.verdict for step in steps if step.verdict)
    counts = [f"{count} {verdict}" for verdict, count in verdicts.most_common()]
    return Report(
        heading="history",
        title=", ".join([numbers.counted(len(steps), "run"), *counts]),
        parts=[Part("Runs", notes, runs_table(steps))],
        simulated=SIMULATED_RUNS if any(step.simulated for step in steps) else None,
        run_id=steps[-1].run_id if steps else "none",
        prompt=steps[-1].prompt if steps else "none",
    )


def _reason(result: Comparison) -> Iterator[str]:
    """What both numbers show, and why content decides nothing."""
    yield result.reason
    left_out = result.overall.judgement.content_left_out
    if result.pairing.asked and left_out is not None:
        yield f"Form decides alone: {left_out}."


def _percentage(confidence: float) -> str:
    return f"{100 * confidence:.4g}%"


def _next_steps(result: Comparison) -> Iterator[str]:
    """What to do, what would change the verdict, and what limits it."""
    step = NEXT_STEPS[result.verdict] if result.pairing.asked else SHARE_SOMETHING
    yield f"Next: {step}."
    if result.outlook is not None:
        yield what_would_settle(result.outlook)


def what_would_settle(outlook: Outlook) -> str:
    """The briefs or samples that would settle an open question, with their price, and which is
    cheaper.
    """
    ways = []
    if outlook.more_briefs:
        briefs = numbers.counted(outlook.more_briefs.briefs, "brief")
        more = f"{numbers.count(outlook.more_briefs.briefs - outlook.briefs)} more"
        ways.append(f"at least {briefs} ({more}{_price(outlook.more_briefs)})")
    if outlook.more_samples:
        samples = numbers.counted(outlook.more_samples.samples, "sample")
        ways.append(f"{samples} per cell{_price(outlook.more_samples)}")
    target = f"{outlook.target:.2f}"
    found = f"To find a difference of {target} in {outlook.number}, four times in five:"
    if not ways:
        return f"{found} more than 64 times as many briefs."
    text = f"{found} {' or '.join(ways)}"
    if outlook.cheaper:
        return f"{text}; more {outlook.cheaper} are cheaper."
    if not outlook.sampling_known:
        return f"{text}; generate.samples: 2 shows what more samples would do."
    return f"{text}."


def _price(study: Study) -> str:
    return f", about {numbers.money(study.usd)}" if study.usd else ""


def _beside(result: Comparison) -> Iterator[str]:
    """What decides nothing, always in this order: quality, failures, content where it was not
    measured well enough, briefs won and lost.
    """
    if not result.pairing.pairs:
        return
    overall, confidence = result.overall, result.settings.confidence
    baseline, candidate = overall.baseline, overall.candidate
    yield (
        f"Quality, mean of usable graphs: candidate {numbers.score(candidate.quality.value)}, "
        f"baseline {numbers.score(baseline.quality.value)}"
    )
    yield (
        "Failures, answers without a usable graph: "
        f"candidate {_failures(candidate, confidence)}; baseline {_failures(baseline, confidence)}"
    )
    differences = [round(difference, 9) for difference in score_differences(result.pairing.pairs)]
    won = sum(difference > 0 for difference in differences)
    lost = sum(difference < 0 for difference in differences)
    equal = len(differences) - won - lost
    yield f"Briefs: candidate won {won}, lost {lost}, {equal} equal in score"


def _failures(side: Summary, confidence: float) -> str:
    failed, answers = side.answered - side.usable, numbers.count(side.answered)
    if not failed:
        at_most = numbers.share(unseen_share(side.usable_rate.n, confidence))
        return f"none of {answers}, up to {at_most} may fail"
    low, high = side.usable_rate.ends or (0.0, 1.0)
    interval = numbers.share_interval(1 - high, 1 - low)
    return f"{numbers.count(failed)} of {answers} (interval {interval})"


def notes_of(result: Comparison) -> Iterator[str]:
    """What a reader must know besides, each once."""
    alike = sorted(recorded_alike(result.baseline, result.candidate))
    if alike:
        yield (
            f"Left out: {numbers.first_of(alike)}, recorded, with the same answers on both sides, "
            "which say nothing about the prompt."
        )
    simulated = _simulated(result)
    if simulated:
        yield simulated
    yield from dict.fromkeys(
        note for side in (result.baseline, result.candidate) for note in _note_on_scores(side)
    )
    changed = ", ".join(changed_inputs(result.baseline.run, result.candidate.run))
    if changed:
        yield f"Inputs that differ (a brief is still paired with itself): {changed}."


def _note_on_scores(side: ComparedSide) -> Iterator[str]:
    if side.rescored:
        yield f"The answers of {side.name} were scored again, by today's rules."


def _simulated(result: Comparison) -> str | None:
    """Which models are simulated; None where all are real."""
    names = set()
    for pair in result.pairing.pairs:
        for side, end in ((result.baseline, pair.baseline), (result.candidate, pair.candidate)):
            if end.summary.simulated:
                names.add(side.model or pair.model_id)
    if not names:
        return None
    return f"Simulated models ({numbers.first_of(sorted(names))}): {SAY_NOTHING}"


def _provenance(result: Comparison) -> Iterator[str]:
    """What was compared, how, and what was left out."""
    baseline, candidate, pairing = result.baseline, result.candidate, result.pairing
    yield _side("Baseline", baseline)
    yield _side("Candidate", candidate)
    left_out = {
        f"Only in {baseline.name}": pairing.only_baseline,
        f"Only in {candidate.name}": pairing.only_candidate,
        "Without a score on one of the sides": pairing.unpaired,
    }
    for place, keys in left_out.items():
        if keys:
            cells = [f"{model} / {brief}" for model, brief in keys]
            yield f"{place}: {numbers.first_of(cells, MAX_SHOWN)}."
    counts = (pairing.baseline_unanswered, pairing.candidate_unanswered)
    for side, count in zip((baseline, candidate), counts, strict=True):
        if count:
            counted = numbers.counted(count, "cell")
            yield f"{counted} of {side.name} without an answer: left out, not counted as 0."
    settings = result.settings
    yield (
        f"The verdict holds at {_percentage(settings.confidence)} confidence, which its "
        f"intervals share; a difference below {settings.min_difference:g} of the score, or "
        f"{settings.min_content_difference:g} of content, does not matter. The briefs count as "
        "independent draws. The verdicts of the models share one error rate."
    )
    yield FIGURES


def _side(role: str, side: ComparedSide) -> str:
    commit = "the working tree" if side.revision is None else side.revision[:10]
    date = f", {side.date[:10]}" if side.date else ""
    return f"{role}, {side.name}: run {side.run.run_id}, prompt {side.prompt} ({commit}{date})"
