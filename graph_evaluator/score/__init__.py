"""Scores answers by fixed rules, with the evidence for each score. Never calls a model.

The library: `Scorer` makes the scorecards of responses to known briefs.
"""

from graph_evaluator.score.scorer import Scorer, rules_sha256

__all__ = ["Scorer", "rules_sha256"]
