"""The files of a run: any answer can be written, no other file stays behind, and equal inputs give an equal run id."""

import re
import tomllib
from dataclasses import replace

import pytest

from graph_evaluator.generate.answers import extract
from graph_evaluator.generate.plan.cells import RunPlan
from graph_evaluator.generate.responses import ResponseWriter, manifest
from graph_evaluator.records.params import Params
from graph_evaluator.records.response import Response
from graph_evaluator.records.run_results import TOOL_VERSION
from graph_evaluator.shell.paths import folder_sha256
from graph_evaluator.shell.results import read_response
from tests import REPOSITORY
from tests.builders.cases import cases
from tests.generate.asking import PROMPT, brief, config, planned_model

NAME = "m/b/response.json"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "responses"


def write_responses(folder, responses):
    """Make these responses the content of a folder; its hash."""
    writer = ResponseWriter(folder)
    for one in responses:
        writer.add(one)
    return writer.publish()


def response(text="{}", **changed):
    about = {"model_id": "m", "brief_id": "b", "sample": 1, "status": "success"}
    return Response.model_validate(
        about | {"raw_text": text, "parsed_graph": extract(text)[0]} | changed
    )


def reread(folder):
    return read_response((folder / NAME).read_bytes(), file="")


def files_below(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))


def nested(depth):
    return "[" * depth + "]" * depth


@cases(
    "text",
    {
        "odd numbers": '{"a": 12345678901234567890, "b": -0.0, "c": 1e400, "e123": "e400"}',
        "odd characters": '{"a": "\\ud800", "b": "é\\u2028"}',
        "nested": nested(199),
        "nested too deeply": nested(50_000),
    },
)
def test_any_answer_can_be_written_and_reads_back_equal(folder, text):
    write_responses(folder, [response(text)])
    assert reread(folder) == response(text)


def test_a_folder_that_has_the_same_files_is_not_touched(folder):
    write_responses(folder, [response()])
    before = (folder / NAME).stat()
    assert write_responses(folder, [response()]) == folder_sha256(folder)
    assert (folder / NAME).stat() == before


def make_file(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("in the way")


def make_folder(path):
    (path / "in the way").mkdir(parents=True)


@cases(
    "name, make",
    {
        "a file, not a model's folder": ("m", make_file),
        "a folder, not a file": (NAME, make_folder),
        "another file": (NAME, make_file),
    },
)
def test_what_is_in_the_way_of_a_response_is_replaced(folder, name, make):
    make(folder / name)
    write_responses(folder, [response()])
    assert files_below(folder) == [NAME]
    assert reread(folder) == response()


def run(**changed):
    of = config(**changed.pop("config", {}))
    prompt = replace(PROMPT, **({"path": "prompts/draft_v1.txt"} | changed.pop("prompt", {})))
    settings = {"prompt": "p", "models": ["m"], "briefs": ["b"]}
    params = Params.model_validate(settings | {"generate": changed.pop("generate", {})})
    plan = RunPlan(
        params=params,
        prompt=prompt,
        models=(planned_model(of, variables=changed.pop("variables", {})),),
        briefs=(brief(changed.pop("brief", "b")),),
        cells=(),
    )
    return manifest(plan, recorded={}, answers={}, responses_sha256="", git_sha=None)


@pytest.mark.parametrize(
    "change",
    [
        {"prompt": {"text": "Another text."}},
        {"brief": "other"},
        {"config": {"target_mode": "deep"}},
        {"generate": {"samples": 2}},
        {"generate": {"unparsed_draws": 2}},
        {"variables": {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}},
    ],
    ids=str,
)
def test_every_input_changes_the_id(change):
    assert run(**change).run_id != run().run_id
    assert re.fullmatch(r"draft_v1-[0-9a-f]{12}", run().run_id)


def test_it_says_where_each_model_is_called_and_which_are_simulated():
    assert run().endpoints == {"m": "https://api.openai.com/v1"}
    assert run().simulated_models == ()
    simulated = run(config={"provider": "simulated"})
    assert simulated.endpoints == {"m": "simulated"}
    assert simulated.simulated_models == ("m",)


def test_the_tools_version_is_the_one_that_the_project_states():
    stated = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    assert stated["project"]["version"] == TOOL_VERSION
