"""Settles a question in planned interim analyses. Each is the test of `compare`, on answers that
are scored in memory; together they share its error rate.
"""

import shlex
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from graph_evaluator.analysis.interval import INTERIM_SHARES, interim_confidence
from graph_evaluator.analysis.paired_test import Verdict
from graph_evaluator.briefs.asking import (
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
from graph_evaluator.generate.plan.cells import RunPlan, cells_with_answers
from graph_evaluator.generate.responses import response_of
from graph_evaluator.records.codebook import Codebook
from graph_evaluator.records.graph import DraftGraph, read
from graph_evaluator.records.response import Response
from graph_evaluator.records.scorecard import Scorecard
from graph_evaluator.score import Scorer
from graph_evaluator.shell.inputs import load_briefs, load_codebooks
from graph_evaluator.shell.numbers import counted, difference, difference_interval
from graph_evaluator.shell.text import COMMAND, visible

SAMPLES = tuple(INTERIM_SHARES)
"""Samples per cell at each interim analysis."""
_NOT_CALLED = {
    "budget_stopped": "The cost cap",
    "auth_failed": "A failure",
    "quota_exceeded": "A failure",
}
"""What ends a settlement, by the status of cells whose calls were not made."""


class SettleSide(NamedTuple):
    """One side: its name, and the run with all samples."""

    name: str
    plan: RunPlan


def joint_plan(baseline: RunPlan, candidate: RunPlan) -> RunPlan:
    """All that may be called: cell by cell of baseline and candidate in turns, the first samples
    first.
    """
    both = [cell for cells in zip(baseline.cells, candidate.cells, strict=True) for cell in cells]
    both.sort(key=lambda cell: cell.cell.sample)
    models = {model.config.id: model for model in (*baseline.models, *candidate.models)}
    return baseline._replace(models=tuple(models.values()), cells=tuple(both))


@dataclass(slots=True)
class Settling:
    """Settles a question with a fetcher of the joint plan. `coder` is the model that codes the
    labels of new answers, within the same budget; None: content counts where it is known without.

    `judgements` are those of the interim analyses so far, `verdict` and `reason` the result.
    """

    baseline: SettleSide
    candidate: SettleSide
    fetcher: Fetcher
    coder: PlannedModel | None
    judgements: list[Judgement] = field(default_factory=list)
    verdict: Verdict = "could not measure"
    reason: str = ""

    def plan_lines(self, missing: Sequence[Call]) -> list[str]:
        """The question, the planned interim analyses with the calls that each adds and their
        forecast, and what was paid before.
        """
        least = self.fetcher.plan.params.compare.min_difference
        question = f"Is {self.candidate.name} better than {self.baseline.name}?"
        lines = [f"{question} A difference below {least:g} does not matter."]
        for number, (before, samples) in enumerate(pairwise((0, *SAMPLES)), start=1):
            added = [call for call in missing if before < call.cell.sample <= samples]
            each = f"{counted(samples, 'sample')} each"
            cost = cost_line(self.fetcher.forecast(added))
            lines.append(f"Interim analysis {number}, {each}: adds {cost}.")
        lines.append(f"All interim analyses: {cost_line(self.fetcher.forecast(missing))}.")
        return [*lines, f"Paid for this question so far: {self.fetcher.paid('answer')}."]

    def settle(self) -> Iterator[str]:
        """Make one interim analysis after the other until the question is settled, or the cap or a
        failure ends that; a line for each.
        """
        for samples in SAMPLES:
            cells = [cell for cell in self.fetcher.plan.cells if cell.cell.sample <= samples]
            faults = list(self.fetcher.fetch(cells).values())
            faults += self._code(samples)
            stops = [fault for fault in faults if fault.status in _NOT_CALLED]
            if stops:
                self.reason = (
                    f"{_NOT_CALLED[stops[0].status]} ended interim analysis "
                    f"{len(self.judgements) + 1} ({visible(stops[0].message)}); the same command "
                    "continues."
                )
                return
            yield self._analyse(samples, len(cells))
            if self.verdict != "cannot tell":
                return

    def _code(self, samples: int) -> Sequence[Fault]:
        """Have the labels of valid graphs coded that have no code, twice, for briefs without exact
        names, and write to the codebooks what both answers agree on; why answers are missing.
        """
        if self.coder is None:
            return ()
        codebooks = load_codebooks(load_briefs())
        graphs: defaultdict[str, list[DraftGraph]] = defaultdict(list)
        for plan in (self.baseline.plan, self.candidate.plan):
            for response, card in self._score(plan, samples, {}):
                if card.structural_valid:
                    graph, _ = read(response.answer.graph)
                    graphs[response.cell.brief_id].append(graph)
        briefs = [brief for brief in self.fetcher.plan.briefs if not brief.expectations.exact_names]
        coding = LabelCoding(briefs, codebooks, graphs)
        cells = cells_asked(self.coder, CODING_INSTRUCTIONS, coding.requests, times=2)
        faults = self.fetcher.fetch(cells)
        if not faults:
            coding.write(answers_by_text(cells, self.fetcher.ledger), self.coder.config.id)
        return list(faults.values())

    def _score(
        self, plan: RunPlan, samples: int, codebooks: Mapping[str, Codebook]
    ) -> list[tuple[Response, Scorecard]]:
        """The responses of this number of samples per cell, each with its scorecard."""
        cells = [cell for cell in plan.cells if cell.cell.sample <= samples]
        answered = cells_with_answers(cells, self.fetcher.ledger.read)
        responses = [response_of(planned, {}) for planned in answered]
        scorer = Scorer(plan.params.score, plan.briefs, plan.prompt, codebooks=codebooks)
        return [(response, scorer.score(response)) for response in responses]

    def _analyse(self, samples: int, cells: int) -> str:
        """Judge this number of samples per cell, of `cells` together, by the rule of `compare`; the
        result as a line.
        """
        codebooks = load_codebooks(load_briefs())
        plans = self.baseline.plan, self.candidate.plan
        baseline, candidate = (
            [card for _, card in self._score(plan, samples, codebooks)] for plan in plans
        )
        is_of_models = plans[0].prompt.sha256 == plans[1].prompt.sha256
        pairing = pair(baseline, candidate, paired_as="both" if is_of_models else None)
        settings = self.fetcher.plan.params.compare
        confidence = interim_confidence(samples, settings.confidence)
        judgement = judge_overall(pairing, settings, confidence).judgement
        self.judgements.append(judgement)
        self.verdict, self.reason = judgement.verdict, judgement.reason
        shown = [
            f"{name} {difference(test.difference.value)} "
            f"(interval {difference_interval(test.difference.low, test.difference.high)})"
            for name, test in judgement.tests.items()
            if test.difference.n
        ]
        unanswered = pairing.baseline_unanswered + pairing.candidate_unanswered
        return (
            f"interim analysis {len(self.judgements)} of {len(SAMPLES)}, "
            f"{counted(samples, 'sample')}: {', '.join(shown)}, "
            f"{counted(judgement.form.difference.n, 'brief')}, "
            f"{unanswered} of {cells} answers missing: {judgement.verdict}"
        )

    def closing_lines(self) -> list[str]:
        """The verdict, its cost over all runs of the command, and the commands that record it."""
        number = len(self.judgements)
        is_blind = number and self.judgements[-1].content is None
        blind = "; content was not looked at" if is_blind else ""
        lines = [
            "",
            f"{self.verdict}: {self.candidate.name} compared with {self.baseline.name}{blind}",
            self.reason,
            f"{number} of {len(SAMPLES)} interim analyses, {self.fetcher.paid('call')}.",
        ]
        if self.verdict == "could not measure":
            return lines
        title = "To record both sides (calls only for missing answers) and compare them:"
        return [*lines, "", title, *self._recording_commands(SAMPLES[number - 1])]

    def _recording_commands(self, samples: int) -> Iterator[str]:
        """The commands that make an experiment of each prompt, with this number of samples."""
        runs: dict[str, list[str]] = {}
        for plan in (self.baseline.plan, self.candidate.plan):
            models = [model.config.id for model in plan.models]
            runs.setdefault(shlex.quote(f"prompt={plan.prompt.path}"), []).extend(models)
        for prompt, models in runs.items():
            settings = f"'models=[{','.join(models)}]' generate.samples={samples}"
            yield f"{COMMAND}run {prompt} {settings}"
