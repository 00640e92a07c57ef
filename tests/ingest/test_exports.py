"""Of every tool's export answers are read as they are when the model is called."""

import pytest

from graph_evaluator.generate.recorded import read_recorded_line
from tests.builders.answer_texts import ANSWER_TEXTS
from tests.builders.cases import cases
from tests.ingest.exports import FORMS, SYSTEM, files_of
from tests.ingest.test_command import IngestWorkspace

BRIEF = 'We run a "café" with eleven tables.\n\nShould we open on Sundays, or stay closed?'


def ingested(folder, form, *options):
    """A project that has read files of a form with every text as the answer to one brief."""
    project = IngestWorkspace(folder)
    project.write("briefs/b1.md", BRIEF)
    logs: list[str] = []
    for content in files_of(form, [(BRIEF, text) for text, _ in ANSWER_TEXTS.values()]):
        logs.append(f"../log{len(logs)}{form.get('suffix', '.jsonl')}")
        (project.folder / logs[-1]).write_bytes(content)
    done = project.ingest("--accept-prose", *options, logs=tuple(logs))
    assert done.returncode == 0, done.stderr
    return project


def turned(value):
    """A template with the keys of all objects in the opposite order."""
    if isinstance(value, list):
        return [turned(entry) for entry in value]
    if isinstance(value, dict):
        return {key: turned(value[key]) for key in reversed(value)}
    return value


@pytest.mark.parametrize("order", [dict, turned])
@cases("form", FORMS)
def test_a_text_is_read_alike_in_each_export(tmp_path, form, order):
    project = ingested(tmp_path, order(form))
    answers = [read_recorded_line(line).answer() for line in project.lines]
    graphs = {
        name: answer and answer.graph for name, answer in zip(ANSWER_TEXTS, answers, strict=True)
    }
    assert graphs == {name: graph for name, (_, graph) in ANSWER_TEXTS.items()}
    has_system = SYSTEM in str(form)
    prompt = project.json("models/log.json").get("prompt")
    assert prompt == ("prompts/log.txt" if has_system else None)


LATENCY = {"latency_ms": 8200}
COST_TOO = LATENCY | {"cost_usd": 0.012}
WITH_COST = ("Braintrust", "Langfuse", "LiteLLM", "promptfoo", "LangSmith", "LangSmith, table")
WITH_LATENCY = ("Inspect", "OpenTelemetry")
WITHOUT = (
    "Chat Completions", "Responses", "Anthropic", "Gemini", "batch of responses", "batch of Anthropic", "batch of Gemini",
)  # fmt: skip
MEASURED = (
    dict.fromkeys(WITH_COST, COST_TOO)
    | dict.fromkeys(WITH_LATENCY, LATENCY)
    | {name: {} for name in WITHOUT}
)


@pytest.mark.parametrize("name", MEASURED)
def test_model_tokens_cost_and_time_are_kept(tmp_path, name):
    answer = ingested(tmp_path, FORMS[name]).answers[0]
    usage = answer["usage"]
    assert (answer["model"], usage["input_tokens"], usage["output_tokens"]) == ("m-1", 10, 20)
    found = {key: answer[key] for key in COST_TOO if key in answer}
    assert found == pytest.approx(MEASURED[name])
