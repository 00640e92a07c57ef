import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.contracts.brief import Expectations
from stages.contracts.json_text import JsonValue, parse
from stages.contracts.scorecard import Scorecard
from stages.score import score_graph
from stages.simulate.character import CAST
from stages.simulate.draft import Draft, indented, written
from stages.simulate.drafter import draft
from stages.simulate.faults import FAULTS, Fault
from stages.simulate.reading import read
from stages.simulate.stream import Stream
from tests.simulate.requests import BRIEFS
from tests.simulate.scored import RULES


def card(graph: Draft) -> Scorecard:
    value: JsonValue = parse(written(graph))
    return score_graph(value, Expectations(), RULES)


@given(st.text(max_size=300), st.sampled_from(sorted(CAST)))
@settings(max_examples=60, deadline=None)
def test_every_draft_is_structurally_valid_whatever_the_brief(text: str, model: str) -> None:
    assert card(draft(read(text), CAST[model], Stream(text))).violation_codes == ()


@pytest.mark.parametrize("model", sorted(CAST))
def test_every_draft_of_a_shipped_brief_is_structurally_valid(model: str) -> None:
    drafts = [
        draft(read(brief.body), CAST[model], Stream(brief.id, str(turn)))
        for brief in BRIEFS.values()
        for turn in range(5)
    ]
    assert {code for one in drafts for code in card(one).violation_codes} == set()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_brings_its_violations(fault: Fault) -> None:
    for brief in BRIEFS.values():
        whole = draft(read(brief.body), CAST["sim-careful"], Stream(brief.id))
        assert set(fault.codes) <= set(card(fault.break_(whole, Stream("fault", brief.id))).violation_codes)


def test_a_draft_speaks_the_brief_s_own_words() -> None:
    text = "Options:\n- Hire a cook.\n- Buy an oven.\n\nGoal: serve at least 90% of guests within 20 minutes."
    labels = {node.label for node in draft(read(text), CAST["sim-deep"], Stream("words")).nodes}
    assert {"Hire a cook", "Buy an oven"} <= labels
    assert "Goal: serve at least 90% of guests within 20 minutes" in labels


def test_a_target_becomes_the_goal_s_threshold() -> None:
    text = "Goal: serve at least 90% of guests within 20 minutes."
    goal = next(node for node in draft(read(text), CAST["sim-deep"], Stream("goal")).nodes if node.kind == "goal")
    assert (goal.goal_threshold, goal.goal_threshold_raw, goal.goal_threshold_unit) == (0.9, 90.0, "%")


def test_both_ways_of_writing_a_draft_say_the_same() -> None:
    made = draft(read("Tea or coffee?"), CAST["sim-careful"], Stream("x"))
    assert parse(written(made)) == parse(indented(made))
