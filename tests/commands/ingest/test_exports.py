"""Of every tool's export the answers of the shipped model are read as they are."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stages.shared.records.brief import parse_brief
from tests.builders.cases import cases
from tests.commands.ingest.exports import EXPORTS, SYSTEM, Pairs
from tests.commands.ingest.test_command import IngestWorkspace

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def shipped() -> dict[str, tuple[str, str]]:
    """The shipped briefs with the text of each and the shipped answer to it."""
    answers: dict[str, tuple[str, str]] = {}
    for line in (ROOT / "answers/language-model.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        file = ROOT / f"briefs/{record['brief']}.md"
        brief = parse_brief(record["brief"], file.read_text("utf-8"), file.name)
        answers[brief.id] = brief.body, record["text"]
    return answers


def project(folder: Path) -> IngestWorkspace:
    """A project with the shipped briefs."""
    made = IngestWorkspace(folder)
    for file in (made.folder / "briefs").iterdir():
        file.unlink()
    for file in (ROOT / "briefs").glob("*.md"):
        made.write(f"briefs/{file.name}", file.read_text("utf-8"))
    return made


def reordered(content: bytes) -> bytes:
    """JSON with the keys of all objects in the opposite order."""
    text = content.decode()
    try:
        values = [json.loads(text)]
    except ValueError:
        values = [json.loads(line) for line in text.splitlines()]
    return b"".join(json.dumps(_turned(value)).encode() + b"\n" for value in values)


def _turned(value: Any) -> Any:
    if isinstance(value, list):
        return [_turned(entry) for entry in value]
    if isinstance(value, dict):
        return {key: _turned(value[key]) for key in reversed(value)}
    return value


def graph_of(answer: dict[str, Any]) -> Any:
    graph = answer.get("graph")
    return graph if graph is not None else json.loads(answer["text"])


@cases("suffix, export", EXPORTS)
def test_each_export_gives_the_shipped_answers(
    tmp_path: Path,
    shipped: dict[str, tuple[str, str]],
    suffix: str,
    export: Callable[[Pairs], bytes | list[bytes]],
) -> None:
    contents = export([*shipped.values()])
    check(tmp_path / "a", shipped, suffix, contents if isinstance(contents, list) else [contents])


@cases("suffix, export", {name: row for name, row in EXPORTS.items() if row[0] in (".json", ".jsonl")
                          and name not in ("pairs, UTF-16", "pairs, one after the other")})  # fmt: skip
def test_the_order_of_keys_makes_no_difference(
    tmp_path: Path,
    shipped: dict[str, tuple[str, str]],
    suffix: str,
    export: Callable[[Pairs], bytes | list[bytes]],
) -> None:
    contents = export([*shipped.values()])
    files = contents if isinstance(contents, list) else [contents]
    check(tmp_path, shipped, suffix, list(map(reordered, files)))


def check(
    folder: Path, shipped: dict[str, tuple[str, str]], suffix: str, contents: list[bytes]
) -> None:
    made = project(folder)
    names = [f"../log{number}{suffix}" for number in range(len(contents))]
    for name, content in zip(names, contents, strict=True):
        (made.folder / name).write_bytes(content)
    done = made.ingest(logs=tuple(names))
    assert done.returncode == 0, done.stderr
    answers = {answer["brief"]: answer for answer in made.answers}
    assert not (made.folder / "answers/log.traffic.jsonl").exists()
    assert answers.keys() == shipped.keys()
    for brief, (_, text) in shipped.items():
        assert graph_of(answers[brief]) == json.loads(text)
    has_system = suffix == ".eval" or SYSTEM.encode() in b"".join(contents)
    prompt = json.loads(made.read("models/log.json")).get("prompt")
    assert prompt == ("prompts/log.txt" if has_system else None)


@pytest.mark.parametrize(
    "name", ["Braintrust", "LangSmith", "Langfuse", "LiteLLM", "Inspect", "promptfoo"]
)
def test_model_tokens_cost_and_time_are_kept(
    tmp_path: Path, shipped: dict[str, tuple[str, str]], name: str
) -> None:
    suffix, export = EXPORTS[name]
    made = project(tmp_path)
    content = export([*shipped.values()])
    assert isinstance(content, bytes)
    (tmp_path / f"log{suffix}").write_bytes(content)
    made.ingest(logs=(f"../log{suffix}",))
    answer = made.answers[0]
    usage = answer["usage"]
    assert (answer["model"], usage["input_tokens"], usage["output_tokens"]) == ("m-1", 10, 20)
    assert answer["latency_ms"] == pytest.approx(8200)
    assert answer.get("cost_usd") == (None if name == "Inspect" else 0.012)
