"""The simulated models: one drafter, and how often each model does what (`characters.toml`)."""

import tomllib
from importlib.resources import files
from typing import Annotated

from pydantic import Field

from stages.contracts.record import Array, Record

Bounds = Annotated[tuple[int, int], Field(strict=False)]
Chance = Annotated[float, Field(ge=0, le=1)]


class Character(Record):
    """One simulated model. A `Chance` is that of each answer, unless the description says
    otherwise.
    """

    knows_briefs: bool = False
    """Answers the shipped briefs with the drafts drawn by hand."""
    leaves_out: Chance = 0.0
    """For each factor that nothing moves."""
    adds_confounder: Chance = 0.0
    """Between a factor that nothing moves and a risk."""
    default_share: Chance = 0.0
    """For each causal edge: mean 0.5, std 0.125 and probability 0.8."""
    over_range: Chance = 0.0
    """For each node: the means that enter it add up to more than 1."""
    omit_status_quo: Chance = 0.0
    twin_options: Chance = 0.0
    """Two options with equal interventions."""
    empty_option: Chance = 0.0
    """An option that sets nothing."""
    shared_levers: Chance = 0.0
    """Every option sets every factor."""
    omit_external: Chance = 0.0
    omit_coaching: Chance = 0.0
    omit_threshold: Chance = 0.0
    generic_label: Chance = 0.0
    """For each factor: a label such as "Cost"."""
    observables: Bounds = (0, 0)
    """How many factors no option sets."""
    copies_example: bool = False
    """Returns the example in the instructions."""
    invents_numbers: bool = False
    """Calls numbers explicit, and targets, that are not in the brief."""
    faults: Array[int] = (0,)
    """Numbers of structural faults, equally likely."""
    wrapped: Chance = 0.0
    """For each of a fence, prose and thinking: that it surrounds the JSON."""
    unparseable: Chance = 0.0
    reasoning: Bounds = (0, 0)
    """The number of reasoning tokens."""
    truncated: Chance = 0.0
    refused: Chance = 0.0
    tokens_per_s: float = 300.0


_TEXT = files("stages.simulate").joinpath("characters.toml").read_text("utf-8")
CHARACTERS = {name: Character.read(values) for name, values in tomllib.loads(_TEXT).items()}
"""The simulated models that answer, by name."""

OBEDIENT, PROPOSER = "drill-obedient", "drill-proposer"
"""The drills for a search for a better prompt (`drills.py`)."""
_FAILING = ("drill-calls", "drill-key", "drill-quota")
"""The drills that never answer and show what happens to failed calls."""
REPAIRS, BREAKS, STUCK = REPAIR_DRILLS = ("drill-repairs", "drill-breaks", "drill-stuck")
"""The drills for answers that are sent back (`drills.py`)."""
MODELS = tuple(sorted((*CHARACTERS, *_FAILING, OBEDIENT, PROPOSER, *REPAIR_DRILLS)))
"""All names."""
