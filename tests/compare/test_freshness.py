"""Whether the working tree's results are those of its inputs."""

import hashlib
from typing import Any

import pytest

from stages.compare.freshness import stale, unscored
from stages.contracts.brief import parse_brief
from stages.contracts.cell import Cell
from stages.contracts.model_config import config_sha256_text, parse_model_config
from stages.contracts.params import GenerateParams
from stages.contracts.run import PromptRef
from tests.compare.cards import card, manifest

BRIEF = parse_brief("b01", "---\n---\nShould we?\n", file="b01.md")
MODEL = parse_model_config(
    "m",
    '{"id": "m", "display_name": "M", "provider": "simulated", "model": "sim-careful", "target_mode": "fast"}',
    file="m.json",
)
RUN = manifest(
    prompt=PromptRef(path="prompts/v20.txt", sha256="aa"),
    models={"m": hashlib.sha256(config_sha256_text(MODEL)).hexdigest()},
    briefs={"b01": BRIEF.sha256},
)


def asked(**settings: int) -> GenerateParams:
    return GenerateParams.model_validate(settings)


PRESENT: dict[str, Any] = {
    "prompt_path": "prompts/v20.txt",
    "prompt_sha256": "aa",
    "models": (MODEL,),
    "briefs": (BRIEF,),
    "settings": asked(),
}


def test_results_of_the_present_inputs_are_fresh() -> None:
    assert stale(RUN, **PRESENT) is None


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        pytest.param({"prompt_sha256": "bb"}, "the prompt prompts/v20.txt", id="the prompt's text"),
        pytest.param({"prompt_path": "prompts/v21.txt"}, "the prompt prompts/v21.txt", id="another prompt"),
        pytest.param({"models": ()}, "model m", id="a model that is not selected any more"),
        pytest.param({"briefs": ()}, "brief b01", id="a brief that is gone"),
        pytest.param({"settings": asked(samples=3)}, "generate.samples 3", id="more samples"),
        pytest.param({"settings": asked(round=2)}, "generate.round 2", id="another round"),
        pytest.param({"settings": asked(unparsed_draws=2)}, "generate.unparsed_draws 2", id="more draws"),
    ],
)
def test_what_changed_since_is_named(changed: dict[str, Any], told: str) -> None:
    found = stale(RUN, **{**PRESENT, **changed})
    assert found is not None
    assert f"({told})" in found


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        pytest.param({Cell("m", "b01", 1): "f"}, False, id="the answers that were scored"),
        pytest.param({Cell("m", "b01", 1): "g"}, True, id="another answer"),
        pytest.param({Cell("m", "b01", 1): "f", Cell("m", "b02", 1): "h"}, True, id="one more answer"),
        pytest.param({}, False, id="no answers to hold them to"),
    ],
)
def test_scores_that_are_not_of_the_answers_beside_them_are_told(answers: dict[Cell, str | None], told: bool) -> None:
    found = unscored([card(fingerprint="f")], answers)
    assert (found is not None and "not of the present answers" in found) is told
