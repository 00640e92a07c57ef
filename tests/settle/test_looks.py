from collections.abc import Sequence

import pytest

from stages.compare.pairing import Pairing, pair
from stages.contracts.settlement import Settlement, SettlementEnding
from stages.settle.looks import end_settlement, ending_of, take_look
from tests.compare.cards import card
from tests.settle.designs import design


def sides(
    differences: Sequence[float | None], *, samples: int = 2, answered: bool = True
) -> Pairing:
    """A base of 0.5 in each brief, the samples 0.02 around it, and a head that differs by so much."""

    def cards(moves: Sequence[float | None], tag: str) -> list[object]:
        return [
            card(
                0.5 + move + 0.02 * (-1) ** sample if move is not None and answered else None,
                brief=f"b{brief:02}",
                sample=sample,
                fingerprint=f"{tag}{brief}{sample}",
            )
            for brief, move in enumerate(moves)
            for sample in range(1, samples + 1)
        ]

    return pair(cards([0.0] * len(differences), "a"), cards(differences, "b"))  # type: ignore[arg-type]


SPREAD = [0.3 * (-1) ** brief for brief in range(16)]


@pytest.mark.parametrize(
    ("differences", "verdict", "ending"),
    [
        ([0.1 + move / 10 for move in SPREAD], "better", "verdict"),
        ([-0.1 + move / 10 for move in SPREAD], "worse", "verdict"),
        ([0.3 + move / 10 for move in SPREAD], "better", "verdict"),
        ([-0.3 - move / 10 for move in SPREAD], "worse", "verdict"),
        (SPREAD, "cannot tell", "briefs"),
        ([None] * 10 + SPREAD[:6], "could not measure", "failures"),
    ],
    ids=[
        "a gain",
        "a loss",
        "a large gain",
        "a large loss",
        "briefs that disagree",
        "missing answers",
    ],
)
def test_a_look_has_a_verdict_of_compare_and_ends_the_settlement_accordingly(
    differences: Sequence[float | None], verdict: str, ending: SettlementEnding
) -> None:
    plan = design()
    look = take_look(plan, 0, sides(differences), 64)
    assert (look.verdict, ending_of(plan, look)) == (verdict, ending)


def test_the_settlement_goes_on_while_the_question_is_open_and_ends_with_the_last_look() -> None:
    plan = design()
    moves = [0.03 + move / 5 for move in SPREAD]
    looks = [take_look(plan, index, sides(moves, samples=n), 64) for index, n in enumerate((2, 8))]
    assert [look.verdict for look in looks] == ["cannot tell", "cannot tell"]
    assert [ending_of(plan, look) for look in looks] == [None, "looks"]


@pytest.mark.parametrize(
    ("ending", "failure", "reason"),
    [
        ("briefs", None, "it cannot be settled with these briefs"),
        ("looks", None, "this was the last look"),
        (
            "budget",
            "not called: too dear",
            "the cap on the cost ended look 1 with 60 of 64 answers (not called: too dear)",
        ),
        ("failures", "HTTP 401", "failures ended look 1 with 60 of 64 answers (HTTP 401)"),
    ],
)
def test_an_ending_without_a_verdict_says_why(
    ending: SettlementEnding, failure: str | None, reason: str
) -> None:
    plan = design()
    look = take_look(plan, 0, sides(SPREAD), 64).model_copy(update={"answers": 60})
    begun = Settlement(design=plan, looks=(look,), stored_answers=0, stored_usd=0.0)
    found = end_settlement(begun, ending, failure, ("a command",))
    assert reason in (found.reason or "")
    assert found.verdict == ("could not measure" if failure else "cannot tell")
    assert found.commands == ("a command",)
