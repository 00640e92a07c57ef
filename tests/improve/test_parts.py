"""The draw of the briefs' parts, and the error rate of each use of the holdout."""

from collections import Counter

import pytest

from graph_evaluator.analysis.interval import confidence_of_test
from graph_evaluator.records.brief import Brief, Complexity, Expectations
from graph_evaluator.records.commands import BriefParts


def briefs_of(count: int) -> list[Brief]:
    levels: tuple[Complexity, ...] = ("simple", "moderate", "complex")
    return [
        Brief(f"b{number}", Expectations(complexity=levels[number % 3]), "text", "")
        for number in range(count)
    ]


@pytest.mark.parametrize("count", range(12, 60))
def test_half_of_the_briefs_prove_and_eight_at_least(count: int) -> None:
    sizes = Counter(BriefParts().with_briefs(briefs_of(count)).parts.values())
    assert sizes["holdout"] >= max(8, count // 2)
    assert abs(sizes["learn"] - sizes["choose"]) <= 1
    assert min(sizes["learn"], sizes["choose"]) >= 2


def test_each_complexity_is_in_each_part() -> None:
    briefs = briefs_of(24)
    parts = BriefParts().with_briefs(briefs).parts
    counts = Counter((parts[brief.id], brief.expectations.complexity) for brief in briefs)
    assert len(counts) == 9
    assert {counts["holdout", "simple"], counts["learn", "simple"]} == {4, 2}


def test_the_draw_goes_by_ids_alone() -> None:
    briefs = briefs_of(24)
    changed = [Brief(brief.id, brief.expectations, "other", "x") for brief in reversed(briefs)]
    assert BriefParts().with_briefs(changed).parts == BriefParts().with_briefs(briefs).parts


def test_a_brief_stays_in_its_part_when_others_come_and_go() -> None:
    before = BriefParts(uses=("a use",)).with_briefs(briefs_of(16))
    after = before.with_briefs(briefs_of(40)[4:])
    assert {name: after.parts[name] for name in before.parts} == before.parts
    assert after.uses == ("a use",)
    assert list(after.parts.values()).count("holdout") == 20


def test_all_uses_together_stay_below_the_error_rate() -> None:
    assert sum(1 - confidence_of_test(0.95, number) for number in range(1, 1000)) < 0.05
