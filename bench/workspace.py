"""A project of any size in a folder of its own, against a server on loopback: what the benchmarks and the soak run on."""

import json
import os
import sys
from pathlib import Path

import yaml

REPOSITORY = Path(__file__).resolve().parent.parent
PROMPT_BYTES = 37 * 1024


def make_workspace(
    folder: Path, url: str, *, models: int, briefs: int, first_brief: int = 0, **runtime: object
) -> Path:
    """Write the inputs of `models` x `briefs` cells into a folder; settings of `runtime` differ from the shipped ones."""
    for name in ("prompts", "briefs", "models"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    prompt = "Draft a causal decision graph as JSON. Every node and every edge is justified by the brief.\n"
    (folder / "prompts" / "long.txt").write_text(
        (prompt * (PROMPT_BYTES // len(prompt) + 1))[:PROMPT_BYTES]
    )
    head = "---\nexpect_status_quo: true\nhas_numeric_target: false\ncomplexity: simple\n---\n\n"
    for number in range(first_brief, first_brief + briefs):
        text = f"{head}Decision {number}: shall we open on Sundays? {'We have thought about it. ' * 40}\n"
        (folder / "briefs" / f"{number:05}.md").write_text(text)
    for number in range(models):
        config = {
            "id": f"m{number:02}",
            "display_name": f"Model {number}",
            "provider": "openai",
            "model": f"model-{number}",
            "base_url": url,
            "params": {"temperature": 0, "max_output_tokens": 16000},
            "target_mode": "normal",
            "pricing": {"input_per_1m": 2.0, "output_per_1m": 8.0, "source": "benchmark"},
        }
        (folder / "models" / f"m{number:02}.json").write_text(json.dumps(config))
    params = yaml.safe_load((REPOSITORY / "params.yaml").read_text())
    params |= {"prompt": "prompts/long.txt", "models": ["*"], "briefs": ["*"]}
    params["score"].pop("checks", None)
    params["runtime"] |= {"warm_prompt_cache": False, **runtime}
    (folder / "params.yaml").write_text(yaml.safe_dump(params))
    return folder


def environment(folder: Path) -> dict[str, str]:
    """The variables with which a stage runs in a workspace."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("DVC_", "OPENAI_"))
    }
    return {
        **kept,
        "PYTHONPATH": str(REPOSITORY),
        "GRAPH_EVALUATOR_LEDGER": str(folder / ".ledger"),
    }


def generate_command() -> list[str]:
    """The command of the stage."""
    return [sys.executable, "-m", "graph_evaluator", "generate"]
