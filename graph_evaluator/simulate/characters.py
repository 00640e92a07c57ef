"""The simulated models: how often each does what (`characters.toml`), the two for a search for
a better prompt, and the one that codes labels; and the random numbers that decide.

`simulated-obedient` makes faults until the prompt has the sentence against them, and
`simulated-proposer` answers a request for a better prompt with the sentences against the first two
findings.
"""

import hashlib
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from graph_evaluator.records.json_text import canonical

SIMULATION_VERSION = 4
"""Part of the fingerprints of simulated models: another version gives other answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Character:
    """One simulated model. A chance, 0 to 1, is that of each answer, unless the description says
    otherwise.
    """

    fails_first: float = 0.0
    """That the first call for the answer fails with HTTP 503."""
    leaves_out: float = 0.0
    """For each factor that nothing moves."""
    default_share: float = 0.0
    """For each causal edge: mean 0.5, std 0.125 and probability 0.8."""
    wrong_sign: float = 0.0
    """For each effect of a factor."""
    over_range: float = 0.0
    """For each node: the means that enter it add up to more than 1."""
    omit_status_quo: float = 0.0
    omit_external: float = 0.0
    omit_coaching: float = 0.0
    omit_threshold: float = 0.0
    breaks_rule: float = 0.0
    """That the graph is structurally invalid."""
    copies_example: bool = False
    """Returns the example in the instructions."""
    invents_numbers: bool = False
    """Calls numbers explicit, and targets, that are not in the brief."""
    wrapped: float = 0.0
    """For each of a fence and thinking: that it surrounds the JSON."""
    unparseable: float = 0.0
    reasoning: tuple[int, int] = (0, 0)
    """The number of reasoning tokens."""
    truncated: float = 0.0
    refused: float = 0.0
    tokens_per_s: float = 300.0


_TEXT = files("graph_evaluator.simulate").joinpath("characters.toml").read_text("utf-8")
CHARACTERS = {name: Character(**values) for name, values in tomllib.loads(_TEXT).items()}
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
_OBEDIENT_FAULT_CHANCE = 0.6


def character_of(model: str, instructions: str) -> Character:
    """The character of one of the `MODELS` under these instructions."""
    if model != OBEDIENT:
        return CHARACTERS.get(model, Character())
    chances: dict[str, Any] = {
        fault: 0.0 if sentence in instructions else _OBEDIENT_FAULT_CHANCE
        for fault, sentence in SENTENCES.values()
    }
    return Character(**chances)


class Stream:
    """Pseudo-random numbers that are a pure function of a key, the same on every machine and in
    every Python version: SHA-256 in counter mode.
    """

    def __init__(self, *key: str) -> None:
        self._seed = hashlib.sha256(canonical(list(key))).digest()
        self._counter = 0

    @property
    def name(self) -> str:
        """64 hex digits that name the key."""
        return self._seed.hex()

    def between(self, low: float, high: float) -> float:
        """A number in [low, high)."""
        block = hashlib.sha256(self._seed + self._counter.to_bytes(8, "big")).digest()
        self._counter += 1
        bits = int.from_bytes(block[:8], "big") >> 11
        return low + (high - low) * bits * 2.0**-53

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self.between(0, 1) < probability
