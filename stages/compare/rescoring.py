"""Scores a side's answers afresh, under today's rules, so that scores made under different rules are never compared."""

from collections.abc import Iterable, Mapping

import msgspec

from stages.compare.side import Side
from stages.contracts.brief import Brief, Expectations
from stages.contracts.response import Response
from stages.score.scorer import Scorer


def to_rescore(base: Side, head: Side, today: str) -> tuple[bool, bool]:
    """Which of the two sides has to be scored afresh, given the hash of today's rules.

    None when both were scored under the same rules, whatever those are: the scores compare as they stand. The working tree's
    rules are today's, though: with it on a side, and where the rules differ, each side whose rules are not today's.
    """
    rules = base.rules | head.rules
    of_today = base.revision is None or head.revision is None
    if len(rules) <= 1 and (not of_today or rules <= {today}):
        return False, False
    return base.rules != {today}, head.rules != {today}


def rescored(side: Side, answers: Iterable[Response], briefs: Mapping[str, Brief], scorer: Scorer) -> Side:
    """The side with its answers scored afresh; a brief that is gone has the default expectations."""
    scorecards = [
        scorer.score(
            response, briefs[response.brief_id].expectations if response.brief_id in briefs else Expectations()
        )
        for response in answers
    ]
    return msgspec.structs.replace(side, scorecards=tuple(scorecards), rescored=True, recorded=False)
