"""The design of a settlement."""

from collections.abc import Sequence

from stages.contracts.settlement import Boundary, SettleDesign, Spread
from stages.settle.design import ASSUMED, planned


def design(
    samples: Sequence[int] = (2, 8),
    *,
    models: int = 1,
    briefs: int = 16,
    spread: Spread = ASSUMED,
    boundary: Boundary = "pocock",
) -> SettleDesign:
    draft = SettleDesign(
        base="a", head="b", base_prompt="a0", head_prompt="b0",
        base_run="a1", head_run="b1", scoring_rules="r", models=models, briefs=briefs, confidence=0.95, margin=0.02,
        boundary=boundary, spread=spread, reference=0.05, smallest=None, looks=(),
    )  # fmt: skip
    return planned(draft, samples)
