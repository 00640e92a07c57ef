"""Which inputs of two runs differ."""

from typing import Any

from stages.commands.compare.sides import changed_inputs
from stages.shared.records.response import PromptRef
from tests.builders.cases import cases
from tests.commands.compare.cards import manifest

RUN = manifest()
OTHER_TEXT = PromptRef(path="prompts/v20.txt", sha256="bb")
OTHER_FILE = PromptRef(path="prompts/v21.txt", sha256="aa")


@cases(
    "changed, named, of_both",
    {
        "nothing": ({}, None, None),
        "the prompt's text": ({"prompt": OTHER_TEXT},) + ("the prompt prompts/v20.txt",) * 2,
        "another prompt": ({"prompt": OTHER_FILE}, "the prompt prompts/v21.txt", None),
        "what one side alone has": ({"models": {}, "briefs": {}}, "model m, brief b01", None),
        "what both have, and settings": (
            {"models": {"m": "2", "n": "1"}, "round": 2, "samples": 3},
            "model m, n, generate.samples 3, generate.round 2",
            "model m, generate.samples 3, generate.round 2",
        ),
        "many briefs": (
            {"briefs": {"b01": "1"} | {f"c{index}": "1" for index in range(7)}},
            "brief c0, c1, c2, c3, c4 and 2 more",
            None,
        ),
    },
)
def test_what_changed_is_named(
    changed: dict[str, Any], named: str | None, of_both: str | None
) -> None:
    after = RUN.model_copy(update=changed)
    assert changed_inputs(RUN, after) == named
    assert changed_inputs(RUN, after, of_both=True) == of_both
