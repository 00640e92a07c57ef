"""Scores answers by fixed rules, with the evidence for each score. Never calls a model.

The library: `Scorer` makes the scorecards of responses to known briefs; `score` of one response by
the specification's rules alone.
"""

from stages.score.scorer import Scorer, rules_sha256, score

__all__ = ["Scorer", "rules_sha256", "score"]
