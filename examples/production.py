"""A policy in production: `python -m examples.production POLICY BRIEF` prints the graph that counts."""

import argparse
import asyncio
import json

from httpx2 import Response as Http
from openai import AsyncOpenAI, OpenAIError

from stages.contracts.brief import Brief
from stages.contracts.json_text import pretty
from stages.contracts.params import GenerateParams, RuntimeParams
from stages.contracts.policy import PolicySteps
from stages.contracts.response import Response
from stages.generate import Call, CallFailed, Fault, RepairRules, Reply, generate
from stages.score import Scorer
from stages.shell import inputs, paths


async def run_policy(policy: PolicySteps, brief: Brief, client: AsyncOpenAI) -> Response:
    """The answer that counts: the first that is accepted, else the last."""
    params = inputs.load_params()
    prompt = inputs.load_prompt(params.prompt)
    schema = json.loads(paths.DRAFT_SCHEMA.read_bytes())
    scorer = Scorer(params.score, [brief], prompt)
    rules = RepairRules(paths.REPAIR_TEMPLATE.read_text("utf-8"), params.score.limits)

    async def call(asked: Call) -> Reply:
        try:  # the client tries again by itself
            reply = await client.post(asked.endpoint.api_kind.path, body=asked.body(), cast_to=Http)
        except OpenAIError as error:
            fault = Fault(status="connection_failed", code="failed", message=type(error).__name__)
            raise CallFailed(fault) from error
        return Reply(body=reply.text, latency_ms=0.0, created_at="", endpoint="")

    for step in policy.steps:
        for calls in step.rounds:
            drawn = await generate(
                prompt.text, inputs.load_models([step.model]), [brief], call=call, schema=schema,
                settings=GenerateParams(samples=calls, repair=int(step.repair)),
                runtime=RuntimeParams(max_attempts=1), repair=rules if step.repair else None,
            )  # fmt: skip
            scored = [(scorer.score(response), response) for response in drawn.responses]
            card, best = max(scored, key=lambda pair: (pair[0].usable, pair[0].expected_score or 0))
            if policy.accepts(card.usable, card.expected_score or 0.0):
                return best
    return best


if __name__ == "__main__":
    models = [config.id for config in inputs.load_models()]
    policies = {policy.id: policy for policy in inputs.load_policies(["*"], models).policies}
    briefs = {brief.id: brief for brief in inputs.load_briefs()}
    parser = argparse.ArgumentParser(prog="python -m examples.production")
    parser.add_argument("policy", choices=policies, metavar="POLICY")
    parser.add_argument("brief", choices=briefs, metavar="BRIEF")
    asked = parser.parse_args()
    counted = asyncio.run(run_policy(policies[asked.policy], briefs[asked.brief], AsyncOpenAI()))
    print(pretty(counted.parsed_graph).decode())
