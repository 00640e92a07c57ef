"""Whether the working tree's results are those of its inputs."""

import hashlib

import pytest

from stages.compare.freshness import stale
from stages.contracts.brief import parse_brief
from stages.contracts.model_config import config_sha256_text, parse_model_config
from stages.contracts.run import PromptRef
from tests.compare.cards import manifest

BRIEF = parse_brief("b01", "---\n---\nShould we?\n", file="b01.md")
MODEL = parse_model_config(
    "m",
    '{"id": "m", "display_name": "M", "provider": "simulated", "model": "sim-careful", "target_mode": "fast"}',
    file="m.json",
)
RUN = manifest(
    prompt=PromptRef("prompts/v20.txt", "aa"),
    models={"m": hashlib.sha256(config_sha256_text(MODEL)).hexdigest()},
    briefs={"b01": BRIEF.sha256},
)


def test_results_of_the_present_inputs_are_fresh() -> None:
    assert stale(RUN, prompt_path="prompts/v20.txt", prompt_sha256="aa", models=(MODEL,), briefs=(BRIEF,)) is None


@pytest.mark.parametrize(
    ("path", "sha256", "models", "briefs", "told"),
    [
        pytest.param("prompts/v20.txt", "bb", (MODEL,), (BRIEF,), "the prompt prompts/v20.txt", id="the prompt's text"),
        pytest.param("prompts/v21.txt", "aa", (MODEL,), (BRIEF,), "the prompt prompts/v21.txt", id="another prompt"),
        pytest.param("prompts/v20.txt", "aa", (), (BRIEF,), "model m", id="a model that is not selected any more"),
        pytest.param("prompts/v20.txt", "aa", (MODEL,), (), "brief b01", id="a brief that is gone"),
    ],
)
def test_what_changed_since_is_named(path: str, sha256: str, models: tuple, briefs: tuple, told: str) -> None:  # type: ignore[type-arg]
    found = stale(RUN, prompt_path=path, prompt_sha256=sha256, models=models, briefs=briefs)
    assert found is not None
    assert f"({told})" in found
