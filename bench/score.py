"""`python -m bench.score`: how fast answers become scorecards, and what scoring a full disk of them takes.

The measured path is the library's own, `Scorer.score_text`: from the raw text of an answer over extraction, reading and all
rules to the finished scorecard with its evidence and sentences. `orjson.loads` of the same texts is the floor: parsing alone.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import orjson
import yaml

from bench.draft_graphs import answer_text, draft_graph
from stages.contracts.brief import Expectations
from stages.contracts.response import Response
from stages.contracts.scoring_rules import ScoringRules
from stages.score import Scorer

DISTINCT = 400
"""How many different answers take turns."""
REPOSITORY = Path(__file__).resolve().parent.parent


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=float, default=3.0, help="time per figure")
    arguments.add_argument(
        "--responses", type=int, default=100_000, help="stored responses for the run end to end; 0: none"
    )
    chosen = arguments.parse_args()
    for nodes in (12, 45):
        floor = rate(orjson.loads, nodes, chosen.seconds)
        one = scoring_rate(nodes, chosen.seconds)
        print(
            f"{nodes:>3} nodes, one core:  {one:>9,.0f} answers/s from raw text to scorecard; orjson.loads alone {floor:,.0f}/s"
        )
    with ProcessPoolExecutor(2) as pool:
        both = sum(pool.map(scoring_rate, (12, 12), (chosen.seconds, chosen.seconds)))
    print(f" 12 nodes, two cores: {both:>9,.0f} answers/s")
    if chosen.responses:
        end_to_end(chosen.responses)


def rate(work: Callable[[str], object], nodes: int, seconds: float) -> float:
    """How often per second `work` is done with an answer of so many nodes."""
    texts = [answer_text(nodes, seed) for seed in range(DISTINCT)]
    done, begun = 0, time.perf_counter()
    while time.perf_counter() - begun < seconds:
        for text in texts:
            work(text)
        done += len(texts)
    return done / (time.perf_counter() - begun)


def scoring_rate(nodes: int, seconds: float) -> float:
    """How many answers of so many nodes become scorecards per second, on one core."""
    scorer, expectations = Scorer(ScoringRules()), Expectations(has_numeric_target=True)
    about = Response(model_id="model", brief_id="brief", sample=1, status="success")
    return rate(lambda text: scorer.score_text(text, about, expectations), nodes, seconds)


def end_to_end(responses: int) -> None:
    """Score so many stored responses of 12 nodes as `dvc repro` would, and tell time and memory."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        samples = _store(folder, responses)
        begun = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "stages.score"], cwd=folder, env={"PYTHONPATH": str(REPOSITORY)}, check=True
        )
        took = time.perf_counter() - begun
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        lines = sum(1 for _ in (folder / "results/scorecards.jsonl").open("rb"))
    print(
        f"{lines:,} stored responses ({samples} per cell) end to end: {took:.1f} s, {lines / took:,.0f}/s, "
        f"peak {peak:.0f} MiB in the largest process"
    )


def _store(folder: Path, responses: int) -> int:
    (folder / "briefs").mkdir()
    briefs = [f"{index:02}-brief" for index in range(20)]
    for brief in briefs:
        (folder / f"briefs/{brief}.md").write_text("---\nhas_numeric_target: true\n---\nWhich course?\n")
    params = {"prompt": "prompts/none.txt", "models": ["*"], "briefs": ["*"]}
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
                (cell / file).write_bytes(orjson.dumps(response, option=orjson.OPT_SORT_KEYS))
            left -= min(samples, left)
    return samples


if __name__ == "__main__":
    main()
