"""What a comparison says: its sentences and tables, the same in every form; each form escapes
them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from stages.commands.compare import tables
from stages.commands.compare.changes import failure_rate
from stages.commands.compare.comparison import Comparison, Unmeasured
from stages.commands.compare.outlook import Outlook
from stages.commands.compare.pairs import ModelAndBrief
from stages.commands.compare.sides import ComparedSide, changed_inputs
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What is shown of a comparison, as plain texts and tables.

    `prompts` names those of both sides, `sentences` are the reason and what to do, `reasons` why
    nothing could be compared. `beside` decides nothing, `notes` are what a reader must know
    besides, `provenance` is what was compared and what was left out. `simulated` warns of such
    models.
    """

    verdict: Verdict
    title: str
    prompts: str = ""
    sentences: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    models: Table = tables.NOTHING
    moved: Table = tables.NOTHING
    notes: tuple[str, ...] = ()
    provenance: tuple[str, ...] = ()
    simulated: str | None = None


def describe(result: Comparison | Unmeasured, site: str = "") -> Report:
    """What is shown of a comparison; `site` is the way to the site of the candidate's run, empty
    for none.
    """
    if isinstance(result, Unmeasured):
        title = f"{result.candidate} against {result.baseline}"
        return Report(verdict=result.verdict, title=title, reasons=result.reasons)
    baseline, candidate = result.baseline, result.candidate
    unverified = " (reported by the branch, not verified)" if candidate.recorded else ""
    return Report(
        verdict=result.verdict,
        title=f"{candidate.name} against {baseline.name}{unverified}",
        prompts=_prompts(result),
        sentences=(*_reason(result), *_next_steps(result)),
        beside=tuple(_beside(result)),
        models=tables.models_table(result),
        moved=tables.moved_table(result, site),
        notes=tuple(notes_of(result)),
        provenance=tuple(_provenance(result)),
        simulated=_simulated(result),
    )


def _prompts(result: Comparison) -> str:
    baseline, candidate = result.baseline, result.candidate
    if baseline.prompt == candidate.prompt and baseline.run.prompt == candidate.run.prompt:
        return f"Prompt on both sides: {candidate.prompt}"
    return f"Prompt: {baseline.prompt} of the baseline, {candidate.prompt} of the candidate"


def _reason(result: Comparison) -> Iterator[str]:
    """Both numbers and what their tests say."""
    judgement, figures = result.overall.judgement, result.overall.figures
    if figures is not None:
        models = numbers.counted(len(result.models), "model")
        scores = (figures.baseline.expected.value, figures.candidate.expected.value)
        briefs = numbers.counted(judgement.score.difference.n, "brief")
        yield f"{_measured('Expected score', scores, judgement.score)} over {briefs} and {models}."
    if result.contents is not None and judgement.content_left_out is None:
        stated = numbers.counted(judgement.content.difference.n, "brief")
        content = _measured("Content", result.contents, judgement.content)
        yield f"{content} over {stated} that state effects."
    yield f"{result.reason[:1].upper()}{result.reason[1:]}."
    if judgement.content_left_out is not None:
        yield f"Score alone decides: {judgement.content_left_out}."


def _measured(name: str, sides: tuple[float | None, float | None], test: PairedTest) -> str:
    """A number of both sides, and the difference with its interval."""
    before, after = map(numbers.score, sides)
    return f"{name} {after} of the candidate, {before} of the baseline: {_difference(test)}"


def _beside(result: Comparison) -> Iterator[str]:
    """What decides nothing, always in this order: quality, failures, content where it was not
    measured well enough, briefs won and lost; of both sides alone where nothing was paired.
    """
    figures, wins, judgement = result.overall.figures, result.wins, result.overall.judgement
    confidence = level(result.settings)
    if figures is None:
        yield side_alone(result.baseline, confidence)
        yield side_alone(result.candidate, confidence)
        yield (
            "The inputs differ: no brief has an answer of one model on both sides, so these "
            "figures are not compared"
        )
        return
    baseline, candidate = figures.baseline, figures.candidate
    yield (
        f"Quality, mean of usable graphs: candidate {numbers.score(candidate.quality.value)}, "
        f"baseline {numbers.score(baseline.quality.value)}"
    )
    yield (
        "Failures, answers without a usable graph: "
        f"candidate {_failures(candidate, confidence)}; baseline {_failures(baseline, confidence)}"
    )
    if result.contents is not None and judgement.content_left_out is not None:
        content = _measured("Content", result.contents, judgement.content)
        yield f"{content} over {numbers.counted(judgement.content.difference.n, 'brief')}"
    yield f"Briefs: candidate won {wins.won}, lost {wins.lost}, {wins.equal} equal"


def _failures(side: Summary, confidence: float) -> str:
    rate = failure_rate(side, confidence)
    failed, answers = side.answered - side.usable, numbers.count(side.answered)
    if failed < _NONE:
        return f"none of {answers}, up to about {numbers.share(rate.high)} may fail"
    interval = numbers.share_interval(rate.low, rate.high)
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


def _difference(test: PairedTest) -> str:
    value = numbers.difference(test.difference.value)
    if test.difference.ends is None:
        return value
    interval = numbers.difference_interval(*test.difference.ends)
    return f"{value} ({_percentage(test.confidence)} interval {interval})"


def _percentage(confidence: float) -> str:
    return f"{100 * confidence:.4g}%"


def _next_steps(result: Comparison) -> Iterator[str]:
    """What to do, what would change the verdict, and what limits it."""
    yield f"Next: {NEXT_STEPS[result.verdict]}."
    judgement = result.overall.judgement
    if result.outlook is not None and judgement.open_test is not None:
        yield what_would_settle(result.outlook, judgement.open_test.difference.n)
    if result.undone_by is not None:
        side = "candidate" if result.verdict == "better" else "baseline"
        briefs = numbers.counted(result.undone_by, "further brief")
        yield f"What would change this: {briefs} on which the {side} alone fails."
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
    samples = "more samples alone cannot settle it"
    if not outlook.sampling_known:
        samples = (
            "the effect of more samples is unknown (generate.samples: 3 measures that of a model)"
        )
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
    simulated = sorted({cell.model_id for cell in result.cells if cell.measured.simulated})
    if not simulated:
        return None
    which = "These models are simulated"
    if not all(cell.measured.simulated for cell in result.cells):
        which = f"Simulated models are among these ({numbers.first_of(simulated)})"
    return f"{which}: their results show how the tool works and say nothing about real models."


_FIGURES = (
    "Score and content count an answer without a usable graph as 0, quality leaves it out; content "
    "is the share of a brief's stated effects that a graph has right. Cost is "
    "the candidate's per answer, with candidate over baseline in brackets; latency is candidate "
    "over baseline, the geometric mean over cells."
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
