"""Fidelity checks: deterministic tests of whether a graph belongs to its brief. No model judges another."""

from stages.score.fidelity.checker import FIDELITY_RULES, FidelityChecker

__all__ = ["FIDELITY_RULES", "FidelityChecker"]
