"""Settles a question in planned interim analyses. Each is the test of `compare`, on answers that
are scored in memory; together they share its error rate.
"""

import shlex
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from graph_evaluator.analysis.interval import INTERIM_SHARES, interim_confidence
from graph_evaluator.analysis.paired_test import Verdict
from graph_evaluator.briefs.coding import (
    CODING_INSTRUCTIONS,
    LabelCoding,
    answers_by_text,
    cells_asked,
)
from graph_evaluator.compare.pairs import pair
from graph_evaluator.compare.verdict import Judgement, judge_overall
from graph_evaluator.generate.calls.faults import Fault
from graph_evaluator.generate.fetching import Fetcher
from graph_evaluator.generate.forecast import cost_line
from graph_evaluator.generate.plan.call import Call, PlannedModel
from graph_evaluator.generate.plan.cells import (
    PlannedCell,
    ReadAnswers,
    RunPlan,
    cells_with_answers,
)
from graph_evaluator.generate.planning import purpose_of
from graph_evaluator.generate.responses import response_of
from graph_evaluator.records.codebook import Codebook
from graph_evaluator.records.graph import DraftGraph, read
from graph_evaluator.records.response import Response
from graph_evaluator.records.scorecard import Scorecard
from graph_evaluator.score import Scorer
from graph_evaluator.shell.inputs import load_briefs, load_codebooks
from graph_evaluator.shell.numbers import counted, difference, difference_interval, money
from graph_evaluator.shell.text import visible

SAMPLES = tuple(INTERIM_SHARES)
"""Samples per cell at each interim analysis."""
_NOT_CALLED = {
    "budget_stopped": "The cost cap",
    "auth_failed": "A failure",
    "quota_exceeded": "A failure",
}
"""What ends a settlement, by the status of cells whose calls were not made."""


@dataclass(frozen=True, slots=True)
class SettleSide:
    """One side: its name, the run with all samples, and the model id under which its answers are
    paired; None for their own.
    """

    name: str
    plan: RunPlan
    paired_as: str | None = None

    def score(
        self, samples: int, read: ReadAnswers, codebooks: Mapping[str, Codebook]
    ) -> list[tuple[Response, Scorecard]]:
        """The responses of this number of samples per cell, each with its scorecard."""
        plan = self.plan
        cells = [cell for cell in plan.cells if cell.cell.sample <= samples]
        responses = [response_of(planned, {}) for planned in cells_with_answers(cells, read)]
        scorer = Scorer(plan.params.score, plan.briefs, plan.prompt, codebooks=codebooks)
        return [(response, scorer.score(response)) for response in responses]


@dataclass(frozen=True, slots=True)
class SettleSides:
    """Baseline and candidate."""

    baseline: SettleSide
    candidate: SettleSide

    @property
    def plan(self) -> RunPlan:
        """All that may be called: cell by cell of baseline and candidate in turns, the first
        samples first.
        """
        baseline, candidate = self.baseline.plan, self.candidate.plan
        both = [
            cell for cells in zip(baseline.cells, candidate.cells, strict=True) for cell in cells
        ]
        both.sort(key=lambda cell: cell.cell.sample)
        models = {model.config.id: model for model in (*baseline.models, *candidate.models)}
        return replace(baseline, models=tuple(models.values()), cells=tuple(both))

    @property
    def purpose(self) -> str:
        """What answers are called for."""
        prompts = (self.baseline.plan.prompt, self.candidate.plan.prompt)
        return purpose_of("settle", self.plan, *prompts)

    def cells(self, samples: int) -> list[PlannedCell]:
        """The cells of both sides, of this number of samples."""
        return [cell for cell in self.plan.cells if cell.cell.sample <= samples]


class InterimAnalysis(NamedTuple):
    """The rule of `compare` on a number of samples per cell; `unanswered` of `cells` have no
    answer.
    """

    samples: int
    cells: int
    unanswered: int
    judgement: Judgement


class Settlement(NamedTuple):
    """The interim analyses so far, the verdict and its reason; `stopped`: the cap or a failure
    ended it before the next analysis.
    """

    analyses: Sequence[InterimAnalysis]
    verdict: Verdict
    reason: str
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class Settling:
    """What a settlement is made from. `coder` is the model that codes the labels of new answers,
    within the same budget; None: content counts where it is known without.
    """

    sides: SettleSides
    fetcher: Fetcher
    coder: PlannedModel | None

    def settle(self) -> Iterator[Settlement]:
        """The settlement after each interim analysis; the last one has ended."""
        analyses: list[InterimAnalysis] = []
        for samples in SAMPLES:
            faults = list(self.fetcher.fetch(self.sides.cells(samples)).values())
            faults += self._code(samples)
            stops = [fault for fault in faults if fault.status in _NOT_CALLED]
            if stops:
                reason = (
                    f"{_NOT_CALLED[stops[0].status]} ended interim analysis {len(analyses) + 1} "
                    f"({visible(stops[0].message)}); the same command continues."
                )
                verdict: Verdict = "cannot tell" if analyses else "could not measure"
                yield Settlement(analyses, verdict, reason, stopped=True)
                return
            analyses.append(self._analyse(samples))
            judgement = analyses[-1].judgement
            yield Settlement(tuple(analyses), judgement.verdict, judgement.reason)
            if judgement.verdict != "cannot tell":
                return

    def _code(self, samples: int) -> Sequence[Fault]:
        """Have the labels of valid graphs coded that have no code, twice, for briefs without exact
        names, and write to the codebooks what both answers agree on; why answers are missing.
        """
        if self.coder is None:
            return ()
        codebooks = load_codebooks(load_briefs())
        graphs: defaultdict[str, list[DraftGraph]] = defaultdict(list)
        for side in (self.sides.baseline, self.sides.candidate):
            for response, card in side.score(samples, self.fetcher.ledger.read, {}):
                if card.structural_valid:
                    graph, _ = read(response.answer.graph)
                    graphs[response.cell.brief_id].append(graph)
        briefs = [brief for brief in self.sides.plan.briefs if not brief.expectations.exact_names]
        coding = LabelCoding(briefs, codebooks, graphs)
        cells = cells_asked(self.coder, CODING_INSTRUCTIONS, coding.requests, times=2)
        faults = self.fetcher.fetch(cells)
        if not faults:
            coding.write(answers_by_text(cells, self.fetcher.ledger), self.coder.config.id)
        return list(faults.values())

    def _analyse(self, samples: int) -> InterimAnalysis:
        codebooks = load_codebooks(load_briefs())
        baseline, candidate = (
            [card for _, card in side.score(samples, self.fetcher.ledger.read, codebooks)]
            for side in (self.sides.baseline, self.sides.candidate)
        )
        pairing = pair(baseline, candidate, paired_as=self.sides.candidate.paired_as)
        settings = self.sides.plan.params.compare
        confidence = interim_confidence(samples, settings.confidence)
        return InterimAnalysis(
            samples=samples,
            cells=len(self.sides.cells(samples)),
            unanswered=pairing.baseline_unanswered + pairing.candidate_unanswered,
            judgement=judge_overall(pairing, settings, confidence).judgement,
        )


def plan_lines(sides: SettleSides, missing: Sequence[Call], fetcher: Fetcher) -> list[str]:
    """The question, the planned interim analyses with the calls that each adds and their forecast,
    and what was paid before.
    """
    least = sides.plan.params.compare.min_difference
    question = f"Is {sides.candidate.name} better than {sides.baseline.name}?"
    lines = [f"{question} A difference below {least:g} does not matter."]
    for number, (before, samples) in enumerate(pairwise((0, *SAMPLES)), start=1):
        added = [call for call in missing if before < call.cell.sample <= samples]
        each = f"{counted(samples, 'sample')} each"
        cost = cost_line(fetcher.forecast(added))
        lines.append(f"Interim analysis {number}, {each}: adds {cost}.")
    lines.append(f"All interim analyses: {cost_line(fetcher.forecast(missing))}.")
    calls, usd = fetcher.ledger.paid_for(sides.purpose)
    paid = f"{counted(calls, 'answer')}, {money(usd)}"
    return [*lines, f"Paid for this question so far: {paid}."]


def analysis_line(settlement: Settlement) -> str:
    """The result of the last interim analysis; at least one was made."""
    last = settlement.analyses[-1]
    form = last.judgement.form.difference
    shown = [
        f"{name} {difference(test.difference.value)} "
        f"(interval {difference_interval(test.difference.low, test.difference.high)})"
        for name, test in last.judgement.tests.items()
        if test.difference.n
    ]
    return (
        f"interim analysis {len(settlement.analyses)} of {len(SAMPLES)}, "
        f"{counted(last.samples, 'sample')}: {', '.join(shown)}, "
        f"{counted(form.n, 'brief')}, "
        f"{last.unanswered} of {last.cells} answers missing: {last.judgement.verdict}"
    )


def closing_lines(settlement: Settlement, sides: SettleSides, fetcher: Fetcher) -> list[str]:
    """The verdict, its cost over all runs of the command, and the commands that record it."""
    analyses = settlement.analyses
    is_blind = analyses and analyses[-1].judgement.content is None
    blind = "; content was not looked at" if is_blind else ""
    calls, usd = fetcher.ledger.paid_for(sides.purpose)
    lines = [
        "",
        f"{settlement.verdict}: {sides.candidate.name} compared with {sides.baseline.name}{blind}",
        settlement.reason,
        f"{len(analyses)} of {len(SAMPLES)} interim analyses, "
        f"{counted(calls, 'call')}, {money(usd)}.",
    ]
    if settlement.verdict == "could not measure":
        return lines
    title = "To record both sides (calls only for missing answers) and compare them:"
    return [*lines, "", title, *_recording_commands(sides, analyses[-1].samples)]


def _recording_commands(sides: SettleSides, samples: int) -> Iterator[str]:
    """The commands that make an experiment of each prompt, with this number of samples."""
    runs: dict[str, list[str]] = {}
    for side in (sides.baseline, sides.candidate):
        models = [model.config.id for model in side.plan.models]
        runs.setdefault(shlex.quote(f"prompt={side.plan.prompt.path}"), []).extend(models)
    for prompt, models in runs.items():
        settings = f"'models=[{','.join(models)}]' generate.samples={samples}"
        yield f"  `graph-evaluator run {prompt} {settings}`"
