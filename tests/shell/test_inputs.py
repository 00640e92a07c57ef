from pathlib import Path

import pytest

from stages.contracts.errors import InputError
from stages.shell import inputs

BRIEF = "---\n---\nRaise the price?\n"
MODEL = """{"id": "%s", "display_name": "M", "provider": "simulated", "model": "sim-careful", "target_mode": "fast"}"""
PARAMS = 'prompt: prompts/p.txt\nmodels: ["sim-*"]\nbriefs: ["*"]\n'


@pytest.fixture(autouse=True)
def _repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def _load() -> inputs.Inputs:
    return inputs.load_inputs(inputs.load_params())


def test_the_selection_is_loaded_in_the_order_of_ids_and_templates_are_skipped() -> None:
    loaded = _load()
    assert [model.id for model in loaded.models] == ["sim-a"]
    assert [brief.id for brief in loaded.briefs] == ["01-a", "02-b"]
    assert loaded.prompt.text == "Draft a graph."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("models: [a]\nbriefs: [b]", "params.yaml: prompt: is missing", id="no prompt"),
        pytest.param(PARAMS + "runtme: {}", 'did you mean "runtime"?', id="misspelt section"),
        pytest.param(
            PARAMS + "runtime: {max_concurency: 1}",
            "runtime.max_concurency: unknown key",
            id="misspelt key",
        ),
        pytest.param(
            PARAMS + "runtime: {max_concurrency: 0}",
            "greater than or equal to 1",
            id="out of range",
        ),
        pytest.param(
            PARAMS + "generate: {samples: two}", "generate.samples", id="text for a number"
        ),
        pytest.param(
            PARAMS + 'generate: {samples: "2"}', "generate.samples", id="a number in quotes"
        ),
        pytest.param(
            PARAMS + "generate: {samples: true}",
            "generate.samples",
            id="a truth value for a number",
        ),
        pytest.param(
            PARAMS + "score: {weights: {overall: {param_quality: 0.9}}}",
            "must sum to 1",
            id="weights",
        ),
        pytest.param(
            PARAMS + "score: {status_quo_pattern: '('}", "not a regular expression", id="pattern"
        ),
        pytest.param(PARAMS + "prompt: prompts/q.txt\n", "is given twice", id="repeated key"),
        pytest.param(
            "a: &a [x]\nb: [" + "*a, " * 21 + "]", "more than 20 aliases", id="a YAML bomb"
        ),
        pytest.param(
            PARAMS + "runtime: {max_concurrency: " + "9" * 5000 + "}",
            "a number is too long",
            id="a number of 5,000 digits",
        ),
        pytest.param("a: [", "not YAML", id="broken YAML"),
        pytest.param("- a", "key: value", id="a list"),
    ],
)
def test_broken_params_are_reported_with_their_key(text: str, said: str) -> None:
    Path("params.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        inputs.load_params()
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param(
            "prompts/p.txt", "prompts/pp.txt", 'did you mean "prompts/p.txt"?', id="misspelt prompt"
        ),
        pytest.param("prompts/p.txt", "/etc/passwd", "inside the repository", id="absolute prompt"),
        pytest.param("prompts/p.txt", "../p.txt", "inside the repository", id="prompt outside"),
        pytest.param('"sim-*"', "sim-b", 'did you mean "sim-a"?', id="unknown model"),
        pytest.param('["*"]', "[03-c]", "there are 01-a, 02-b", id="unknown brief"),
    ],
)
def test_a_selection_that_matches_nothing_names_what_there_is(
    old: str, new: str, said: str
) -> None:
    Path("params.yaml").write_text(PARAMS.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError) as raised:
        _load()
    assert said in str(raised.value)


def test_the_problems_of_all_files_come_in_one_error() -> None:
    Path("prompts/p.txt").write_text(" \n", encoding="utf-8")
    Path("briefs/01-a.md").write_text("no front-matter", encoding="utf-8")
    Path("models/sim-a.json").write_text("{", encoding="utf-8")
    with pytest.raises(InputError) as raised:
        _load()
    assert [problem.file for problem in raised.value.problems] == [
        "briefs/01-a.md",
        "models/sim-a.json",
        "prompts/p.txt",
    ]


def test_ids_that_become_one_key_in_the_metrics_are_refused() -> None:
    for name in ("sim-4.1", "sim-4_1"):
        Path(f"models/{name}.json").write_text(MODEL % name, encoding="utf-8")
    with pytest.raises(InputError, match="the same as"):
        _load()


def test_a_file_name_that_is_no_id_is_refused() -> None:
    Path("briefs/a b.md").write_text(BRIEF, encoding="utf-8")
    with pytest.raises(InputError, match="file name must be"):
        _load()


def test_a_broken_file_outside_the_selection_is_reported_too() -> None:
    Path("models/zz.json").write_text(MODEL % "sim-a", encoding="utf-8")
    with pytest.raises(
        InputError, match=r'models/zz\.json: id: must equal the file name: found "sim-a"'
    ):
        _load()


@pytest.mark.parametrize(
    ("models", "said"),
    [
        ("sim-a", r"must be a list, such as \[sim-a\]"),
        ("[]", "must name at least one"),
        ("", "has no value"),
    ],
    ids=["a text", "an empty list", "nothing"],
)
def test_a_selection_that_is_no_list_is_answered_with_an_example(models: str, said: str) -> None:
    Path("params.yaml").write_text(PARAMS.replace('["sim-*"]', models), encoding="utf-8")
    with pytest.raises(InputError, match=said):
        inputs.load_params()


def test_a_number_with_an_exponent_and_no_point_is_a_number() -> None:
    Path("params.yaml").write_text(PARAMS + "compare: {min_difference: 1e-9}\n", encoding="utf-8")
    assert inputs.load_params().compare.min_difference == 1e-9
