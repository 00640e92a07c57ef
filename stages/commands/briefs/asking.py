"""Adapter: a model that is asked each question twice, within a cap."""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from stages.commands.settle.sides import problems_of_model
from stages.generate.capped_answers import CappedAnswers, check_calls, purpose_of
from stages.generate.forecast import Forecaster, cost_line
from stages.generate.inputs import load_changed_plans
from stages.generate.ledger.store import Ledger
from stages.generate.missing import ledger_to_read
from stages.generate.plan.cells import PlannedCell, RunPlan, text_cell
from stages.generate.plan.work import needed
from stages.shared.records.brief import Brief
from stages.shared.records.errors import InputError
from stages.shared.records.params import Params
from stages.shared.shell import environment, numbers
from stages.shared.shell.text import visible

ANSWERS = 2


@dataclass(frozen=True, slots=True)
class Asked:
    """The two answers to each question that has both, and why another has not; what all runs of
    the command paid.
    """

    answers: Mapping[str, tuple[str, ...]]
    failure: str | None
    calls: int
    usd: float


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions about briefs to one model, with the instructions that all of them share."""

    plan: RunPlan
    variables: Mapping[str, str]
    cells: Mapping[str, tuple[PlannedCell, ...]]

    @property
    def all_cells(self) -> list[PlannedCell]:
        """The cells of both answers to all questions."""
        return [cell for cells in self.cells.values() for cell in cells]

    def forecast(self) -> str:
        """How many calls are missing, and what they cost."""
        with ledger_to_read(replace(self.plan, cells=())) as (ledger, _):
            missing = needed(self.all_cells, ledger)
            cost = cost_line(Forecaster(ledger.output_tokens).total(missing))
        return f"{numbers.counted(len(missing), 'call')}: {cost}"

    def ask(self, max_usd: float | None) -> Asked:
        """Make the calls that are missing; answers that were paid for are never called again.

        Raises:
            InputError: a key or a price is missing.
        """
        with Ledger(environment.ledger_folder()) as ledger:
            cells = self.all_cells
            check_calls(needed(cells, ledger), self.variables)
            runtime = self.plan.params.runtime
            purpose = purpose_of("briefs", self.plan)
            answers = CappedAnswers.within(max_usd, purpose, runtime, ledger, self.variables)
            faults = list(answers.fetch(cells).values())
            stored = ledger.read([call for cell in cells for call in cell.calls])
            calls, usd = answers.paid()
        texts: dict[str, tuple[str, ...]] = {}
        for question, of_question in self.cells.items():
            keys = [cell.fingerprints[0] for cell in of_question]
            if all(key in stored for key in keys):
                texts[question] = tuple(stored[key].raw_text or "" for key in keys)
        failure = visible(f"{faults[0].status}: {faults[0].message}") if faults else None
        return Asked(texts, failure, calls, usd)


def plan_questions(
    options: Namespace,
    params: Params,
    briefs: Sequence[Brief],
    instructions: str,
    questions: Sequence[str],
) -> Questions:
    """What is asked of the model that `--by` names; InputError where there is no such model."""
    variables = environment.variables()
    direct = {"runtime": params.runtime.model_copy(update={"mode": "direct"})}
    changed = params.model_copy(update=direct)
    (plan,) = load_changed_plans(changed, [{"--by": (options.by,)}], 1, variables)
    problems = list(problems_of_model("--by", options.by, plan))
    if problems:
        raise InputError(problems)
    (model,) = plan.models
    cells = {
        question: tuple(
            text_cell(model, instructions, question, number + 1) for number in range(ANSWERS)
        )
        for question in questions
    }
    return Questions(replace(plan, briefs=tuple(briefs)), variables, cells)
