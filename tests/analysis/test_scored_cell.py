"""What a scored cell says besides the numbers of its scorecard."""

import pytest

from graph_evaluator.analysis.scored_cell import scored_cell
from graph_evaluator.records.scorecard import CheckResult, Scorecard
from tests.builders.cases import cases
from tests.builders.scorecards import card, invalid, sub_score, unanswered, unfaithful, unusable

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
def test_codes_say_what_makes_a_graph_unusable(
    scorecard: Scorecard, outcome: str, codes: tuple[str, ...]
) -> None:
    cell = scored_cell(scorecard)
    assert (cell.outcome, cell.codes) == (outcome, codes)


def test_an_unchecked_graph_says_why() -> None:
    cell = scored_cell(card(fidelity=(NO_WORDS,)))
    assert (cell.fidelity, cell.unchecked) == ("unchecked", True)


@pytest.mark.parametrize(("edges", "share"), [(4, 0.25), (0, None)])
def test_the_share_of_default_edges_needs_causal_edges(edges: int, share: float | None) -> None:
    takeover = sub_score("default_takeover", 0.5, defaults=1 if edges else 0, causal_edges=edges)
    cell = scored_cell(card(sub_scores={"param_quality": (takeover,)}))
    assert cell.default_share == share
    assert set(cell.dimensions.values()) == {0.5}
    assert cell.sub_scores == {"param_quality.default_takeover": 0.5}
