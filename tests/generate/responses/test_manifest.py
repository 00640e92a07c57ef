"""Equal inputs give an equal run id; every input that matters changes it."""

import re
import tomllib
from dataclasses import replace
from typing import Any

import pytest

from stages.generate.responses.files import manifest
from stages.shared.records.params import GenerateParams
from stages.shared.records.response import TOOL_VERSION, Run
from tests.generate.asking import PROMPT, brief, config, planned_model
from tests.generate.workspace import REPOSITORY


def run(**changed: Any) -> Run:
    of = config(**changed.pop("config", {}))
    return manifest(
        replace(PROMPT, **({"path": "prompts/draft_v1.txt"} | changed.pop("prompt", {}))),
        [planned_model(of, variables=changed.pop("variables", {}))],
        [brief(changed.pop("brief", "b"))],
        GenerateParams.model_validate(changed.pop("generate", {})),
    )


@pytest.mark.parametrize(
    "change",
    [
        {"prompt": {"sha256": "b" * 64}},
        {"prompt": {"path": "prompts/other.txt"}},
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
    assert re.fullmatch(r"draft_v1-[0-9a-f]{12}", run().run_id)


def test_it_says_where_each_model_is_called_and_which_are_simulated() -> None:
    assert run().endpoints == {"m": "https://api.openai.com/v1"}
    assert run().simulated_models == ()
    simulated = run(config={"provider": "simulated"})
    assert simulated.endpoints == {"m": "simulated"}
    assert simulated.simulated_models == ("m",)


def test_the_tools_version_is_the_one_that_the_project_states() -> None:
    stated = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    assert stated["project"]["version"] == TOOL_VERSION
