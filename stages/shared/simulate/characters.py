"""The simulated models: how often each does what (`characters.toml`), the two for a search for
a better prompt, and the one that codes labels (`coding.py`).

`simulated-obedient` makes faults until the prompt has the sentence against them, and
`simulated-proposer` answers a request for a better prompt with the sentences against the first two
findings.
"""

import re
import tomllib
from importlib.resources import files
from typing import Annotated

from pydantic import Field

from stages.shared.records.record import Record

Bounds = Annotated[tuple[int, int], Field(strict=False)]
Chance = Annotated[float, Field(ge=0, le=1)]


class Character(Record):
    """One simulated model. A `Chance` is that of each answer, unless the description says
    otherwise.
    """

    fails_first: Chance = 0.0
    """That the first call for the answer fails with HTTP 503."""
    leaves_out: Chance = 0.0
    """For each factor that nothing moves."""
    default_share: Chance = 0.0
    """For each causal edge: mean 0.5, std 0.125 and probability 0.8."""
    wrong_sign: Chance = 0.0
    """For each effect of a factor."""
    over_range: Chance = 0.0
    """For each node: the means that enter it add up to more than 1."""
    omit_status_quo: Chance = 0.0
    omit_external: Chance = 0.0
    omit_coaching: Chance = 0.0
    omit_threshold: Chance = 0.0
    breaks_rule: Chance = 0.0
    """That the graph is structurally invalid."""
    copies_example: bool = False
    """Returns the example in the instructions."""
    invents_numbers: bool = False
    """Calls numbers explicit, and targets, that are not in the brief."""
    wrapped: Chance = 0.0
    """For each of a fence and thinking: that it surrounds the JSON."""
    unparseable: Chance = 0.0
    reasoning: Bounds = (0, 0)
    """The number of reasoning tokens."""
    truncated: Chance = 0.0
    refused: Chance = 0.0
    tokens_per_s: float = 300.0


_TEXT = files("stages.shared.simulate").joinpath("characters.toml").read_text("utf-8")
CHARACTERS = {
    name: Character.model_validate(values) for name, values in tomllib.loads(_TEXT).items()
}
"""The simulated models that ignore what the prompt says, by name."""
OBEDIENT, PROPOSER = "simulated-obedient", "simulated-proposer"
CODER = "simulated-coder"
MODELS = (*CHARACTERS, OBEDIENT, PROPOSER, CODER)
"""All names."""

SENTENCES = {
    "status_quo_present": ("omit_status_quo", "Going on as before is always an option."),
    "coaching_populated": ("omit_coaching", "The coaching is never left empty."),
    "external_factor_present": ("omit_external", "One factor is beyond anybody's control."),
    "default_takeover": ("default_share", "Every effect has numbers of its own."),
    "range_discipline": ("over_range", "What enters a node adds up to less than one."),
}
"""For each finding the fault of a character that leads to it, and the sentence against it."""
_OBEDIENT_FAULT_CHANCE, _MAX_CHANGES = 0.6, 2
_LAST_SENTENCE = "Read the brief once more before you answer."
_PROMPT = re.compile(r"<prompt>\n(.*?)\n</prompt>", re.DOTALL)


def character_of(model: str, instructions: str) -> Character:
    """The character of one of the `MODELS` under these instructions."""
    if model != OBEDIENT:
        return CHARACTERS.get(model, Character())
    chances = {
        fault: 0.0 if sentence in instructions else _OBEDIENT_FAULT_CHANCE
        for fault, sentence in SENTENCES.values()
    }
    return Character.model_validate(chances)


def proposal(request: str) -> str:
    """A better prompt, in the form in which `improve` asks for it."""
    found = _PROMPT.search(request)
    prompt = found[1] if found else request
    changes: list[str] = []
    sentences: list[str] = []
    for finding, (_, sentence) in SENTENCES.items():
        if f"\n{finding} in " in request and sentence not in prompt:
            changes.append(f"{finding}: a sentence against it")
            sentences.append(sentence)
    lines = ["<changes>", *changes[:_MAX_CHANGES], "</changes>", "<prompt>", prompt]
    return "\n".join([*lines, *(sentences[:_MAX_CHANGES] or [_LAST_SENTENCE]), "</prompt>"])
