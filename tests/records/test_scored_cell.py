"""The outcome of a scored cell, why its graph is not usable, and how it is read."""

from graph_evaluator.records.scorecard import CheckResult, ScoredCell
from tests.builders.cases import cases
from tests.builders.scorecards import card, invalid, unanswered, unfaithful, unusable

UNEXPLAINED = CheckResult(name="effects", outcome="fail", message="Two effects are wrong.")
NO_WORDS = CheckResult(name="grounding", outcome="not_applicable", message="Another language.")


@cases(
    "scorecard, outcome, codes",
    {
        "a usable graph": (card(), "usable", ()),
        "a failed check that does not count": (card(fidelity=(UNEXPLAINED,)), "usable", ()),
        "a failed check that counts": (unfaithful("a", "b", "target"), "unfaithful", ("target",)),
        "broken rules": (invalid("a", "b", "ORPHAN", "ORPHAN"), "invalid", ("ORPHAN", "ORPHAN")),
        "no JSON": (unusable("parse_failed"), "parse_failed", ("parse_failed",)),
        "no answer": (unanswered("rate_limited"), "rate_limited", ("rate_limited",)),
        "nothing to compare with": (card(fidelity=(NO_WORDS,)), "unchecked", ()),
    },
)
def test_codes_say_what_makes_a_graph_unusable(scorecard, outcome, codes):
    assert (scorecard.outcome, scorecard.codes) == (outcome, codes)


def test_a_line_is_read_as_a_scored_cell_without_its_evidence():
    scorecard = card(fidelity=(UNEXPLAINED,), content=0.25, warning_codes=("UNUSED_FACTOR",))
    cell = ScoredCell.model_validate(scorecard.to_json())
    values = [(name, getattr(cell, name)) for name in ScoredCell.model_fields]
    assert values == [(name, getattr(scorecard, name)) for name in ScoredCell.model_fields]
    assert not hasattr(cell, "fidelity")
