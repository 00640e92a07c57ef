"""Whether the working tree's results are of its inputs, and scoring answers again where the rules differ."""

from dataclasses import replace
from typing import Any

import pytest

from stages.compare.sides import outdated_results
from stages.contracts.brief import Prompt, parse_brief
from stages.contracts.model_config import parse_model_config
from stages.contracts.params import Params
from stages.contracts.run import PromptRef
from stages.shell.inputs import Inputs
from tests.compare.cards import manifest

BRIEF = parse_brief("b01", "---\n---\nShould we?\n", file="b01.md")
MODEL = parse_model_config(
    "m",
    '{"id": "m", "display_name": "M", "provider": "simulated", "model": "sim-careful", "target_mode": "fast"}',
    file="m.json",
)
RUN = manifest(
    prompt=PromptRef(path="prompts/v20.txt", sha256="aa"),
    models={"m": MODEL.sha256},
    briefs={"b01": BRIEF.sha256},
)


PARAMS: dict[str, Any] = {"prompt": "prompts/v20.txt", "models": ["*"], "briefs": ["*"]}


def params(**generate: int) -> Params:
    return Params.model_validate({**PARAMS, "generate": generate})


PRESENT = Inputs(
    params=params(), prompt=Prompt("prompts/v20.txt", "", "aa"), models=(MODEL,), briefs=(BRIEF,)
)


def test_results_of_the_present_inputs_are_up_to_date() -> None:
    assert outdated_results(RUN, PRESENT) is None


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        pytest.param(
            {"prompt": Prompt("prompts/v20.txt", "", "bb")},
            "the prompt prompts/v20.txt",
            id="the prompt's text",
        ),
        pytest.param(
            {"prompt": Prompt("prompts/v21.txt", "", "aa")},
            "the prompt prompts/v21.txt",
            id="another prompt",
        ),
        pytest.param({"models": ()}, "model m", id="a model that is no longer selected"),
        pytest.param({"briefs": ()}, "brief b01", id="a brief that was removed"),
        pytest.param({"params": params(samples=3)}, "generate.samples 3", id="more samples"),
        pytest.param({"params": params(round=2)}, "generate.round 2", id="another round"),
        pytest.param(
            {"params": params(unparsed_draws=2)}, "generate.unparsed_draws 2", id="more draws"
        ),
    ],
)
def test_what_changed_since_is_named(changed: dict[str, Any], named: str) -> None:
    found = outdated_results(RUN, replace(PRESENT, **changed))
    assert found is not None
    assert f"({named})" in found


def test_many_changed_names_are_counted() -> None:
    run = manifest(
        prompt=RUN.prompt,
        models=RUN.models,
        briefs={**RUN.briefs, **{f"c{index}": "1" for index in range(7)}},
    )
    assert "(brief c0, c1, c2, c3, c4 and 2 more)" in (outdated_results(run, PRESENT) or "")
