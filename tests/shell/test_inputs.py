from pathlib import Path

import pytest

from graph_evaluator.records.errors import InputError
from graph_evaluator.shell import inputs
from tests.builders.cases import cases

BRIEF = "---\n---\nRaise the price?\n"
MODEL = """{"id": "%s", "display_name": "M", "provider": "simulated", "model": "sim-careful", "target_mode": "fast"}"""
PARAMS = 'prompt: prompts/p.txt\nmodels: ["sim-*"]\nbriefs: ["*"]\n'


@pytest.fixture(autouse=True)
def _repository(tmp_path, monkeypatch):
    for name, text in {
        "params.yaml": PARAMS,
        "prompts/p.txt": "Draft a graph.",
        "briefs/01-a.md": BRIEF,
        "briefs/02-b.md": BRIEF,
        "briefs/_draft.md": "not a brief",
        "models/sim-a.json": MODEL % "sim-a",
        "models/other.json": MODEL % "other",
        "models/_template.json": "{}",
    }.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def _load():
    return inputs.load_inputs(inputs.load_params())


def said_by(load):
    """The message about all problems."""
    with pytest.raises(InputError) as raised:
        load()
    return str(raised.value)


def test_the_selection_is_loaded_in_the_order_of_ids_and_templates_are_skipped():
    prompt, models, briefs = _load()
    assert [model.id for model in models] == ["sim-a"]
    assert [brief.id for brief in briefs] == ["01-a", "02-b"]
    assert prompt.text == "Draft a graph."


@cases(
    "text, said",
    {
        "no prompt": ("models: [a]\nbriefs: [b]", "params.yaml: prompt: is missing"),
        "misspelt section": (PARAMS + "runtme: {}", 'did you mean "runtime"?'),
        "misspelt key": (
            PARAMS + "runtime: {max_concurency: 1}",
            "runtime.max_concurency: unknown key",
        ),
        "a truth value for a number": (PARAMS + "generate: {samples: true}", "generate.samples"),
        "a number of 5,000 digits": (
            PARAMS + "runtime: {max_concurrency: " + "9" * 5000 + "}",
            "params.yaml: is not YAML",
        ),
        "a text for a list": (
            PARAMS.replace('["sim-*"]', "sim-a"),
            "models: must be a list",
        ),
        "an empty list": (PARAMS.replace('["sim-*"]', "[]"), "must name at least one"),
        "a list": ("- a", "must be an object of keys and values"),
    },
)
def test_broken_params_are_reported_with_their_key(text, said):
    Path("params.yaml").write_text(text, encoding="utf-8")
    assert said in said_by(inputs.load_params)


@cases(
    "old, new, said",
    {
        "misspelt prompt": ("prompts/p.txt", "prompts/pp.txt", 'did you mean "prompts/p.txt"?'),
        "absolute prompt": (
            "prompts/p.txt",
            "/etc/passwd",
            'no file "/etc/passwd" in the repository',
        ),
        "prompt outside": ("prompts/p.txt", "../p.txt", 'no file "../p.txt" in the repository'),
        "unknown model": ('"sim-*"', "sim-b", 'did you mean "sim-a"?'),
        "unknown brief": ('["*"]', "[03-c]", "there are 01-a, 02-b"),
    },
)
def test_a_selection_that_matches_nothing_names_what_there_is(old, new, said):
    Path("params.yaml").write_text(PARAMS.replace(old, new), encoding="utf-8")
    assert said in said_by(_load)


def test_the_problems_of_all_files_come_in_one_error():
    Path("prompts/p.txt").write_text(" \n", encoding="utf-8")
    Path("briefs/01-a.md").write_text("---\n", encoding="utf-8")
    Path("models/sim-a.json").write_text("{", encoding="utf-8")
    files = [line.partition(": ")[0] for line in said_by(_load).splitlines()]
    assert files == ["briefs/01-a.md", "models/sim-a.json", "prompts/p.txt"]


def test_what_stops_nothing_is_named():
    for name in (
        "briefs/notes.txt",
        "briefs/README.md",
        "codebooks/02-b.yaml",
        "codebooks/gone.yaml",
    ):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("labels: {}")
    Path("briefs/03-c.md").write_text("Or lower it?" * 9_000)
    assert [*inputs.notes_on_files(inputs.load_briefs())] == [
        "briefs/notes.txt is not read: the name of a brief ends with .md",
        "briefs/03-c.md: graphs are compared with its first 100,000 characters",
        "codebooks/gone.yaml is not used: there is no briefs/gone.md",
        "01-a, 02-b have the same text, and count as 2 independent briefs",
    ]


def test_a_codebook_that_would_be_ignored_is_refused():
    Path("codebooks").mkdir()
    Path("codebooks/01-a.YAML").write_text("labels: {}")
    Path("codebooks/02-b.yaml").symlink_to("gone")
    said = said_by(lambda: inputs.load_codebooks(inputs.load_briefs()))
    assert "rename it to 01-a.yaml" in said
    assert "02-b.yaml: there is no such file" in said


def test_ids_that_become_one_key_in_the_metrics_are_refused():
    for name in ("sim-4.1", "sim-4_1"):
        Path(f"models/{name}.json").write_text(MODEL % name, encoding="utf-8")
    assert "the same as" in said_by(_load)


@cases(
    "file, text, said",
    {
        "no id": ("briefs/a b.md", BRIEF, "briefs/a b.md: the file name must be"),
        "another suffix": ("briefs/x.markdown", BRIEF, "is not read: rename it to x.md"),
        "in capitals": ("models/x.JSON", MODEL % "x", "is not read: rename it to x.json"),
        "an empty model": ("models/x.json", "", "models/x.json: is empty"),
        "not selected": (
            "models/zz.json",
            MODEL % "sim-a",
            'models/zz.json: id: must equal the file name: found "sim-a"',
        ),
    },
)
def test_a_file_that_cannot_be_meant_is_named(file, text, said):
    Path(file).write_text(text, encoding="utf-8")
    assert said in said_by(_load)


def test_the_problems_of_models_and_briefs_come_together():
    Path("models/broken.json").write_text("{", encoding="utf-8")
    Path("briefs/01-a.md").write_text("---\n", encoding="utf-8")
    files = {problem.file for problem in inputs.problems_of_files()}
    assert files == {"briefs/01-a.md", "models/broken.json"}
