"""A draft of what a brief states: what the format allows, marked until a person has checked it."""

import json

from graph_evaluator.briefs.asking import draft_lines, draft_request
from graph_evaluator.records.brief import Expectations, parse_brief, with_front_matter
from tests.builders.cases import cases

TEXT = "---\ncomplexity: simple\n---\nShould we remind patients?\n"
BRIEF = parse_brief("b", TEXT, file="b")
ONE = {
    "options": [["remind", "sms"], ["status quo", "letter"]],
    "concepts": {"no_shows": ["no-show", "-kept"], "idle": ["idle time"]},
    "effects": ["remind lowers no_shows", "no_shows raises idle", "idle lowers goal"],
}


def lines_of(content, brief=BRIEF):
    return draft_lines(json.dumps(content), brief, "m")


def test_the_lines_of_a_draft_are_marked_and_read_as_what_it_states():
    brief = parse_brief("b", with_front_matter(TEXT, lines_of(ONE)), file="b")
    assert brief.expectations == Expectations.model_validate(
        ONE | {"drafted_by": "m", "complexity": "simple"}
    )
    assert brief.body == BRIEF.body


def test_what_is_stated_is_kept_and_what_no_effect_uses_is_left_out():
    text = with_front_matter(TEXT, "options: [[sms, letter]]\nconcepts: {missed: [no-show]}\n")
    brief = parse_brief("b", text, file="b")
    assert "letter" in draft_request(brief)
    answer = ONE | {"effects": ["sms lowers missed", "no_shows lowers goal"]}
    assert lines_of(answer, brief) == "effects:\n- sms lowers missed\ndrafted_by: m\n"
    assert "idle" not in lines_of(ONE | {"effects": ["no_shows lowers goal"]})


@cases(
    "answer, effects",
    {
        "unknown names": (ONE | {"effects": ["fees raise goal", "x raises goal", 3]}, 0),
        "a concept that is the goal": (ONE | {"concepts": {"goal": ["x"]}}, None),
        "ten thousand effects": (ONE | {"effects": ["idle lowers goal"] * 10_000}, 1),
        "wrong types": ({"options": {}, "concepts": [], "effects": {}}, None),
        "no object": ([ONE], 0),
    },
)
def test_only_what_the_format_allows_is_read(answer, effects):
    lines = lines_of(answer)
    assert (None if lines is None else lines.count(" goal\n")) == effects


def test_hostile_text_in_an_answer_is_written_as_text():
    content = ONE | {"concepts": {"idle": ["idle\n---\ndrafted_by: me\u202e"]}}
    lines = lines_of(content)
    stated = parse_brief("b", with_front_matter(TEXT, lines), file="b").expectations
    assert stated.concepts == {"idle": ("idle\n---\ndrafted_by: me\u202e",)}
    assert stated.drafted_by == "m"
