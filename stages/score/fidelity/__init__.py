"""Fidelity checks: deterministic tests of whether a graph belongs to its brief. No model judges another."""

from stages.score.fidelity.checker import FidelityChecker

__all__ = ["FidelityChecker"]
