"""docs/reference.md, written from records, comments and code: `make reference` writes it."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from generators.schemas import render
from graph_evaluator.records.brief import Expectations
from graph_evaluator.records.codes import CODES
from graph_evaluator.records.model_config import ModelConfig

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs/reference.md"
_KEY = re.compile(r"^(?P<indent> *)(?P<key>\w+):(?P<value>[^#]*)(?:# ?(?P<comment>.*))?$")
_INTRODUCTION = """\
<!-- Made by `make reference`: edit params.yaml, the records or generators/reference.py. -->
# Reference

Every key, file and code. `make reference` writes this page from the records and the code. `graph-evaluator --help` lists the commands, and
`graph-evaluator NAME --help` the options of each.
"""
_FILES = """\
| file | content |
|---|---|
| `results/responses/MODEL/BRIEF/response.json` | what was asked and answered: text, parsed graph, status, tokens, cost, latency, or why there is no answer; further samples are `response-2.json` and so on |
| `results/run.json` | what the run was made from: prompt, briefs, model configs and their hashes, the settings of `generate`, the answers that were paid for |
| `results/checks.json` | how many damaged copies of the run's own graphs each check notices |
| `results/scorecards.jsonl` | a line per cell: violations, warnings, fidelity checks, sub-scores, scores and the evidence for each |
| `results/scores.csv` | a row per cell, to four decimals: what git keeps of the scores |
| `results/metrics.json` | for `dvc metrics`: form, content, usable graphs, cost and latency of the run and of each model, and the means of the specification |
| `results/decision.json` | which model to take for each mode, how sure that is, and the measurements behind it |
| `results/summary.md`, `results/analysis-pack.md` | the report to paste into a pull request, and into a conversation with a language model |
| `results/site/index.html` | the report to read in a browser, with a page for every cell |
| `results/plots/` | the tables that `dvc plots` draws |
| `.ledger/answers.sqlite3` | every answer that was paid for; neither git nor DVC keep it |
"""


def render_reference() -> str:
    """The whole page."""
    parts = [
        _INTRODUCTION,
        "## params.yaml\n",
        _table(("key", "shipped value", "meaning"), _params()),
        "## A model config: models/ID.json\n",
        _table(("key", "allowed", "meaning"), _fields(ModelConfig)),
        "## The front-matter of a brief: briefs/ID.md\n",
        _table(("key", "allowed", "meaning"), _fields(Expectations)),
        "## Files of a run\n",
        _FILES,
        "## Codes\n",
        "Statuses of cells, violations, warnings, fidelity checks and sub-scores.\n",
        _table(("code", "meaning", "what to do"), _codes()),
    ]
    return "\n".join(parts)


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _params() -> Iterator[tuple[str, str, str]]:
    """Each setting with its shipped value and its comment in `params.yaml`, in the order of that file."""
    text = (ROOT / "params.yaml").read_text(encoding="utf-8")
    shipped = yaml.safe_load(text)
    path: list[str] = []
    comments: list[str] = []
    for line in text.splitlines():
        entry = _KEY.match(line)
        if line.lstrip().startswith("# ----"):
            continue
        if line.lstrip().startswith("#"):
            comments.append(line.strip().removeprefix("# "))
        elif entry is None:
            comments = []
        else:
            path = [*path[: len(entry["indent"]) // 2], entry["key"]]
            comment = " ".join([*comments, entry["comment"] or ""]).strip()
            comments = []
            key, value = ".".join(path), _value_at(shipped, path)
            if not isinstance(value, dict) or not value:
                yield f"`{key}`", f"`{_shown(value)}`", comment.replace("|", "\\|")


def _value_at(values: Any, path: list[str]) -> Any:
    for key in path:
        values = values[key]
    return values


def _shown(value: Any) -> str:
    text = yaml.safe_dump(value, default_flow_style=True, width=10_000).strip()
    return text.removesuffix("\n...").replace("|", "\\|")


def _fields(record: Any) -> Iterator[tuple[str, str, str]]:
    """Each key of a record as its published schema describes it."""
    schema = yaml.safe_load(render(record))
    for key, field in schema["properties"].items():
        required = "" if key not in schema.get("required", ()) else "**needed.** "
        yield f"`{key}`", _allowed(field, schema), required + field.get("description", "")


def _allowed(field: dict[str, Any], schema: dict[str, Any]) -> str:
    kinds = field.get("anyOf", [field])
    return ", ".join(_kind(kind, schema) for kind in kinds if kind.get("type") != "null")


def _kind(kind: dict[str, Any], schema: dict[str, Any]) -> str:
    if "$ref" in kind:
        kind = schema["$defs"][kind["$ref"].rpartition("/")[2]]
    if "enum" in kind:
        return ", ".join(f"`{value}`" for value in kind["enum"])
    if "const" in kind:
        return f"`{kind['const']}`"
    if kind.get("type") == "object" and "properties" in kind:
        return ", ".join(f"`{key}`" for key in kind["properties"])
    names = {"array": "list", "object": "mapping", "string": "text"}
    name: str = kind.get("type", "")
    return names.get(name, name)


def _codes() -> Iterator[tuple[str, str, str]]:
    for code, text in CODES.items():
        yield f"`{code}`", text.meaning, text.fix


def main() -> None:
    """Write the page."""
    REFERENCE.write_text(render_reference(), encoding="utf-8")


if __name__ == "__main__":
    main()
