"""Which inputs of two runs differ."""

from typing import Any

import pytest

from stages.commands.compare.sides import changed_inputs
from stages.shared.records.run import PromptRef
from tests.commands.compare.cards import manifest

RUN = manifest()


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        pytest.param({}, None, id="nothing"),
        pytest.param(
            {"prompt": PromptRef(path="prompts/v20.txt", sha256="bb")},
            "the prompt prompts/v20.txt",
            id="the prompt's text",
        ),
        pytest.param(
            {"prompt": PromptRef(path="prompts/v21.txt", sha256="aa")},
            "the prompt prompts/v21.txt",
            id="another prompt",
        ),
        pytest.param({"models": {}}, "model m", id="a model that is no longer selected"),
        pytest.param({"briefs": {}}, "brief b01", id="a brief that was removed"),
        pytest.param({"samples": 3}, "generate.samples 3", id="more samples"),
        pytest.param({"round": 2}, "generate.round 2", id="another round"),
        pytest.param({"unparsed_draws": 2}, "generate.unparsed_draws 2", id="more draws"),
        pytest.param(
            {"models": {"m": "2", "n": "1"}, "round": 2},
            "model m, n, generate.round 2",
            id="several",
        ),
        pytest.param(
            {"briefs": {"b01": "1"} | {f"c{index}": "1" for index in range(7)}},
            "brief c0, c1, c2, c3, c4 and 2 more",
            id="many briefs",
        ),
    ],
)
def test_what_changed_is_named(changed: dict[str, Any], named: str | None) -> None:
    assert changed_inputs(RUN, RUN.model_copy(update=changed)) == named


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        pytest.param({"models": {"n": "1"}, "briefs": {}}, None, id="on one side only"),
        pytest.param(
            {"models": {"m": "2", "n": "1"}, "briefs": {"b01": "2", "b02": "1"}},
            "model m, brief b01",
            id="on both sides",
        ),
        pytest.param(
            {"prompt": PromptRef(path="prompts/v21.txt", sha256="bb"), "samples": 3},
            "generate.samples 3",
            id="a prompt of another name",
        ),
        pytest.param(
            {"prompt": PromptRef(path="prompts/v20.txt", sha256="bb")},
            "the prompt prompts/v20.txt",
            id="a prompt of the same name",
        ),
    ],
)
def test_between_two_sides_only_what_is_named_nowhere_else_changed(
    changed: dict[str, Any], named: str | None
) -> None:
    assert changed_inputs(RUN, RUN.model_copy(update=changed), of_both=True) == named
