"""Get answers, score and compare in memory, with a fake call instead of a network: `python -m examples.in_memory`."""

import asyncio
import json

from graph_evaluator.compare.pairs import pair
from graph_evaluator.compare.verdict import ModelComparison, judge_overall
from graph_evaluator.generate import Call, Reply, fetch
from graph_evaluator.records.model_config import ModelConfig
from graph_evaluator.records.params import CompareParams, ScoringRules
from graph_evaluator.records.scorecard import Scorecard
from graph_evaluator.score import Scorer
from graph_evaluator.shell.inputs import load_briefs, load_prompt

MODEL = ModelConfig(
    id="fake", display_name="Fake", provider="openai", model="fake", target_mode="fast"
)
PROMPT = load_prompt("prompts/draft_graph_v21.txt").text
EXAMPLE = PROMPT.split("<example_graph>")[1].split("</example_graph>")[0]


async def call(asked: Call) -> Reply:
    """What a model might say: a graph to a careful prompt, an apology to any other."""
    text = EXAMPLE if "careful" in asked.prompt.text else "I am sorry."
    body = {"output": [{"type": "message", "content": [{"type": "output_text", "text": text}]}]}
    return Reply(body=json.dumps(body), latency_ms=1.0, created_at="2026-01-01T00:00:00Z")


def scorecards(prompt: str) -> list[Scorecard]:
    """Every brief drafted with a prompt, and scored."""
    briefs = load_briefs()
    responses = asyncio.run(fetch(prompt, [MODEL], briefs, call=call))
    scorer = Scorer(ScoringRules(fidelity=()), briefs)
    return [scorer.score(response) for response in responses]


def main() -> ModelComparison:
    """Which of two prompts is better, and why."""
    pairing = pair(scorecards("Draft a graph."), scorecards("Draft a careful graph."))
    return judge_overall(pairing, CompareParams.model_validate({}))


if __name__ == "__main__":
    judgement = main().judgement
    print(f"{judgement.verdict}: {judgement.reason}")
