"""The simulated models: one drafter, and for each model how often it does what."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Character:
    """One simulated model; every number is a probability (0..1) unless its comment says otherwise."""

    default_share: float = (
        0.0  # that a causal edge is left at mean 0.5, std 0.125 and probability 0.8
    )
    over_range: float = 0.0  # that the means that enter a node add up to more than 1
    omit_status_quo: float = 0.0
    twin_options: float = 0.0  # two options with equal interventions
    empty_option: float = 0.0  # an option that sets nothing
    shared_levers: float = 0.0  # every option sets every factor
    omit_external: float = 0.0
    omit_coaching: float = 0.0
    omit_threshold: float = 0.0
    generic_label: float = 0.0  # for each factor: a label such as "Cost"
    observables: tuple[int, int] = (0, 0)  # the range of the number of factors that no option sets
    copies_example: bool = False  # returns the example graph in the instructions
    invents_numbers: bool = (
        False  # calls numbers explicit that the brief does not contain, and invents targets
    )
    faults: tuple[int, ...] = (0,)  # numbers of structural faults, each equally likely
    wrapped: float = 0.0  # for each of a fence, prose and thinking: that it surrounds the JSON
    unparseable: float = 0.0
    reasoning: tuple[int, int] = (0, 0)  # the range of the number of reasoning tokens
    truncated: float = 0.0
    refused: float = 0.0
    tokens_per_s: float = 300.0


CHARACTERS: dict[str, Character] = {
    "sim-careful": Character(
        over_range=0.12, omit_status_quo=0.03, shared_levers=0.06, omit_external=0.03, omit_coaching=0.03, omit_threshold=0.08,
        generic_label=0.03, observables=(0, 2), tokens_per_s=170,
    ),
    "sim-chatty": Character(
        default_share=0.08, over_range=0.3, omit_status_quo=0.08, twin_options=0.05, shared_levers=0.12, omit_external=0.06,
        omit_threshold=0.15, generic_label=0.05, observables=(2, 9), faults=(0,) * 24 + (1,), wrapped=0.5, unparseable=0.14,
    ),
    "sim-deep": Character(
        over_range=0.05, shared_levers=0.03, omit_threshold=0.03, generic_label=0.01, observables=(0, 1), reasoning=(2500, 9000),
        truncated=0.09, refused=0.07, tokens_per_s=200,
    ),
    "sim-defaults": Character(
        default_share=1.0, omit_status_quo=0.1, twin_options=0.08, shared_levers=0.15, omit_external=0.12, omit_coaching=0.1,
        omit_threshold=0.25, generic_label=0.12, observables=(0, 3), tokens_per_s=1100,
    ),
    "sim-flaky": Character(
        default_share=0.15, over_range=0.25, omit_status_quo=0.1, twin_options=0.06, shared_levers=0.15, omit_external=0.1,
        omit_coaching=0.1, omit_threshold=0.2, generic_label=0.08, observables=(0, 4), faults=(0,) * 15 + (1,),
    ),
    "sim-forgetful": Character(
        default_share=0.2, over_range=0.25, omit_status_quo=0.95, twin_options=0.4, empty_option=0.2, shared_levers=0.25,
        omit_external=0.2, omit_coaching=0.95, omit_threshold=0.35, generic_label=0.1, observables=(0, 3), tokens_per_s=400,
    ),
    "sim-inventor": Character(over_range=0.1, omit_status_quo=0.05, observables=(1, 3), invents_numbers=True, tokens_per_s=350),
    "sim-parrot": Character(copies_example=True, tokens_per_s=1100),
    "sim-sloppy": Character(
        default_share=0.5, over_range=0.5, omit_status_quo=0.3, twin_options=0.25, empty_option=0.2, shared_levers=0.35,
        omit_external=0.4, omit_coaching=0.35, omit_threshold=0.5, generic_label=0.35, observables=(0, 12),
        faults=(0, 1, 1, 2, 3), wrapped=0.1, unparseable=0.03, tokens_per_s=1000,
    ),
}  # fmt: skip
"""The simulated models that answer, by name."""

MODELS = tuple(sorted((*CHARACTERS, "drill-calls", "drill-key", "drill-quota")))
"""All names; the drills never answer and show what happens to failed calls."""
