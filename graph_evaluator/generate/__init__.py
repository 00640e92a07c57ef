"""Send every brief to every model, keep every answer, and write a response for each cell.

The modules are layers. Each imports only from those before it: `replies`, `apis`, `prices`,
`plan`, `answers`, `recorded`, `ledger`, `calls`, `cap_options`, `batch`, `forecast`, `responses`,
`adoption`, `fetching`. `__main__` is the command. As a library, `fetch` gets answers in memory, by
a call that is passed in.
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field

from graph_evaluator.generate.calls.booking import Budget, Intake
from graph_evaluator.generate.calls.outcome import Caller, CallFailed, Fault, Reply
from graph_evaluator.generate.calls.runner import CallRunner
from graph_evaluator.generate.plan.call import Call, endpoint_of, plan_model
from graph_evaluator.generate.plan.cells import next_calls, plan_cells
from graph_evaluator.generate.responses import response_of
from graph_evaluator.records.brief import Brief, Prompt
from graph_evaluator.records.json_text import JsonObject
from graph_evaluator.records.model_config import ModelConfig
from graph_evaluator.records.params import GenerateParams, RuntimeParams
from graph_evaluator.records.response import Answer, Response

__all__ = ["Call", "CallFailed", "Fault", "Reply", "fetch"]

NO_DAY = datetime.date(1970, 1, 1)
"""Published prices, which depend on the day, are not used here."""


async def fetch(
    prompt: str,
    models: Sequence[ModelConfig],
    briefs: Sequence[Brief],
    *,
    call: Caller,
    settings: GenerateParams | None = None,
    runtime: RuntimeParams | None = None,
    schema: JsonObject | None = None,
) -> list[Response]:
    """Send every brief to every model through `call`, with the retries and limits of
    `graph-evaluator generate`; the response of every cell by model, brief and sample.

    `prompt` is the text of the system prompt; ids of models differ, and those of briefs. No model
    is recorded. `settings` and `runtime` are the sections `generate` and `runtime` of
    `params.yaml`, `schema` is for `response_format: json_schema`. Nothing is read or written.
    """
    settings = settings or GenerateParams.model_validate({})
    runtime = runtime or RuntimeParams.model_validate({})
    planned = [
        plan_model(
            config, endpoint_of(config, {}), runtime, schema=schema, published=None, today=NO_DAY
        )
        for config in models
    ]
    cells = plan_cells(planned, Prompt("prompt", prompt), briefs, settings)
    memory = Memory()
    intake = Intake(
        budget=Budget(runtime.max_cost_usd),
        keep=memory.keep,
        cells={cell.fingerprints[0]: cell for cell in reversed(cells)},
    )
    runner = CallRunner(
        callers={model.endpoint: call for model in planned},
        intake=intake,
        settings=runtime,
        jitter=lambda: 0.5,
        max_in_flight=runtime.max_concurrency,
    )
    await runner.run(next_calls(cells))
    return [response_of(cell.with_answers(memory.answers), intake.failures) for cell in cells]


@dataclass
class Memory:
    """Keeps answers in memory, by fingerprint."""

    answers: dict[str, Answer] = field(default_factory=dict)

    async def keep(self, call: Call, answer: Answer, _booked_usd: float | None) -> None:
        """Keep an answer."""
        self.answers[call.fingerprint] = answer
