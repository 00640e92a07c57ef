"""What is found wrong with an answer, as one sentence for each name. Pure."""

from collections import Counter
from collections.abc import Sequence

from stages.shared.records.codes import CODES
from stages.shared.records.scorecard import Scorecard


def findings_of(card: Scorecard) -> dict[str, str]:
    """What the reports say about an answer, a sentence for each name: violations and checks that
    did not pass, with advice, stated effects that are not right, sub-scores that are not full.
    """
    unmet = [f"{result.effect} ({result.outcome})" for result in card.effects]
    unmet = [effect for effect in unmet if not effect.endswith("(right)")]
    findings: dict[str, str] = {}
    if unmet:
        findings["effects"] = f"Expected effects that are not met: {', '.join(unmet)}."
    for violation in card.violations:
        findings[violation.code] = f"{violation.message} {CODES[violation.code].fix}"
    for check in card.fidelity:
        if check.outcome in ("warn", "fail"):
            findings[check.name] = f"{check.message} {CODES[check.name].fix}"
    for marks in card.sub_scores.values():
        findings |= {mark.name: mark.message for mark in marks if mark.weight and mark.value < 1}
    return findings


def finding_shares(cards: Sequence[Scorecard]) -> dict[str, float]:
    """The share of answers that have each finding."""
    counts = Counter(name for card in cards for name in findings_of(card))
    return {name: count / len(cards) for name, count in counts.items()}
