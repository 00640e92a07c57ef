"""A character: how often a simulated model does what, as probabilities (0..1) unless said otherwise."""

import msgspec


class Character(msgspec.Struct, frozen=True, kw_only=True):
    """One simulated model. The drafting is the same for all; these numbers are what makes them differ."""

    name: str
    # parameters of the edges
    default_share: float = 0.0
    """Share of causal edges that are left at mean 0.5 and std 0.125."""
    few_strengths: float = 0.0
    flat_std: float = 0.0
    flat_exists: float = 0.0
    over_range: float = 0.0
    """That what enters an outcome, a risk or the goal adds up to more than 1."""
    # options
    omit_status_quo: float = 0.0
    twin_options: float = 0.0
    empty_option: float = 0.0
    shared_levers: float = 0.0
    # completeness
    omit_external: float = 0.0
    omit_coaching: float = 0.0
    omit_threshold: float = 0.0
    generic_label: float = 0.0
    """For each factor: that its label says nothing."""
    extra_factors: tuple[int, int] = (0, 0)
    confounder: float = 0.5
    # structure and text
    faults: tuple[float, ...] = ()
    """Probabilities of 0, 1, 2, ... structural faults; empty for none."""
    prose: float = 0.0
    fence: float = 0.0
    thinking: float = 0.0
    unparseable: float = 0.0
    # course of the call
    reasoning: tuple[int, int] | None = None
    """Reasoning tokens, from and to; None for a model that does not reason."""
    truncated: float = 0.0
    refused: float = 0.0
    first_token_ms: tuple[float, float] = (300.0, 900.0)
    tokens_per_s: tuple[float, float] = (90.0, 130.0)


CAST: dict[str, Character] = {
    character.name: character
    for character in (
        Character(
            name="sim-careful",
            few_strengths=0.05, flat_exists=0.04, flat_std=0.03, over_range=0.12, omit_status_quo=0.03, shared_levers=0.06,
            omit_external=0.03, omit_coaching=0.03, omit_threshold=0.08, generic_label=0.03, extra_factors=(0, 2),
            first_token_ms=(700, 1500), tokens_per_s=(150, 190),
        ),
        Character(
            name="sim-defaults",
            default_share=1.0, flat_exists=1.0, over_range=0.0, omit_status_quo=0.10, twin_options=0.08, shared_levers=0.15,
            omit_external=0.12, omit_coaching=0.10, omit_threshold=0.25, generic_label=0.12, extra_factors=(0, 3), confounder=0.2,
            first_token_ms=(150, 350), tokens_per_s=(900, 1400),
        ),
        Character(
            name="sim-forgetful",
            default_share=0.06, few_strengths=0.15, flat_exists=0.15, flat_std=0.10, over_range=0.25, omit_status_quo=0.95,
            twin_options=0.40, empty_option=0.20, shared_levers=0.25, omit_external=0.20, omit_coaching=0.95, omit_threshold=0.35,
            generic_label=0.10, extra_factors=(0, 3), confounder=0.3, first_token_ms=(300, 700), tokens_per_s=(350, 450),
        ),
        Character(
            name="sim-chatty",
            default_share=0.08, few_strengths=0.10, flat_exists=0.08, flat_std=0.05, over_range=0.30, omit_status_quo=0.08,
            twin_options=0.05, shared_levers=0.12, omit_external=0.06, omit_coaching=0.0, omit_threshold=0.15, generic_label=0.05,
            extra_factors=(2, 9), faults=(0.96, 0.04), prose=0.55, fence=0.60, thinking=0.20, unparseable=0.14,
            first_token_ms=(400, 900), tokens_per_s=(220, 300),
        ),
        Character(
            name="sim-sloppy",
            default_share=0.35, few_strengths=0.40, flat_exists=0.40, flat_std=0.30, over_range=0.50, omit_status_quo=0.30,
            twin_options=0.25, empty_option=0.20, shared_levers=0.35, omit_external=0.40, omit_coaching=0.35, omit_threshold=0.50,
            generic_label=0.35, extra_factors=(0, 12), confounder=0.2, faults=(0.18, 0.22, 0.30, 0.30), fence=0.15, unparseable=0.03,
            first_token_ms=(200, 400), tokens_per_s=(800, 1200),
        ),
        Character(
            name="sim-flaky",
            default_share=0.05, few_strengths=0.12, flat_exists=0.08, flat_std=0.06, over_range=0.25, omit_status_quo=0.10,
            twin_options=0.06, shared_levers=0.15, omit_external=0.10, omit_coaching=0.10, omit_threshold=0.20, generic_label=0.08,
            extra_factors=(0, 4), faults=(0.94, 0.06), first_token_ms=(400, 1500), tokens_per_s=(200, 400),
        ),
        Character(
            name="sim-deep",
            few_strengths=0.02, flat_exists=0.02, over_range=0.05, shared_levers=0.03, omit_threshold=0.03, generic_label=0.01,
            extra_factors=(0, 1), confounder=0.8, reasoning=(2500, 9000), truncated=0.09, refused=0.07,
            first_token_ms=(900, 2500), tokens_per_s=(160, 230),
        ),
    )
}  # fmt: skip
"""The simulated models that answer, by name."""

DRILLS: tuple[str, ...] = ("drill-calls", "drill-key", "drill-quota")
"""The simulated models that never answer: for exercising what happens to failed calls."""
