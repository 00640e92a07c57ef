"""The simulated models: how often each does what (`characters.toml`), the one that codes labels,
and the random numbers that decide.
"""

import hashlib
import tomllib
from importlib.resources import files
from typing import NamedTuple

from graph_evaluator.records.json_text import canonical

SIMULATION_VERSION = 6
"""Part of the fingerprints of simulated models: another version gives other answers."""


class Character(NamedTuple):
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
    wrapped: float = 0.0
    """For each of a fence and thinking: that it surrounds the JSON."""
    unparseable: float = 0.0
    truncated: float = 0.0
    """That the answer reaches `max_output_tokens` and is cut off."""
    refused: float = 0.0
    tokens_per_s: float = 300.0


_TEXT = files("graph_evaluator.simulate").joinpath("characters.toml").read_text("utf-8")
CHARACTERS = {name: Character(**values) for name, values in tomllib.loads(_TEXT).items()}
"""The simulated models that draft graphs, by name."""
CODER = "simulated-coder"
MODELS = (*CHARACTERS, CODER)
"""All names."""


class Stream:
    """Pseudo-random numbers that are a pure function of a key, the same on every machine and in
    every Python version: SHA-256 in counter mode.
    """

    def __init__(self, *key: str) -> None:
        self._seed = hashlib.sha256(canonical(list(key)).encode()).digest()
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
