"""Scores a side's answers afresh, under today's rules, so that scores made under different rules are never compared."""

from collections.abc import Iterable, Mapping

import msgspec

from stages.compare.side import Side
from stages.contracts.brief import Brief, Expectations
from stages.contracts.scorecard import Scorecard
from stages.score.scorer import Scorer
from stages.score.stored_response import StoredAnswer


def to_rescore(base: Side, head: Side, today: str) -> tuple[bool, bool]:
    """Which of the two sides has to be scored afresh, given the hash of today's rules.

    None when both were scored under the same rules, whatever those are: the scores compare as they stand. Else each side whose
    rules are not today's.
    """
    if len(base.rules | head.rules) <= 1:
        return False, False
    return base.rules != {today}, head.rules != {today}


def rescored(side: Side, answers: Iterable[StoredAnswer], briefs: Mapping[str, Brief], scorer: Scorer) -> Side:
    """The side with its answers scored afresh; a brief that is gone has the default expectations."""
    return msgspec.structs.replace(
        side, scorecards=tuple(_card(answer, briefs, scorer) for answer in answers), rescored=True
    )


def _card(answer: StoredAnswer, briefs: Mapping[str, Brief], scorer: Scorer) -> Scorecard:
    brief = briefs.get(answer.response.brief_id)
    expectations = brief.expectations if brief else Expectations()
    return scorer.score_reading(answer.response, answer.reading, expectations)
