import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.contracts.cell import Cell
from stages.contracts.json_text import JsonValue
from stages.contracts.scorecard import Scorecard
from stages.report.analysis_pack import analysis_pack
from stages.report.digest import SIMULATED
from stages.report.telling_cells import telling_cells
from tests.report.hostile import HOSTILE
from tests.report.records import card, digest, invalid, sub_score, unanswered

BLOCK = re.compile(r"^(`{3,})json\n(.*?)\n\1$", re.MULTILINE | re.DOTALL)


def pack(cards: list[Scorecard], graphs: dict[Cell, JsonValue], limit: int) -> str:
    found = digest(*cards)
    return analysis_pack(found, telling_cells(found, 500), {one.cell: one for one in cards}, graphs, limit)


def many(models: int, briefs: int, label: str = "label") -> tuple[list[Scorecard], dict[Cell, JsonValue]]:
    cards: list[Scorecard] = []
    for model in range(models):
        for brief in range(briefs):
            cards += [card(f"m{model}", f"b{brief:03}", (model * 7 + brief * 3) % 10 / 10)]
            cards += [invalid(f"m{model}", f"b{brief:03}", "CYCLE_DETECTED", sample=2)]
    return cards, {one.cell: {"nodes": [{"id": label * (1 + number % 5)}]} for number, one in enumerate(cards)}


@settings(max_examples=25, deadline=None)
@given(st.integers(2_000, 60_000), st.integers(1, 12), st.integers(1, 12))
def test_the_pack_keeps_to_its_bound_and_its_json_is_whole(limit: int, models: int, briefs: int) -> None:
    text = pack(*many(models, briefs, "a label of some length, " * 4), limit)
    assert len(text) <= limit
    for block in BLOCK.finditer(text):
        assert json.loads(block[2])["nodes"]
    assert text.count("```json") == len(BLOCK.findall(text))


def test_a_small_pack_still_has_the_scores() -> None:
    text = pack(*many(3, 3), 2_000)
    assert "## Scores" in text
    assert re.search(r"Left out to keep to 2000 characters: .*\d+ of \d+ raw graphs", text)


def test_a_pack_with_room_leaves_nothing_out() -> None:
    cards, graphs = many(2, 2)
    text = pack(cards, graphs, 100_000)
    assert text.endswith("Nothing was left out.\n")
    assert [
        text.index(part) for part in ("## Scores", "## What failed", "## Comparison per brief", "## Graph: best")
    ] == sorted(
        text.index(part) for part in ("## Scores", "## What failed", "## Comparison per brief", "## Graph: best")
    )


def test_a_graph_stands_with_what_it_lost_and_why() -> None:
    subs = {"completeness": (sub_score("goal_threshold", 0.0), sub_score("coaching_populated", 1.0))}
    good, bad = card(sub_scores=subs), invalid("a", "b2", "CYCLE_DETECTED")
    text = pack([good, bad], {good.cell: {"nodes": []}, bad.cell: {"edges": []}}, 30_000)
    assert "- goal_threshold 0.000: goal_threshold is 0.0." in text
    assert "coaching_populated is" not in text
    assert "- `CYCLE_DETECTED`: CYCLE_DETECTED was found." in text


def test_the_comparison_per_brief_says_where_the_worst_loses() -> None:
    def drafted(model: str, value: float) -> Scorecard:
        return card(model, "b1", value, sub_scores={"completeness": (sub_score("goal_threshold", value),)})

    assert "| b 0.900 | a 0.100 | 0.800 | goal_threshold -0.800 |" in pack(
        [drafted("a", 0.1), drafted("b", 0.9)], {}, 30_000
    )


def test_simulated_results_say_so() -> None:
    assert SIMULATED.split(":")[0] in pack([card(simulated=True)], {}, 2_000)


def test_a_run_without_any_answer_still_makes_a_pack() -> None:
    assert "server_error" in pack([unanswered()], {}, 2_000)


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_graph_stays_in_its_block(value: str) -> None:
    one = card()
    text = pack([one], {one.cell: {"nodes": [{"id": value, "label": value}], "edges": []}}, 30_000)
    (block,) = BLOCK.finditer(text)
    assert json.loads(block[2])["nodes"][0]["label"] == value
