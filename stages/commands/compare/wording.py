"""What a comparison says: its sentences and tables, the same in every form; each form escapes
them.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean

from stages.commands.compare import tables
from stages.commands.compare.comparison import Comparison, Unmeasured
from stages.commands.compare.outlook import Outlook
from stages.commands.compare.pairs import ModelAndBrief, brief_means, score_differences
from stages.commands.compare.sides import ComparedSide, changed_inputs, recorded_alike
from stages.commands.compare.verdict import NEXT_STEPS, Verdict, level
from stages.shared.analysis.paired_test import PairedTest
from stages.shared.analysis.summary import Summary, summarise
from stages.shared.present.table import Table
from stages.shared.shell import numbers

UNEQUAL_LOSS = 0.1
"""The difference between the models' shares of cells without an answer from which a note warns."""
BESIDE = "Beside the verdict, deciding nothing"
_NONE = 1e-9
"""A policy is expected to have fewer failures: none."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a report: a table, sentences below it; `folded` where there is room for less."""

    title: str
    lines: tuple[str, ...] = ()
    table: Table | None = None
    folded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What is shown of a comparison, as plain texts and tables: the verdict, the sentences that
    explain it or why nothing could be compared, then the parts. `simulated` warns of such models.
    """

    verdict: Verdict
    title: str
    sentences: tuple[str, ...]
    parts: tuple[Part, ...] = ()
    simulated: str | None = None


def describe(result: Comparison | Unmeasured, site: str = "") -> Report:
    """What is shown of a comparison; `site` is the way to the site of the candidate's run, empty
    for none.
    """
    if isinstance(result, Unmeasured):
        title = f"{result.candidate} against {result.baseline}"
        return Report(verdict=result.verdict, title=title, sentences=result.reasons)
    baseline, candidate = result.baseline, result.candidate
    unverified = " (reported by the branch, not verified)" if candidate.recorded else ""
    models, moved = tables.models_table(result), tables.moved_table(result, site)
    return Report(
        verdict=result.verdict,
        title=f"{candidate.name} against {baseline.name}{unverified}",
        sentences=(*_reason(result), *_next_steps(result), _prompts(result)),
        parts=(
            Part(BESIDE, tuple(_beside(result))),
            Part("Differences by model", tuple(notes_of(result)), models),
            *([Part("What moved", (), moved, folded=True)] if moved.rows else []),
            Part("What was compared, and how", tuple(_provenance(result)), folded=True),
        ),
        simulated=_simulated(result),
    )


def _prompts(result: Comparison) -> str:
    baseline, candidate = result.baseline, result.candidate
    if baseline.prompt == candidate.prompt and baseline.run.prompt == candidate.run.prompt:
        return f"Prompt on both sides: {candidate.prompt}."
    return f"Prompt: {baseline.prompt} of the baseline, {candidate.prompt} of the candidate."


def _reason(result: Comparison) -> Iterator[str]:
    """Both numbers and what their tests say."""
    judgement, overall = result.overall.judgement, result.overall
    if result.pairing.pairs:
        models = numbers.counted(len(result.models), "model")
        scores = (overall.baseline.expected.value, overall.candidate.expected.value)
        yield f"{_measured('Expected score', scores, judgement.score)} and {models}."
    if judgement.content_left_out is None:
        yield f"{_content(result)} that state effects."
    yield f"{result.reason[:1].upper()}{result.reason[1:]}."
    if judgement.content_left_out is not None:
        yield f"Score alone decides: {judgement.content_left_out}."


def _content(result: Comparison) -> str:
    """The contents of both sides, over the briefs that have one on both."""
    known = [pair for pair in result.pairing.pairs if pair.content_difference is not None]
    before = brief_means(known, lambda pair: pair.baseline.content).values()
    after = brief_means(known, lambda pair: pair.candidate.content).values()
    contents = (fmean(before), fmean(after)) if known else (None, None)
    return _measured("Content", contents, result.overall.judgement.content)


def _measured(name: str, sides: tuple[float | None, float | None], test: PairedTest) -> str:
    """A number of both sides, and the difference with its interval."""
    before, after = map(numbers.score, sides)
    difference = numbers.difference(test.difference.value)
    if test.difference.ends is not None:
        interval = numbers.difference_interval(*test.difference.ends)
        difference += f" ({_percentage(test.confidence)} interval {interval})"
    briefs = numbers.counted(test.difference.n, "brief")
    return f"{name} {after} of the candidate, {before} of the baseline: {difference} over {briefs}"


def _percentage(confidence: float) -> str:
    return f"{100 * confidence:.4g}%"


def _beside(result: Comparison) -> Iterator[str]:
    """What decides nothing, always in this order: quality, failures, content where it was not
    measured well enough, briefs won and lost; of both sides alone where nothing was paired.
    """
    confidence, overall = level(result.settings), result.overall
    if not result.pairing.pairs:
        yield side_alone(result.baseline, confidence)
        yield side_alone(result.candidate, confidence)
        yield (
            "The inputs differ: no brief has an answer of one model on both sides, so these "
            "figures are not compared"
        )
        return
    baseline, candidate = overall.baseline, overall.candidate
    yield (
        f"Quality, mean of usable graphs: candidate {numbers.score(candidate.quality.value)}, "
        f"baseline {numbers.score(baseline.quality.value)}"
    )
    yield (
        "Failures, answers without a usable graph: "
        f"candidate {_failures(candidate, confidence)}; baseline {_failures(baseline, confidence)}"
    )
    if overall.judgement.content_left_out and overall.judgement.content.difference.n:
        yield _content(result)
    differences = [round(one, 9) for one in score_differences(result.pairing.pairs).values()]
    won, lost = sum(one > 0 for one in differences), sum(one < 0 for one in differences)
    equal = len(differences) - won - lost
    yield f"Briefs: candidate won {won}, lost {lost}, {equal} equal in score"


def _failures(side: Summary, confidence: float) -> str:
    failed, answers = side.answered - side.usable, numbers.count(side.answered)
    if failed < _NONE:
        at_most = min(1.0, -math.log(1 - confidence) / side.usable_rate.n)
        return f"none of {answers}, up to about {numbers.share(at_most)} may fail"
    low, high = side.usable_rate.ends or (0.0, 1.0)
    interval = numbers.share_interval(1 - high, 1 - low)
    return f"{numbers.expected_count(failed)} of {answers} (interval {interval})"


def side_alone(side: ComparedSide, confidence: float) -> str:
    """The means of one side alone, with their interval, in a sentence."""
    summary = summarise(side.cells, side.weights, confidence=confidence)
    score = summary.expected
    usable = numbers.share_of(summary.usable, summary.answered)
    interval = numbers.interval(score.low, score.high)
    briefs = numbers.counted(score.n, "brief")
    return (
        f"{side.name}: expected score {numbers.score(score.value)} ({_percentage(confidence)} "
        f"interval {interval}) over {briefs}; {usable} of the answers usable"
    )


def _next_steps(result: Comparison) -> Iterator[str]:
    """What to do, what would change the verdict, and what limits it."""
    yield f"Next: {NEXT_STEPS[result.verdict]}."
    judgement = result.overall.judgement
    if result.outlook is not None and judgement.open_test is not None:
        yield what_would_settle(result.outlook, judgement.open_test.difference.n)
    if judgement.caveat:
        yield judgement.caveat


def what_would_settle(outlook: Outlook, briefs: int) -> str:
    """How many more briefs than those at hand, or samples, would settle an open question."""
    target = numbers.score(outlook.target)
    opening = (
        f"What would change this: a difference of {target} in {outlook.number} is found, four "
        "times in five, with"
    )
    in_all = "more than 64 times as many briefs"
    if outlook.briefs is not None:
        price = _price(outlook.briefs_usd)
        more = numbers.count(outlook.briefs - briefs)
        in_all = (
            f"about {numbers.counted(outlook.briefs, 'brief')} "
            f"({', '.join([f'{more} more', *price])})"
        )
    if outlook.number == "content":
        return f"{opening} {in_all}."
    samples = "more samples alone cannot settle it"
    if not outlook.sampling_known:
        samples = "the effect of more samples is unknown (generate.samples: 3 measures it)"
    elif outlook.samples is not None:
        price = [f" ({text})" for text in _price(outlook.samples_usd)]
        counted = numbers.counted(outlook.samples, "sample")
        samples = f"or with {counted} per cell{''.join(price)}"
    return f"{opening} {in_all}; {samples}."


def _price(usd: float | None) -> list[str]:
    return [f"about {numbers.money(usd)}"] if usd else []


def notes_of(result: Comparison) -> Iterator[str]:
    """What a reader must know besides, each once."""
    known, planned = result.known_comparisons, result.settings.planned_comparisons
    if known > planned:
        yield (
            f"Git holds {known} runs of this prompt (distinct samples, rounds and brief sets), and "
            f"compare.planned_comparisons is {planned}: comparing again until a verdict appears "
            "raises the rate of wrong verdicts."
        )
    alike = sorted(recorded_alike(result.baseline, result.candidate))
    if alike:
        yield (
            f"Left out: {numbers.first_of(alike)}, recorded, with the same answers on both sides, "
            "which say nothing about the prompt."
        )
    lost = sorted(result.pairing.lost.items(), key=lambda lost: (-lost[1], lost[0]))
    if lost and lost[0][1] - lost[-1][1] >= UNEQUAL_LOSS:
        most, least = (f"{model} {numbers.share(share)}" for model, share in (lost[0], lost[-1]))
        yield (
            f"The models lost different shares of their cells (most {most}, least {least}): an "
            "answer that is missing for a reason that depends on its quality biases the comparison."
        )
    simulated = _simulated(result)
    if simulated:
        yield simulated
    yield from dict.fromkeys(
        note for side in (result.baseline, result.candidate) for note in _note_on_scores(side)
    )
    changed = changed_inputs(result.baseline.run, result.candidate.run, of_both=True)
    if changed:
        yield f"Inputs that changed (a brief is still paired with itself): {changed}."


def _note_on_scores(side: ComparedSide) -> Iterator[str]:
    if side.rescored:
        answers = f"The answers of {side.name} were scored by other rules"
        yield f"{answers}; they have been scored again by today's."
    elif side.recorded:
        scores = "its scores are those of results/scores.csv, to four decimals"
        yield f"The scorecards of {side.name} cannot be read: {scores}."


def _simulated(result: Comparison) -> str | None:
    """That models are simulated; None where all are real."""
    simulated, real = set(), False
    for pair in result.pairing.pairs:
        for side, end in ((result.baseline, pair.baseline), (result.candidate, pair.candidate)):
            if end.summary.simulated:
                simulated.add(side.model or pair.model_id)
            else:
                real = True
    if not simulated:
        return None
    which = "These models are simulated"
    if real:
        names = numbers.first_of(sorted(simulated))
        which = f"Simulated models are among these ({names})"
    return f"{which}: their results show how the tool works and say nothing about real models."


_FIGURES = (
    "Score and content count an answer without a usable graph as 0, quality leaves it out; content "
    "is the share of a brief's stated effects that a graph has right. Cost is "
    "the candidate's per answer, with candidate over baseline in brackets; latency is candidate "
    "over baseline."
)
_OF_POLICY = (
    "A policy has one answer to each brief, the one that counts, in the mean over its runs; its "
    "cost and latency are those of all its calls."
)


def _provenance(result: Comparison) -> Iterator[str]:
    """What was compared, how, and what was left out."""
    baseline, candidate, pairing = result.baseline, result.candidate, result.pairing
    yield _side("Baseline", baseline)
    yield _side("Candidate", candidate)
    yield from _missing(f"Only in {baseline.name}", pairing.only_baseline)
    yield from _missing(f"Only in {candidate.name}", pairing.only_candidate)
    yield from _missing("Without a score on one of the sides", pairing.unpaired)
    yield from _unanswered(baseline.name, pairing.baseline_unanswered)
    yield from _unanswered(candidate.name, pairing.candidate_unanswered)
    settings, planned = result.settings, ""
    if settings.planned_comparisons > 1:
        confidence = _percentage(settings.confidence)
        planned = f" ({confidence} shared by {settings.planned_comparisons} planned comparisons)"
    yield (
        f"The verdict holds at {_percentage(level(settings))} confidence{planned}, which its "
        f"intervals share; a difference below {settings.min_difference:g} of the score, or "
        f"{settings.min_content_difference:g} of content, does not matter. The briefs count as "
        "independent draws. The verdicts of the models share one error rate."
    )
    yield _FIGURES
    if baseline.weights or candidate.weights:
        yield _OF_POLICY


def _side(role: str, side: ComparedSide) -> str:
    commit = "the working tree" if side.revision is None else side.revision[:10]
    date = f", {side.date[:10]}" if side.date else ""
    rescored = ", scored again" if side.rescored else ""
    prompt = f"prompt {side.prompt} ({commit}{date}{rescored})"
    return f"{role}, {side.name}: run {side.run.run_id}, {prompt}"


def _missing(place: str, keys: tuple[ModelAndBrief, ...]) -> Iterator[str]:
    if keys:
        cells = [f"{model} / {brief}" for model, brief in keys]
        yield f"{place}: {numbers.first_of(cells, tables.MAX_SHOWN)}."


def _unanswered(side: str, count: int) -> Iterator[str]:
    if count:
        cells = numbers.counted(count, "cell")
        yield f"{cells} of {side} without an answer: left out, not counted as 0."
