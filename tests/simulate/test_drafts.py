"""Drafts: what is read from a brief, that they are valid and in the brief's words, and that each
fault has its violation.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.contracts.brief import Expectations
from stages.contracts.scorecard import Scorecard
from stages.simulate.brief_reader import read_brief
from stages.simulate.characters import CHARACTERS
from stages.simulate.draft_json import DraftJson
from stages.simulate.drafter import draft, prose_draft
from stages.simulate.graph_faults import FAULTS, add_fault
from stages.simulate.stream import Stream
from tests.builders.cases import cases
from tests.score.drafts import scored as score_graph
from tests.simulate.requests import BRIEFS, RULES

LISTS = {
    "bullets": "Options:\n- Hire a cook.\n- Buy an oven, on credit.\n",
    "numbers": "We could do this:\n1. Hire a cook.\n2) Buy an oven, on credit.\n",
    "spelled out": "Option 1: Hire a cook.\nOption 2: Buy an oven, on credit.\n",
    "table": "| | Hire a cook | Buy an oven |\n|---|---|---|\n| price | 3 | 4 |\n",
    "question": "Hire a cook or buy an oven?",
    "semicolons": "Hire a cook; buy an oven; or stay as we are.",
}


@cases("text", LISTS)
def test_options_are_read_in_the_brief_s_own_words(text: str) -> None:
    assert [option.label for option in read_brief(text).options][:2] == [
        "Hire a cook",
        "Buy an oven",
    ]


def test_a_list_of_conditions_is_not_taken_for_the_options() -> None:
    text = "Conditions:\n- nobody is dismissed\n- no debt\n\nWhat could be done:\nA. Merge.\nB. Make no change.\n"
    assert [option.label for option in read_brief(text).options] == ["Merge", "Make no change"]


@pytest.mark.parametrize("brief", BRIEFS)
def test_a_target_is_read_where_a_shipped_brief_names_one_and_nowhere_else(brief: str) -> None:
    assert (read_brief(BRIEFS[brief].body).aim.number is not None) == BRIEFS[
        brief
    ].expectations.has_numeric_target


TARGETS = {
    "percentage": ("We want fewer than 0.5% of invoices to be wrong.", 0.5, "%"),
    "grouped digits": ("The target is revenue of $260,000 by the end of December.", 260_000.0, "$"),
    "German": ("Das Ziel ist, bis 2032 die 41.000 Tonnen zu halbieren.", 41_000.0, "Tonnen"),
    "Japanese": (
        "私たちは、です。目標は、3年後に年間の営業利益を2,400万円にすることです。",
        2400.0,
        "万円",
    ),
}


@cases("text, raw, unit", TARGETS)
def test_a_target_is_a_number_with_its_unit(text: str, raw: float, unit: str) -> None:
    aim = read_brief(text).aim
    assert (aim.number, aim.unit) == (raw, unit)


def test_a_year_or_a_duration_is_no_target() -> None:
    assert read_brief("Our goal is to be happy by 2027 or in 3 years.").aim.number is None


ENDLESS = {
    "one word": "word " * 20_000,
    "alternatives": "a; b or c? " * 9_000,
    "bullets": "- a\n" * 25_000,
    "no break": "x" * 100_000,
}


@cases("text", ENDLESS)
def test_a_text_of_100_000_characters_is_read(text: str) -> None:
    assert len(read_brief(text).options) <= 6


CAREFUL = CHARACTERS["sim-careful"]


def card(graph: DraftJson) -> Scorecard:
    return score_graph(graph, Expectations(), RULES)


@given(st.text(max_size=300), st.sampled_from(sorted(CHARACTERS)))
@settings(max_examples=60, deadline=None)
def test_every_draft_is_structurally_valid_whatever_the_brief(text: str, model: str) -> None:
    assert card(draft(text, CHARACTERS[model], Stream(text))).violation_codes == ()


@pytest.mark.parametrize("code", FAULTS)
def test_a_fault_causes_its_violation(code: str) -> None:
    for brief in BRIEFS.values():
        graph = prose_draft(brief.body, CAREFUL, Stream(brief.id))
        add_fault(graph, code)
        assert code in card(graph).violation_codes


def test_a_target_becomes_the_goal_s_threshold() -> None:
    text = "Goal: serve at least 90% of guests within 20 minutes."
    goal = draft(text, CHARACTERS["sim-deep"], Stream("goal"))["nodes"][-1]
    threshold = {key: value for key, value in goal.items() if "threshold" in key}
    assert list(threshold.values()) == [0.9, 90.0, "%", 100.0]
