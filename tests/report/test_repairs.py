"""What the repairs bought: counted by model, with dollars for each repaired graph."""

import math
from typing import Any

import pandas as pd
import pytest

from stages.contracts.response import GraphChanges, Repair, Usage
from stages.contracts.scorecard import Scorecard
from stages.report.cells import frame_of, with_configs
from stages.report.ranking import summarise
from stages.report.repairs import describe_repair, repairs_table
from tests.builders.scorecards import card, findings, invalid, unusable

REPAIR: dict[str, Any] = {
    "first_status": "success",
    "first_violation_codes": ("CYCLE_DETECTED", "FORBIDDEN_EDGE", "FORBIDDEN_EDGE"),
    "first_cost_usd": 0.01,
    "first_latency_ms": 4000.0,
    "repair_cost_usd": 0.02,
    "repair_latency_ms": 5000.0,
    "changes": GraphChanges(
        nodes_added=0,
        nodes_removed=0,
        nodes_changed=1,
        edges_added=0,
        edges_removed=2,
        edges_changed=0,
    ),
    "message": "Wrong.",
    "sentences_version": 1,
}
LACKING = (
    "A has 1 answer that is no valid graph and without a repair yet; dvc repro -f calls only the "
    "repairs."
)


def repaired(brief: str, *, usable: bool = True, **changed: Any) -> Scorecard:
    """The scorecard of a repaired answer."""
    repair = Repair(**REPAIR | changed)
    if usable:
        return card("a", brief, usable=True, latency_ms=5000.0, repair=repair)
    return invalid("a", brief, "ORPHAN_NODE", usable=False, repair=repair)


def cells(*cards: Scorecard) -> pd.DataFrame:
    return with_configs(frame_of(cards), {})


def test_repaired_and_broken_cells_are_counted_with_the_cost_of_all_repairs() -> None:
    frame = cells(
        repaired("a"), repaired("b"), repaired("c", usable=False), card("a", "d", usable=True)
    )
    (row,) = repairs_table(frame).rows
    assert [entry.text for entry in row[1:4]] == ["75% (3/4)", "2", "1"]
    assert [entry.value for entry in row[4:]] == pytest.approx([0.06, 0.03])


def test_no_dollars_for_each_graph_where_none_was_repaired_or_a_cost_is_unknown() -> None:
    (broken,) = repairs_table(cells(repaired("a", usable=False))).rows
    assert broken[-1].value is None
    unknown = cells(repaired("a"), repaired("b", repair_cost_usd=None))
    (row,) = repairs_table(unknown).rows
    assert [entry.value for entry in row[4:]] == [None, None]


def test_the_latency_of_a_repaired_cell_is_that_of_both_calls() -> None:
    frame = cells(repaired("a"), repaired("b", first_latency_ms=None), card("a", "c", usable=True))
    both, unknown, unrepaired = frame["latency_ms"]
    assert (both, unrepaired) == (9000.0, 1000.0)
    assert math.isnan(unknown)


def test_calls_and_tokens_of_a_repaired_cell_are_those_of_both_calls() -> None:
    used = Usage(input_tokens=300, output_tokens=20, cached_tokens=0)
    frame = cells(repaired("a", first_usage=used), card("a", "b", usable=True))
    assert list(frame["input_tokens"]) == [2300, 2000]
    assert list(frame["output_tokens"]) == [920, 900]
    (row,) = summarise(frame, by="model_id").to_dict("records")
    assert (row["calls"], row["input_tokens"]) == (3, 4300)


def test_answers_without_a_repair_yet_are_named() -> None:
    cards = [invalid("a", "b1", "CYCLE"), unusable("truncated", "a", "b2"), repaired("b3")]
    for repair, messages in ((0, []), (1, [LACKING])):
        flags = findings(*cards, repair=repair).flags
        assert [flag.message for flag in flags if flag.kind == "repair_missing"] == messages


def test_a_run_without_repairs_has_no_table() -> None:
    assert repairs_table(cells(card("a", "a", usable=True))).rows == ()


def test_a_cell_says_what_its_repair_changed_and_what_both_answers_cost() -> None:
    assert describe_repair(repaired("a", usable=False)) == (
        "The first answer was no valid graph and was sent back once "
        "(fixed: CYCLE_DETECTED, FORBIDDEN_EDGE; new: ORPHAN_NODE). "
        "The repair: 1 node changed, 2 edges removed. "
        "The first answer: $0.0100, 4.0 s. The repair: $0.0200, 5.0 s."
    )
    assert describe_repair(card("a", "a", usable=True)) == ""
