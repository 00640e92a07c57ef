"""Compares two revisions: which prompt, model or setting is better, and whether the difference is
more than noise.

The library: `compare` compares two sides, each with its scorecards.
"""

from stages.commands.compare.comparison import Comparison, compare
from stages.commands.compare.sides import ComparedSide

__all__ = ["ComparedSide", "Comparison", "compare"]
