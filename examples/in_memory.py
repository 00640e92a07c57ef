"""Generate, score and compare in memory, with a fake call in place of a network: `python -m examples.in_memory`."""

import asyncio
import json

from graph_evaluator.compare.comparison import Comparison, compare
from graph_evaluator.compare.sides import ComparedSide
from graph_evaluator.generate import Call, Reply, generate
from graph_evaluator.records.model_config import ModelConfig
from graph_evaluator.records.params import CompareParams, ScoringRules
from graph_evaluator.score import Scorer
from graph_evaluator.shell.inputs import load_briefs, load_prompt

MODEL = ModelConfig(
    id="fake", display_name="Fake", provider="openai", model="fake", target_mode="fast"
)
PROMPT = load_prompt("prompts/draft_graph_v21.txt").text
EXAMPLE = PROMPT.split("<example_graph>")[1].split("</example_graph>")[0]


async def call(asked: Call) -> Reply:
    """What a model might say: a graph to a careful prompt, an apology to any other."""
    text = EXAMPLE if "careful" in asked.instructions else "I am sorry."
    body = {"output": [{"type": "message", "content": [{"type": "output_text", "text": text}]}]}
    return Reply(body=json.dumps(body), latency_ms=1.0, created_at="2026-01-01T00:00:00Z")


def side(prompt: str) -> ComparedSide:
    """Every brief drafted with a prompt, and scored."""
    briefs = load_briefs()
    made = asyncio.run(generate(prompt, [MODEL], briefs, call=call))
    scorer = Scorer(ScoringRules(fidelity=()), briefs)
    cells = (scorer.score(one) for one in made.responses)
    return ComparedSide(name=prompt, revision=None, run=made.run, cells=tuple(cells))


def main() -> Comparison:
    """Which of two prompts is better, and why."""
    return compare(
        side("Draft a graph."), side("Draft a careful graph."), CompareParams.model_validate({})
    )


if __name__ == "__main__":
    print(main().reason)
