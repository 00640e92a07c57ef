"""`graph-evaluator settle --prompt A --prompt B --max-usd 5`: finds out which prompt or model is
better with as few calls as the question needs.

It makes planned interim analyses. Each is the test of `compare`, on answers that are scored in
memory; together they share its error rate.
"""

import argparse
import shlex
import sys
from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from graph_evaluator.analysis.interval import INTERIM_SHARES, interim_confidence
from graph_evaluator.analysis.paired_test import MIN_BRIEFS, Verdict
from graph_evaluator.briefs.asking import (
    CODING_INSTRUCTIONS,
    LabelCoding,
    answers_by_text,
    cells_asked,
)
from graph_evaluator.compare.pairs import pair
from graph_evaluator.compare.verdict import EXIT_CODES, Judgement, judge_overall
from graph_evaluator.generate.calls.outcome import Fault
from graph_evaluator.generate.cap_options import (
    add_cap,
    budget_of,
    problems_of_cap,
    problems_of_model,
)
from graph_evaluator.generate.fetching import Fetcher, open_fetcher
from graph_evaluator.generate.forecast import cost_line
from graph_evaluator.generate.plan.call import Call, PlannedModel, Variables
from graph_evaluator.generate.plan.cells import RunPlan, cells_with_answers
from graph_evaluator.generate.plan.loading import Changes, load_changed_plans
from graph_evaluator.generate.responses import response_of
from graph_evaluator.records.errors import Problem, refuse
from graph_evaluator.records.graph import DraftGraph, read
from graph_evaluator.records.params import Params
from graph_evaluator.records.response import Response
from graph_evaluator.records.scorecard import Scorecard
from graph_evaluator.score import Scorer
from graph_evaluator.shell.command import command_parser, run, show
from graph_evaluator.shell.inputs import load_briefs, load_codebooks, load_params
from graph_evaluator.shell.numbers import counted, difference, difference_interval
from graph_evaluator.shell.paths import environment_variables
from graph_evaluator.shell.text import COMMAND, visible

SAMPLES = tuple(INTERIM_SHARES)
"""Samples per cell at each interim analysis."""
_NOT_CALLED = {
    "budget_stopped": "The cost cap",
    "auth_failed": "A failure",
    "quota_exceeded": "A failure",
}
"""What ends a settlement, by the status of cells whose calls were not made."""
_INTRODUCTION = """\
When to use it: you want to know whether prompt B is better than prompt A, or model B than model \
A, with as few calls as the question needs.
It calls some samples of both, compares them, and continues only while the question is open."""
_EXAMPLES = (
    "--prompt prompts/a.txt --prompt prompts/b.txt --dry-run",
    "--models gpt-4.1 gpt-4.1-mini --max-usd 5",
)
_NOTES = """\

exit codes: those of compare (0 better, no meaningful difference or unchanged; 1 worse; 3 mixed or \
cannot tell; 4 could not measure; 2 wrong input), 130 after Ctrl-C. The same command continues: no \
answer is paid for twice."""


def main() -> int:
    """Plan, then make one interim analysis after the other until the question is settled; the exit
    code states the verdict.
    """
    options = _parser().parse_args(sys.argv[1:])
    refuse(_problems(options))
    params, variables = load_params(), environment_variables()
    sides, coder = load_sides(options, params, variables)
    plan = joint_plan(*sides.values())
    budget = budget_of("settle", options, plan, *(side.prompt for side in sides.values()))
    with open_fetcher(plan, variables, budget, read_only=options.dry_run) as fetcher:
        settling = Settling(sides, fetcher, coder)
        missing = fetcher.missing()
        show("\n".join(settling.plan_lines(missing)))
        if options.dry_run:
            return 0
        fetcher.announce(missing)
        for line in settling.settle():
            show(line)
        show("\n".join(settling.closing_lines()))
    return EXIT_CODES[settling.verdict]


def load_sides(
    options: Namespace, params: Params, variables: Variables
) -> tuple[dict[str, RunPlan], PlannedModel | None]:
    """The runs with all samples of baseline and candidate, by their names on the command line, and
    the coder; every problem of theirs is reported at once.
    """
    changes: list[Changes] = [{"prompt": path} for path in options.prompt]
    if options.models:
        prompt = changes[0] if changes else {}
        changes = [{**prompt, "models": (model,)} for model in options.models]
    plans = load_changed_plans(params, changes, SAMPLES[-1], variables)
    coding = [{"models": (options.coder,)}] if options.coder else []
    coders = load_changed_plans(params, coding, 1, variables)
    problems = list(_problems_of_plans(options, *plans))
    for plan in coders:
        problems += problems_of_model("--coder", options.coder, plan)
    refuse(problems)
    sides = dict(zip(options.models or options.prompt, plans, strict=True))
    return sides, coders[0].models[0] if coders else None


def _problems_of_plans(
    options: Namespace, baseline: RunPlan, candidate: RunPlan
) -> Iterator[Problem]:
    if len(baseline.briefs) < MIN_BRIEFS:
        message = f"selects {len(baseline.briefs)}, and a verdict requires {MIN_BRIEFS}"
        yield Problem("params.yaml", "briefs", message)
    for name, plan in zip(options.models or (), (baseline, candidate), strict=False):
        yield from problems_of_model("--models", name, plan)
    if not options.models and baseline.prompt.sha256 == candidate.prompt.sha256:
        prompts = f"{baseline.prompt.path} and {candidate.prompt.path}"
        message = f"{prompts} have the same text: there is nothing to settle"
        yield Problem("command line", "--prompt", message)


def _parser() -> argparse.ArgumentParser:
    parser = command_parser("settle", _INTRODUCTION, *_EXAMPLES, notes=_NOTES)
    parser.allow_abbrev = False
    add = parser.add_argument
    prompt = "give it twice: A (baseline), then B (candidate)"
    add("--prompt", action="append", default=[], metavar="PATH", help=prompt)
    models = "two models with the same prompt (--prompt, else that of params.yaml)"
    add("--models", nargs=2, metavar=("A", "B"), help=models)
    coder = "a model that codes the labels of new answers, within the same cap"
    add("--coder", metavar="MODEL", help=coder)
    add_cap(parser)
    return parser


def _problems(options: Namespace) -> Iterator[Problem]:
    if options.models is None and len(options.prompt) != 2:
        count = counted(len(options.prompt), "time")
        message = f"is given {count}: give it twice, or give --models A B"
        yield Problem("command line", "--prompt", message)
    if options.models and len(options.prompt) > 1:
        message = "can be given only once with --models: one question at a time"
        yield Problem("command line", "--prompt", message)
    if options.models and len(set(options.models)) == 1:
        message = f"both are {options.models[0]}: there is nothing to settle"
        yield Problem("command line", "--models", message)
    yield from problems_of_cap(options)


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
    """Settles a question with a fetcher of the joint plan. `sides` are baseline and candidate by
    their names. `coder` is the model that codes the labels of new answers, within the same budget;
    None: content counts where it is known without.

    `judgements` are those of the interim analyses so far, `verdict` and `reason` the result.
    """

    sides: Mapping[str, RunPlan]
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
        baseline, candidate = self.sides
        question = f"Is {candidate} better than {baseline}?"
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
        for plan in self.sides.values():
            for response, card in self._score(plan, samples):
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

    def _score(self, plan: RunPlan, samples: int) -> list[tuple[Response, Scorecard]]:
        """The responses of this number of samples per cell, each with its scorecard by the present
        codebooks.
        """
        codebooks = load_codebooks(load_briefs())
        cells = [cell for cell in plan.cells if cell.cell.sample <= samples]
        answered = cells_with_answers(cells, self.fetcher.ledger.read)
        responses = [response_of(planned, {}) for planned in answered]
        scorer = Scorer(plan.params.score, plan.briefs, plan.prompt, codebooks=codebooks)
        return [(response, scorer.score(response)) for response in responses]

    def _analyse(self, samples: int, cells: int) -> str:
        """Judge this number of samples per cell, of `cells` together, by the rule of `compare`; the
        result as a line.
        """
        plans = self.sides.values()
        baseline, candidate = ([card for _, card in self._score(plan, samples)] for plan in plans)
        is_of_models = len({plan.prompt.sha256 for plan in plans}) == 1
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
        baseline, candidate = self.sides
        number = len(self.judgements)
        is_blind = number and self.judgements[-1].content is None
        blind = "; content was not looked at" if is_blind else ""
        lines = [
            "",
            f"{self.verdict}: {candidate} compared with {baseline}{blind}",
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
        for plan in self.sides.values():
            models = [model.config.id for model in plan.models]
            runs.setdefault(shlex.quote(f"prompt={plan.prompt.path}"), []).extend(models)
        for prompt, models in runs.items():
            settings = f"'models=[{','.join(models)}]' generate.samples={samples}"
            yield f"{COMMAND}run {prompt} {settings}"


if __name__ == "__main__":
    run(main)
