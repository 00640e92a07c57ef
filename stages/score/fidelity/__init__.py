"""Fidelity checks: deterministic tests of whether a graph belongs to its brief. No model judges another."""

from stages.score.fidelity.checker import FidelityChecker
from stages.score.fidelity.rules import FIDELITY_RULES

__all__ = ["FIDELITY_RULES", "FidelityChecker"]
