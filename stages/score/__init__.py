"""Scores answers by fixed rules, with the evidence for each score. Never calls a model.

The library: `score` makes the scorecard of one response, `Scorer` of many by the same rules.
"""

from stages.score.scorer import Scorer, score, score_graph

__all__ = ["Scorer", "score", "score_graph"]
