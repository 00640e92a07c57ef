"""Equal inputs give an equal run id; every input that matters changes it."""

import tomllib
from typing import Any

import pytest

from stages.contracts.params import GenerateParams
from stages.contracts.run import TOOL_VERSION, PromptRef, Run
from stages.generate.plan.endpoint import endpoint_of
from stages.generate.responses.manifest import commit_of_same, manifest
from tests.generate.asking import brief, config
from tests.generate.workspace import REPOSITORY


def run(**changed: Any) -> Run:
    of = config(**changed.pop("config", {}))
    return manifest(
        PromptRef(path=changed.pop("path", "prompts/draft_v1.txt"), sha256=changed.pop("sha256", "a" * 64)),
        [(of, endpoint_of(of, changed.pop("variables", {})))],
        [brief(changed.pop("brief", "b"))],
        GenerateParams.model_validate(changed.pop("generate", {})),
        git_sha=changed.pop("git_sha", None),
        tool_version="0",
    )


def test_the_id_is_the_prompts_stem_and_twelve_hex_digits() -> None:
    stem, _, digits = run().run_id.rpartition("-")
    assert stem == "draft_v1"
    assert len(digits) == 12
    int(digits, 16)


def test_the_commit_does_not_change_the_id() -> None:
    assert run(git_sha="1" * 40).run_id == run().run_id
    assert run(git_sha="1" * 40).git_sha == "1" * 40


def test_a_run_that_differs_only_in_the_commit_is_the_run_before() -> None:
    before = run(git_sha="1" * 40)
    assert commit_of_same(run(git_sha="2" * 40), before) == "1" * 40
    assert commit_of_same(run(brief="other"), before) is None
    assert commit_of_same(run(), run()) is None
    assert commit_of_same(run(), None) is None


@pytest.mark.parametrize(
    "change",
    [
        {"sha256": "b" * 64},
        {"path": "prompts/other.txt"},
        {"brief": "other"},
        {"config": {"target_mode": "deep"}},
        {"generate": {"samples": 2}},
        {"generate": {"round": 2}},
        {"generate": {"unparsed_draws": 2}},
        {"variables": {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}},
    ],
    ids=str,
)
def test_every_input_changes_the_id(change: dict[str, Any]) -> None:
    assert run(**change).run_id != run().run_id


def test_it_says_where_each_model_is_called_and_which_are_simulated() -> None:
    assert run().endpoints == {"m": "https://api.openai.com/v1"}
    assert run().simulated_models == ()
    simulated = run(config={"provider": "simulated"})
    assert (simulated.endpoints, simulated.simulated_models) == ({"m": "simulated"}, ("m",))


def test_the_tools_version_is_the_one_that_the_project_states() -> None:
    stated = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    assert stated["project"]["version"] == TOOL_VERSION
