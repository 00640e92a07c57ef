"""Of every tool's export the answers of the shipped model are read as they are."""

import json
from pathlib import Path
from typing import Any

import pytest

from graph_evaluator.records.brief import parse_brief
from tests.builders.cases import cases
from tests.ingest.exports import FORMS, SYSTEM, files_of
from tests.ingest.test_command import IngestWorkspace

ROOT = Path(__file__).parents[2]


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


def ingested(
    folder: Path, form: dict[str, Any], shipped: dict[str, tuple[str, str]]
) -> IngestWorkspace:
    """A project with the shipped briefs that has read their answers from files of a form."""
    project = IngestWorkspace(folder)
    for file in (project.folder / "briefs").iterdir():
        file.unlink()
    for file in (ROOT / "briefs").glob("*.md"):
        project.write(f"briefs/{file.name}", file.read_text("utf-8"))
    logs: list[str] = []
    for content in files_of(form, [*shipped.values()]):
        logs.append(f"../log{len(logs)}{form.get('suffix', '.jsonl')}")
        (project.folder / logs[-1]).write_bytes(content)
    done = project.ingest(logs=tuple(logs))
    assert done.returncode == 0, done.stderr
    return project


def turned(value: Any) -> Any:
    """A template with the keys of all objects in the opposite order."""
    if isinstance(value, list):
        return [turned(entry) for entry in value]
    if isinstance(value, dict):
        return {key: turned(value[key]) for key in reversed(value)}
    return value


@pytest.mark.parametrize("order", [dict, turned])
@cases("form", FORMS)
def test_each_export_gives_the_shipped_answers(
    tmp_path: Path, shipped: dict[str, tuple[str, str]], form: dict[str, Any], order: Any
) -> None:
    project = ingested(tmp_path, order(form), shipped)
    answers = {answer["brief"]: answer for answer in project.answers}
    assert answers.keys() == shipped.keys()
    for brief, (_, text) in shipped.items():
        graph = answers[brief].get("graph")
        assert (json.loads(answers[brief]["text"]) if graph is None else graph) == json.loads(text)
    has_system = SYSTEM in json.dumps(form)
    prompt = json.loads(project.read("models/log.json")).get("prompt")
    assert prompt == ("prompts/log.txt" if has_system else None)


@cases(
    "name, measured",
    {name: (name, ("latency_ms", "cost_usd")) for name in ("Braintrust", "Langfuse", "LiteLLM", "promptfoo")}
    | {name: (name, ("latency_ms", "cost_usd")) for name in ("LangSmith", "LangSmith, table")}
    | {name: (name, ("latency_ms",)) for name in ("Inspect", "OpenTelemetry")}
    | {name: (name, ()) for name in ("Chat Completions", "Responses", "Anthropic", "Gemini",
                                     "batch of responses", "batch of Anthropic", "batch of Gemini")},
)  # fmt: skip
def test_model_tokens_cost_and_time_are_kept(
    tmp_path: Path, shipped: dict[str, tuple[str, str]], name: str, measured: tuple[str, ...]
) -> None:
    answer = ingested(tmp_path, FORMS[name], shipped).answers[0]
    usage = answer["usage"]
    assert (answer["model"], usage["input_tokens"], usage["output_tokens"]) == ("m-1", 10, 20)
    known = {"latency_ms": 8200, "cost_usd": 0.012}
    assert {key: answer[key] for key in known if key in answer} == {
        key: pytest.approx(known[key]) for key in measured
    }
