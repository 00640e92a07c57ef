"""A policy in production: `python -m examples.production POLICY BRIEF` prints the graph that counts."""

import asyncio
import json
import sys

import httpx2
from openai import AsyncOpenAI, OpenAIError

from stages.contracts.brief import Brief
from stages.contracts.json_text import JsonObject, pretty
from stages.contracts.params import GenerateParams, RuntimeParams
from stages.contracts.policy import PolicySteps
from stages.contracts.response import Response
from stages.generate import Call, CallFailed, Fault, RepairRules, Reply, generate
from stages.score import Scorer
from stages.shell import inputs, paths

SCHEMA: JsonObject = json.loads(paths.DRAFT_SCHEMA.read_bytes())


async def run_policy(policy: PolicySteps, brief: Brief, client: AsyncOpenAI) -> Response:
    """The answer that counts: the first that is accepted, else the last."""
    params = inputs.load_params()
    prompt = inputs.load_prompt(params.prompt)
    configs = {config.id: config for config in inputs.load_models(policy.models)}
    scorer = Scorer(params.score, [brief], prompt)
    rules = RepairRules(paths.REPAIR_TEMPLATE.read_text("utf-8"), params.score.limits)

    async def call(asked: Call) -> Reply:
        path = asked.endpoint.api_kind.path
        try:  # the client tries again by itself
            answer = await client.post(path, body=asked.body(), cast_to=httpx2.Response)
        except OpenAIError as error:
            fault = Fault(status="connection_failed", code="failed", message=type(error).__name__)
            raise CallFailed(fault) from error
        return Reply(body=answer.text, latency_ms=0.0, created_at="", endpoint="")

    for step in policy.steps:
        for calls in step.rounds:
            drawn = await generate(
                prompt.text, [configs[step.model]], [brief], call=call, schema=SCHEMA,
                settings=GenerateParams(samples=calls, repair=int(step.repair)),
                runtime=RuntimeParams(max_attempts=1), repair=rules if step.repair else None,
            )  # fmt: skip
            scored = [(scorer.score(response), response) for response in drawn.responses]
            card, best = max(scored, key=lambda pair: (pair[0].usable, pair[0].expected_score or 0))
            if policy.accepts(card.usable, card.expected_score or 0.0):
                return best
    return best


if __name__ == "__main__":
    known_models = [config.id for config in inputs.load_models()]
    (chosen,) = inputs.load_policies([sys.argv[1]], known_models).policies
    (asked,) = inputs.load_briefs([sys.argv[2]])
    counted = asyncio.run(run_policy(chosen, asked, AsyncOpenAI()))
    print(pretty(counted.parsed_graph).decode())
