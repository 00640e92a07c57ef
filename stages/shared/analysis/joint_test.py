"""The test of two numbers, expected score and content, that share one error rate. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from stages.shared.analysis.error_rate import step_down
from stages.shared.analysis.paired_test import MIN_BRIEFS, PairedTest, paired_test
from stages.shared.records.params import CompareParams

JointVerdict = Literal[
    "could not measure", "better", "worse", "mixed", "no meaningful difference", "cannot tell"
]
CODED_TO_DECIDE = 0.9
"""Content decides where on each side such a share of the labels is coded."""


@dataclass(frozen=True, slots=True)
class JointTest:
    """The verdict on both numbers; `content` is None where score alone decides."""

    verdict: JointVerdict
    score: PairedTest
    content: PairedTest | None = None


def joint_test(
    scores: Sequence[float],
    contents: Sequence[float] | None,
    params: CompareParams,
    confidence: float,
) -> JointTest:
    """The test of the differences by brief; without six briefs in `contents`
    that of the scores alone.

    *Better*: one number is better, the other not worse. *Worse*: one is worse, the other not
    better. *Mixed*: one is better and the other worse. The two share the error rate by Holm's
    procedure. *No meaningful difference*: both are within their smallest difference, which is one
    claim about both, so that each has the whole error rate. *Cannot tell*: anything else.

    >>> params = CompareParams.model_validate({})
    >>> gain, loss = [0.1, 0.2, 0.0, 0.1, 0.2, 0.1], [-0.2, -0.1, -0.2, -0.2, -0.1, -0.1]
    >>> joint_test(gain, loss, params, 0.95).verdict, joint_test(gain, None, params, 0.95).verdict
    ('mixed', 'better')
    """
    of_score = partial(paired_test, scores, params.min_difference)
    if contents is None or len(contents) < MIN_BRIEFS:
        score = of_score(confidence)
        return JointTest(score.verdict, score)
    of_content = partial(paired_test, contents, params.min_content_difference)
    tests = step_down({"score": of_score, "content": of_content}, confidence, _excludes_zero)
    verdict = _verdict(tuple(tests.values()))
    at_full_rate = of_score(confidence), of_content(confidence)
    if verdict == "cannot tell" and all(map(_is_within, at_full_rate)):
        return JointTest("no meaningful difference", *at_full_rate)
    return JointTest(verdict, tests["score"], tests["content"])


def _verdict(tests: Sequence[PairedTest]) -> JointVerdict:
    verdicts = {test.verdict for test in tests}
    is_better, is_worse = "better" in verdicts, "worse" in verdicts
    if all(map(_is_within, tests)) and is_better == is_worse:
        return "no meaningful difference"
    if is_better and all(test.not_worse for test in tests):
        return "better"
    if is_worse and all(test.not_better for test in tests):
        return "worse"
    return "mixed" if is_better and is_worse else "cannot tell"


def _excludes_zero(test: PairedTest) -> bool:
    return test.difference.excludes_zero


def _is_within(test: PairedTest) -> bool:
    return test.not_worse and test.not_better
