"""Generation as a library: everything in memory, with a call that is passed in; no files, no environment, no ledger."""

import asyncio
import hashlib
from collections.abc import Collection, Mapping, Sequence

import msgspec

from stages.contracts.brief import Brief
from stages.contracts.json_text import JsonValue
from stages.contracts.model_config import ModelConfig
from stages.contracts.params import GenerateParams, RuntimeParams
from stages.contracts.response import Response
from stages.contracts.run import TOOL_VERSION, PromptRef, Run
from stages.generate.answers.conclusion import Conclusion
from stages.generate.answers.manifest import manifest
from stages.generate.call import Answer, Call
from stages.generate.caller import Caller, Result, Store
from stages.generate.campaign import fetch
from stages.generate.cost.costing import Costing
from stages.generate.cost.forecaster import Forecaster
from stages.generate.ledger.row import LedgerRow, answer_of
from stages.generate.pace.runner import run
from stages.generate.plan.cell_plan import plan_cells
from stages.generate.plan.endpoint import endpoint_of


class Generated(msgspec.Struct, frozen=True):
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
    """Send every brief to every model through `call`, as `python -m stages.generate` does, retries and limits included.

    Args:
        prompt: The system prompt's text.
        models: Model configs; their ids differ.
        briefs: Briefs; their ids differ.
        call: Makes one call, or raises `CallFailed`.
        prompt_name: What the manifest calls the prompt.
        settings: Samples, round, draws; one of each when left out.
        runtime: Concurrency, deadlines, budget; the defaults of `params.yaml` when left out.
        schema: The draft graph's JSON Schema, for models whose `response_format` is `json_schema`.
    """
    settings = settings or GenerateParams.model_validate({})
    runtime = runtime or RuntimeParams.model_validate({})
    ref = PromptRef(path=prompt_name, sha256=hashlib.sha256(prompt.encode("utf-8")).hexdigest())
    called = [(config, endpoint_of(config, {})) for config in models]
    cells = plan_cells(called, briefs, settings, instructions=prompt, instructions_sha256=ref.sha256, schema=schema)
    costing = Costing(lambda _config, _endpoint: None)
    forecaster = Forecaster(runtime, costing, lambda _model: [], len, today="1970-01-01")
    memory = Memory()
    clock = asyncio.get_running_loop().time

    async def run_calls(calls: Sequence[Call], store: Store) -> Mapping[str, Result]:
        return await run(
            calls,
            call=call,
            store=store,
            price=lambda _call, _body: None,
            settings=runtime,
            clock=clock,
            sleep=asyncio.sleep,
            draw=lambda: 0.5,
        )

    fetched = await fetch(
        cells,
        ledger=memory,
        claims=memory,
        call_of=forecaster.call,
        run_calls=run_calls,
        sleep=asyncio.sleep,
        waiting=lambda _count: None,
    )
    made = manifest(ref, called, briefs, settings, git_sha=None, tool_version=TOOL_VERSION)
    return Generated(made, tuple(Conclusion(fetched, costing).responses(cells, memory)))


class Memory:
    """A ledger that forgets everything at the end, and whose every answer is free to fetch."""

    def __init__(self) -> None:
        self._answers: dict[str, Answer] = {}

    async def put(self, row: LedgerRow, /) -> None:
        """Keep an answer."""
        found = answer_of(msgspec.structs.astuple(row))
        if found is not None:
            self._answers[row.fingerprint] = found[0]

    def present(self, fingerprints: Sequence[str], /) -> frozenset[str]:
        """Which of these have an answer."""
        return frozenset(fingerprints) & self._answers.keys()

    def read(self, fingerprints: Sequence[str], /) -> dict[str, Answer]:
        """The answers to these, where there are any."""
        return {key: self._answers[key] for key in fingerprints if key in self._answers}

    def take(self, fingerprints: Sequence[str], /) -> Collection[str]:
        """Everything: nobody else is there."""
        return fingerprints

    def give_back(self, fingerprints: Sequence[str], /) -> None:
        """Nothing to give back."""
