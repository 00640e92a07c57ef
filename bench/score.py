"""`python -m bench score`: how fast answers become scorecards, and what the stage needs for a folder of stored responses.

Measured is the library's own path: from the raw text of an answer over extraction, reading and all rules to the line of the
scorecard with its evidence and sentences.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import yaml

from bench.draft_graphs import answer_text, draft_graph
from bench.figure import Figure, figure
from bench.measure import measure
from graph_evaluator.generate.answers import extract
from graph_evaluator.records.brief import Brief, Prompt, parse_brief
from graph_evaluator.records.json_text import canonical, line
from graph_evaluator.records.params import ScoringRules
from graph_evaluator.records.response import Answer, Cell, Response
from graph_evaluator.score import Scorer

TARGET = 1_000
"""Answers of 12 nodes per second and core, without fidelity checks."""
TARGET_WITH_CHECKS = 480
DISTINCT = 400
"""How many different answers take turns."""
REPOSITORY = Path(__file__).resolve().parent.parent


def figures() -> list[Figure]:
    """12 nodes per second of CPU, from raw text to the line, and 10,000 stored responses."""
    rates = [scoring_rate(12, 2.0) for _ in range(3)]
    checked = [scoring_rate(12, 2.0, checks=True) for _ in range(3)]
    walls, memory = zip(*(end_to_end(10_000) for _ in range(2)), strict=True)
    return [
        figure("12 nodes: scored per second and core", rates, "/s", target=TARGET, at_least=True),
        figure("... with fidelity checks", checked, "/s", target=TARGET_WITH_CHECKS, at_least=True),
        figure("10,000 stored responses: wall", walls, "s", target=20),
        figure("... memory", memory, "MiB", target=400),
    ]


def scoring_rate(nodes: int, seconds: float, *, checks: bool = False) -> float:
    """How many answers of so many nodes become scorecard lines per second of CPU, in this process.

    `checks` adds the fidelity checks, against a brief and a prompt of the repository.
    """
    texts = [answer_text(nodes, seed) for seed in range(DISTINCT)]
    scorer = Scorer(ScoringRules(), *_subject() if checks else ())
    cell = Cell("model", "brief", 1)
    done, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        for text in texts:
            answer = Answer(status="success", graph=extract(text)[0])
            line(scorer.score(Response(cell=cell, answer=answer)).to_json())
        done += len(texts)
    return done / (time.process_time() - start)


def _subject() -> tuple[list[Brief], Prompt]:
    brief = (REPOSITORY / "briefs/02-pricing-saas-tiers.md").read_text(encoding="utf-8")
    prompt = (REPOSITORY / "prompts/draft_graph_v21.txt").read_text(encoding="utf-8")
    return [parse_brief("brief", brief, file="brief")], Prompt(path="prompt", text=prompt)


def end_to_end(responses: int) -> tuple[float, float]:
    """Score so many stored responses of 12 nodes as `dvc repro` would: wall seconds, and the most MiB of any process."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _store(folder, responses)
        cost = measure(
            [sys.executable, "-m", "graph_evaluator", "score"],
            cwd=folder,
            env={"PYTHONPATH": str(REPOSITORY)},
        )
        lines = sum(1 for _ in (folder / "results/scorecards.jsonl").open("rb"))
    if lines != responses:
        raise RuntimeError(f"{responses} responses gave {lines} scorecards")
    return cost.wall_s, cost.rss_mib


def _store(folder: Path, responses: int) -> None:
    (folder / "briefs").mkdir()
    briefs = [f"{index:02}-brief" for index in range(20)]
    for brief in briefs:
        (folder / f"briefs/{brief}.md").write_text(
            "---\nhas_numeric_target: true\n---\nWhich course?\n"
        )
    (folder / "prompts").mkdir()
    (folder / "prompts/draft.txt").write_text(
        (REPOSITORY / "prompts/draft_graph_v21.txt").read_text(encoding="utf-8")
    )
    params = {"prompt": "prompts/draft.txt", "models": ["*"], "briefs": ["*"]}
    (folder / "params.yaml").write_text(yaml.safe_dump(params))
    models = [f"model-{index}" for index in range(10)]
    samples = -(-responses // (len(briefs) * len(models)))
    graphs = [draft_graph(12, seed) for seed in range(DISTINCT)]
    left = responses
    for model in models:
        for brief in briefs:
            cell = folder / "results/responses" / model / brief
            cell.mkdir(parents=True)
            for sample in range(1, min(samples, left) + 1):
                graph = graphs[(left - sample) % DISTINCT]
                response = {
                    "model_id": model, "brief_id": brief, "sample": sample, "status": "success", "latency_ms": 1234.5,
                    "raw_text": json.dumps(graph), "parsed_graph": graph, "input_tokens": 2000, "output_tokens": 1500,
                }  # fmt: skip
                file = "response.json" if sample == 1 else f"response-{sample}.json"
                (cell / file).write_text(canonical(response))
            left -= min(samples, left)
