"""The design of a settlement."""

from collections.abc import Sequence

from stages.contracts.settlement import PlannedLook, SettleDesign


def design(samples: Sequence[int] = (2, 8), *, models: int = 1, briefs: int = 16) -> SettleDesign:
    return SettleDesign(
        base="a", head="b", base_prompt="a0", head_prompt="b0", base_run="a1", head_run="b1",
        models=models, briefs=briefs, confidence=0.95, margin=0.02,
        looks=tuple(PlannedLook(samples=count) for count in samples),
    )  # fmt: skip
