"""Which proposals are not tried."""

import pytest

from graph_evaluator.improve.reflection import refusal_of
from graph_evaluator.records.brief import Brief, Expectations

BASE = "Draft nodes and edges with exists_probability, such as 0.125. Ten words that base and brief share are no copy at all."
JAPANESE = "旅館の予約サイトの手数料が上がり続けているため来年から自社の予約システムを作るか今のまま続けるかを決める必要がある"
LEARNED = Brief(
    "clinic-7",
    Expectations(),
    "We lose 1,150 visits a year and must decide by the end of March whether to call patients.",
    "",
)
OTHERS = (
    Brief("b2", Expectations(), "ten words that base and brief share are no copy at all", ""),
    Brief("b3", Expectations(), f"{JAPANESE}。予算は４８０万円。", ""),
)


def refused(text: str) -> str | None:
    return refusal_of(text, BASE, [LEARNED, *OTHERS], 3 * len(BASE))


@pytest.mark.parametrize(
    ("added", "refusal"),
    [
        ("", None),
        (" We LOSE visits, a year; and must: decide by the end.", None),
        (" a year and must\ndecide, BY the end of March whether", "it copies a passage of a brief"),
        (" that year and must decide by the end of March", None),
        (f" {JAPANESE[:39]}", None),
        (f" {JAPANESE[:20]} 、\n{JAPANESE[20:40]}", "it copies a passage of a brief"),
        (" \u202ehidden", "it has invisible characters"),
        (" word" * 100, "it has 617 characters, and 351 are allowed"),
    ],
)  # fmt: skip
def test_a_candidate_is_refused_for_what_it_adds(added: str, refusal: str | None) -> None:
    assert refused(BASE + added) == refusal
