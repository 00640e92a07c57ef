"""Send every brief to every model, keep every answer, and write a response for each cell.

These are layers, each of which imports only from those before it: `finish_reasons`, `apis`,
`prices`, `plan`, `answers`, `ledger`, `calls`, `batch`, `forecast`, `responses`. `__main__` is the
command, `pipeline` makes its calls. As a library, `generate` does the same in memory, with a call that is
passed in.
"""

import datetime
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from graph_evaluator.generate.calls.faults import Caller, CallFailed, Fault, Reply
from graph_evaluator.generate.calls.runner import CallRunner
from graph_evaluator.generate.calls.work import Budget, Work
from graph_evaluator.generate.plan.call import Call, PlannedModel, endpoint_of, plan_model
from graph_evaluator.generate.plan.cells import CellWork, plan_cells
from graph_evaluator.generate.responses import manifest, responses_of
from graph_evaluator.records.brief import Brief, Prompt
from graph_evaluator.records.errors import InputError, Problem
from graph_evaluator.records.json_text import JsonValue
from graph_evaluator.records.model_config import ModelConfig
from graph_evaluator.records.params import GenerateParams, RuntimeParams
from graph_evaluator.records.response import Answer, Response, Run

__all__ = ["Call", "CallFailed", "Fault", "Generated", "Reply", "generate"]

NO_DAY = datetime.date(1970, 1, 1)
"""Published prices, which depend on the day, are not used here."""


@dataclass(frozen=True, slots=True)
class Generated:
    """The manifest of a run, and the response of every cell by model, brief and sample."""

    run: Run
    responses: tuple[Response, ...]


async def generate(
    prompt: str,
    models: Sequence[ModelConfig],
    briefs: Sequence[Brief],
    *,
    call: Caller,
    prompt_name: str = "prompt.txt",
    settings: GenerateParams | None = None,
    runtime: RuntimeParams | None = None,
    schema: dict[str, JsonValue] | None = None,
) -> Generated:
    """Send every brief to every model through `call`, as `graph-evaluator generate` does, retries
    and limits included.

    `prompt` is the system prompt's text, `prompt_name` its name in the manifest; ids of models
    differ, and those of briefs. `settings` and `runtime` are the sections `generate` and `runtime`
    of `params.yaml`. `schema` is for `response_format: json_schema`.
    """
    settings = settings or GenerateParams.model_validate({})
    runtime = runtime or RuntimeParams.model_validate({})
    prompt_sha256 = hashlib.sha256(prompt.encode("utf-8")).hexdigest()
    sent_prompt = Prompt(path=prompt_name, text=prompt, sha256=prompt_sha256)
    planned_models: list[PlannedModel] = []
    for config in models:
        if config.provider == "recorded":
            message = "is recorded, and only models that can be called are generated with"
            raise InputError([Problem(config.id, "provider", message)])
        endpoint = endpoint_of(config, {})
        model = plan_model(config, endpoint, runtime, schema=schema, published=None, today=NO_DAY)
        planned_models.append(model)
    cells = plan_cells(planned_models, sent_prompt, briefs, settings)
    work = WorkInMemory(budget=Budget(runtime.max_cost_usd))
    work.cells = CellWork(cells, work)
    runner = CallRunner(
        callers={model.endpoint: call for model in planned_models},
        work=work,
        settings=runtime,
        draw=lambda: 0.5,
    )
    await runner.run(work.cells.next_calls())
    responses = responses_of(cells, work, work.failures)
    run_manifest = manifest(sent_prompt, planned_models, briefs, settings)
    return Generated(run_manifest, tuple(responses))


@dataclass(kw_only=True)
class WorkInMemory(Work):
    """Cells whose answers are kept in memory, by fingerprint."""

    cells: CellWork = field(init=False)
    answers: dict[str, Answer] = field(default_factory=dict)

    async def keep(self, call: Call, answer: Answer, _cost_usd: float | None) -> None:
        """Keep an answer."""
        self.answers[call.fingerprint] = answer

    def go_on(self, call: Call, answer: Answer) -> Call | None:
        """The next draw of the cell that an answer is of; None where none is needed."""
        return self.cells.state_after(call, answer).following

    def present(self, fingerprints: Sequence[str], /) -> frozenset[str]:
        """The fingerprints that have an answer."""
        return frozenset(fingerprints) & self.answers.keys()

    def read(self, calls: Sequence[Call], /) -> dict[str, Answer]:
        """The answers to calls by fingerprint, where there are any."""
        keys = [call.fingerprint for call in calls]
        return {key: self.answers[key] for key in keys if key in self.answers}
