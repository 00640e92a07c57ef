"""`python -m bench.score`: how fast answers become scorecards, and what scoring a full disk of them takes.

The measured path is the library's own, `Scorer.score_all` over `text_answer`: from the raw text of an answer over extraction,
reading and all rules to the finished scorecard with its evidence and sentences. The floor is parsing alone, `orjson.loads` of
the same texts; the two take turns, and CPU time is counted, so that what slows the machine down falls on both.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import orjson
import yaml

from bench.draft_graphs import answer_text, draft_graph
from bench.measure import measure
from stages.contracts.brief import Expectations
from stages.contracts.params import ScoringRules
from stages.contracts.response import Response
from stages.score import Scorer, text_answer
from stages.score.batch import prepare_process

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
        floor, ours = taking_turns(nodes, chosen.seconds)
        share = statistics.median(one / other for one, other in zip(ours, floor, strict=True))
        print(
            f"{nodes:>3} nodes, one core:  {_spread(ours)} answers/s from raw text to scorecard; "
            f"orjson.loads alone {_spread(floor)}; ratio {share:.2f}"
        )
    print(f" 12 nodes, two cores: {on_two_cores(chosen.seconds):,.0f} answers/s of wall time")
    if chosen.responses:
        took, memory = end_to_end(chosen.responses)
        print(
            f"{chosen.responses:,} stored responses end to end: {took:.1f} s, {chosen.responses / took:,.0f}/s, "
            f"at most {memory:.0f} MiB in a process"
        )


def on_two_cores(seconds: float) -> float:
    """How many answers of 12 nodes two processes score per second of wall time."""
    with ProcessPoolExecutor(2) as pool:
        return sum(pool.map(scoring_rate, (12, 12), (seconds, seconds)))


def taking_turns(nodes: int, seconds: float) -> tuple[list[float], list[float]]:
    """For each turn, how many answers of so many nodes are parsed per second of CPU, and how many become scorecards."""
    texts, score_all = _work(nodes)
    floor: list[float] = []
    ours: list[float] = []
    begun = time.perf_counter()
    while time.perf_counter() - begun < 2 * seconds:
        for work, rates in ((_parse_all, floor), (score_all, ours)):
            turn = time.process_time()
            work(texts)
            rates.append(len(texts) / (time.process_time() - turn))
    return floor, ours


def scoring_rate(nodes: int, seconds: float) -> float:
    """How many answers of so many nodes become scorecards per second of wall time, in this process."""
    texts, score_all = _work(nodes)
    done, begun = 0, time.perf_counter()
    while time.perf_counter() - begun < seconds:
        score_all(texts)
        done += len(texts)
    return done / (time.perf_counter() - begun)


def _work(nodes: int) -> tuple[list[str], Callable[[list[str]], None]]:
    prepare_process()
    scorer, expectations = Scorer(ScoringRules()), Expectations(has_numeric_target=True)
    about = Response(model_id="model", brief_id="brief", sample=1, status="success")

    def score_all(texts: list[str]) -> None:
        for _ in scorer.score_all(text_answer(text, about, expectations) for text in texts):
            pass

    return [answer_text(nodes, seed) for seed in range(DISTINCT)], score_all


def _parse_all(texts: list[str]) -> None:
    for text in texts:
        orjson.loads(text)


def _spread(rates: list[float]) -> str:
    return f"{statistics.median(rates):,.0f} ({min(rates):,.0f} to {max(rates):,.0f})"


def end_to_end(responses: int) -> tuple[float, float]:
    """Score so many stored responses of 12 nodes as `dvc repro` would: wall seconds, and the most MiB of any process."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _store(folder, responses)
        cost = measure([sys.executable, "-m", "stages.score"], cwd=folder, env={"PYTHONPATH": str(REPOSITORY)})
        lines = sum(1 for _ in (folder / "results/scorecards.jsonl").open("rb"))
    if lines != responses:
        raise RuntimeError(f"{responses} responses gave {lines} scorecards")
    return cost.wall_s, cost.rss_mib


def _store(folder: Path, responses: int) -> None:
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


if __name__ == "__main__":
    main()
