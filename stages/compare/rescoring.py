"""Scores a side's answers afresh, under today's rules, so that scores made under different rules are never compared."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

import msgspec

from stages.compare.side import Side
from stages.contracts.brief import Brief, Expectations
from stages.contracts.response import Response
from stages.contracts.scorecard import Scorecard

Score: TypeAlias = Callable[[Response, Expectations], Scorecard]
"""What turns an answer into a scorecard under today's rules: the score stage's pure function."""


def to_rescore(base: Side, head: Side, today: str) -> tuple[bool, bool]:
    """Which of the two sides has to be scored afresh, given the hash of today's rules.

    None when both were scored under the same rules, whatever those are: the scores compare as they stand. Else each side whose
    rules are not today's.
    """
    if len(base.rules | head.rules) <= 1:
        return False, False
    return base.rules != {today}, head.rules != {today}


def rescored(side: Side, responses: Iterable[Response], briefs: Mapping[str, Brief], score: Score) -> Side:
    """The side with its answers scored afresh; a brief that is gone has the default expectations."""
    cards = tuple(
        score(response, briefs[response.brief_id].expectations if response.brief_id in briefs else Expectations())
        for response in responses
    )
    return msgspec.structs.replace(side, scorecards=cards, rescored=True)
