"""`graph-evaluator run` checks settings first, keeps comments, and leaves `params.yaml` as it was."""

import json
import os

import pytest
from filelock import FileLock

from graph_evaluator.project.run import ONLY_RECORDED, edit_settings
from graph_evaluator.records.errors import InputError
from tests.builders.cases import cases
from tests.pipeline.project import V21

SETTINGS = """\
# what people change
prompt: prompts/a.txt  # the prompt
models: [sim-*, gpt]   # the models
generate:
  samples: 1           # answers
"""


def test_a_change_keeps_comments_lists_and_all_other_keys():
    changes = {"models": ["one", "sim-*"], "generate.samples": 3, "runtime.max_cost_usd": 2.5}
    assert edit_settings(SETTINGS, changes) == (
        SETTINGS.replace("[sim-*, gpt]   #", "[one, sim-*]   #").replace("1           #", "3           #")
        + "runtime:\n  max_cost_usd: 2.5\n"
    )  # fmt: skip


@cases(
    "text, problem",
    {
        "not YAML": ("prompt: a\nmodels: [a, b\nbriefs: c\n", "params.yaml: line 2: is not YAML"),
        "a list": ("- a\n", "params.yaml: must be an object"),
    },
)
def test_settings_that_cannot_be_read_are_one_message(text, problem):
    with pytest.raises(InputError) as raised:
        edit_settings(text, {"prompt": "b"})
    assert str(raised.value).startswith(problem)


@pytest.mark.pipeline
def test_a_new_prompt_for_recorded_models_alone_is_noted(project):
    project.set({"models": ["language-model"]})
    project.commit()
    assert ONLY_RECORDED not in project.run("graph-evaluator run")
    assert ONLY_RECORDED in project.run(f"graph-evaluator run prompt={V21}")


@pytest.mark.pipeline
def test_wrong_settings_are_listed_at_once_and_change_nothing(project):
    before = (project / "params.yaml").read_bytes()
    project.refused(
        "graph-evaluator run prompt=prompts/draft_graph_v12.txt generate.sample=2 'models=[sim-carefull]' =3",
        "command line: =3: must be KEY=VALUE",
    )
    project.refused(
        "graph-evaluator run prompt=prompts/draft_graph_v12.txt 'models=[sim-carefull]'",
        'command line: prompt: there is no file "prompts/draft_graph_v12.txt"',
        'command line: models: nothing in models/ matches "sim-carefull" (did you mean "sim-careful"?)',
    )
    project.refused("graph-evaluator run generate.sample=2", '(did you mean "samples"?)')
    key = (
        "environment: OPENAI_API_KEY: is not set: set it in the environment or in .env, for gpt-4.1"
    )
    project.refused("graph-evaluator run 'models=[gpt-4.1]'", key)
    project.run("rm -r checks")
    project.refused(
        "graph-evaluator run 'score.checks={none: {}}'",
        "checks: is missing, and dvc.yaml names it",
        "command line: score.checks.none: there is no checks/none.py",
    )
    assert (project / "params.yaml").read_bytes() == before


@pytest.mark.pipeline
def test_a_run_is_an_experiment_and_one_that_fails_leaves_the_settings(project):
    project.run(f"graph-evaluator run 'models=[sim-careful]' prompt={V21}")
    assert f"prompt: {V21}" in (project / "params.yaml").read_text()
    assert "exps" in project.run("git for-each-ref --format='%(refname)'")
    before = (project / "params.yaml").read_bytes()
    (project / "dvc.yaml").write_text("stages: {generate: {cmd: 'false'}}\n")
    code, printed = project.attempt("graph-evaluator run generate.samples=2")
    assert code == 1, printed
    assert (project / "params.yaml").read_bytes() == before


@cases("edited", {"as the run wrote it": False, "edited since": True})
@pytest.mark.pipeline
def test_the_next_run_restores_the_settings_of_one_that_was_killed(project, edited):
    params = project / "params.yaml"
    before = params.read_text()
    after = edit_settings(before, {"generate.samples": 7})
    left = project / ".dvc/tmp/graph-evaluator-run.json"
    left.parent.mkdir(exist_ok=True)
    left.write_text(json.dumps({"before": before, "after": after}))
    params.write_text(after + ("# mine\n" if edited else ""))
    project.refused("graph-evaluator run prompt=none.txt", "there is no file")
    assert (params.read_text() == before) is not edited
    assert not left.exists()


@pytest.mark.pipeline
def test_a_run_next_to_another_one_or_to_dvc_says_so(project):
    folder = project / ".dvc/tmp"
    folder.mkdir(exist_ok=True)
    with FileLock(folder / "graph-evaluator-run.lock"):
        for command in ("run", "score", "report"):
            project.refused(
                f"graph-evaluator {command}",
                "another `graph-evaluator run` is running in this project",
            )
    holder = f'{{"p": {{"write": {{"pid": {os.getpid()}, "cmd": "dvc repro"}}}}}}'
    (folder / "rwlock").write_text(holder)
    project.refused("graph-evaluator run", f"DVC is running in this project (PID {os.getpid()})")
