import json
import re
from pathlib import Path
from typing import Any

import pytest
from dvc.utils.serialize import modify_yaml

from graph_evaluator.project.run import edit_settings
from graph_evaluator.records.brief import Expectations
from graph_evaluator.records.json_text import parse
from graph_evaluator.records.params import ScoringRules
from graph_evaluator.shell.inputs import load_briefs, load_inputs, load_models, load_params
from tests import REPOSITORY
from tests.builders.cases import cases
from tests.builders.responses import response
from tests.score.drafts import draft, score, scored


@pytest.fixture(autouse=True)
def _in_the_repository(monkeypatch):
    monkeypatch.chdir(REPOSITORY)


@pytest.mark.parametrize(
    "prompt", sorted((REPOSITORY / "prompts").glob("draft_*.txt")), ids=lambda path: path.stem
)
def test_the_example_in_a_prompt_scores_well_by_the_rules_it_teaches(prompt):
    found = re.findall(r"(?ms)^<example_graph>\n(.*?)\n</example_graph>$", prompt.read_text())
    assert len(found) == 1
    answer = response(parsed_graph=parse(found[0]))
    expectations = Expectations(
        expect_status_quo=True, has_numeric_target=True, complexity="moderate"
    )
    card = score(answer, expectations, ScoringRules())
    assert card.violation_codes == ()
    assert card.overall_score is not None
    assert card.overall_score >= 0.95


def test_every_target_mode_has_real_candidates():
    real = [model for model in load_models() if model.provider == "openai"]
    assert {model.target_mode for model in real} == {"fast", "normal", "deep"}
    assert all(model.api_key_env == "OPENAI_API_KEY" and model.pricing for model in real)


def test_the_shipped_settings_select_no_model_that_is_paid_for():
    _, models, _ = load_inputs(load_params())
    assert {model.provider for model in models} == {"simulated", "recorded"}


def test_the_shipped_recorded_model_answers_all_but_the_made_up_briefs_under_the_prompt():
    params = load_params()
    _, models, _ = load_inputs(params)
    (recorded,) = (model for model in models if model.provider == "recorded")
    assert recorded.prompt == params.prompt
    answers = Path(recorded.answers or "").read_text().splitlines()
    answered = [json.loads(line)["brief"] for line in answers]
    real = sorted(brief.id for brief in load_briefs() if not brief.expectations.exact_names)
    assert answered == 2 * real


def test_the_shipped_rules_are_the_specifications():
    shipped = load_params().score
    assert shipped.model_dump(exclude={"checks"}) == ScoringRules().model_dump(exclude={"checks"})
    assert sorted(shipped.checks) == sorted(file.stem for file in Path("checks").glob("*.py"))


DOCUMENTED = (REPOSITORY / "docs/checks.md").read_text()


@cases(
    "code",
    {
        "the documented one": DOCUMENTED.partition("```python\n")[2].partition("```")[0],
        **{file.stem: file.read_text() for file in (REPOSITORY / "checks").glob("*.py")},
    },
)
def test_a_check_takes_a_valid_graph_without_what_may_be_left_out(code):
    graph = draft()
    for node in graph["nodes"]:
        node.pop("label", None)
        node["goal_threshold_unit"] = 5
        if node["kind"] == "option":
            del node["data"]
        if node["kind"] == "factor":
            node["data"] = node.get("data", {}) | {"unit": 5}
    assert scored(graph).usable
    names: dict[str, Any] = {}
    exec(code, names)
    names["check"](graph, {"id": "b", "body": "Spend at most 5 EUR."})


def test_the_settings_are_shipped_as_dvc_and_run_write_them(tmp_path):
    """So that a changed key changes one line, and two branches that set different keys merge."""
    shipped = Path("params.yaml").read_bytes()
    copy = tmp_path / "params.yaml"
    copy.write_bytes(shipped)
    with modify_yaml(str(copy)) as params:
        params["generate"]["samples"] = params["generate"]["samples"]
    assert copy.read_bytes() == shipped
    text = shipped.decode()
    assert edit_settings(text, {"generate.samples": 1}) == text
