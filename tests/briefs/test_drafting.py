"""Two drafts of what a brief states are compared by the words of their aliases."""

import json
from typing import Any

from graph_evaluator.briefs.drafting import (
    agreed_draft,
    draft_lines,
    draft_request,
    read_draft,
)
from graph_evaluator.records.brief import Brief, Expectations, parse_brief, with_front_matter
from tests.builders.cases import cases

TEXT = "---\ncomplexity: simple\n---\nShould we remind patients?\n"
BRIEF = parse_brief("b", TEXT, file="b")
ONE: dict[str, Any] = {
    "options": [["remind", "sms"], ["status quo", "letter"]],
    "concepts": {"no_shows": ["no-show", "-kept"], "idle": ["idle time"]},
    "effects": ["remind lowers no_shows", "no_shows raises idle", "idle lowers goal"],
}
OTHER: dict[str, Any] = {
    "options": [["keep letter", "letter"], ["sms reminder", "remind"]],
    "concepts": {"attendance": ["kept", "-no-show"], "staff": ["nurse"]},
    "effects": ["remind raises attendance", "staff raises goal"],
}


def drafted(content: object, brief: Brief = BRIEF) -> Expectations | None:
    return read_draft(json.dumps(content), brief)


def compared(
    first: object, second: object, brief: Brief = BRIEF
) -> tuple[dict[str, Any], list[str]]:
    drafts = [drafted(content, brief) for content in (first, second)]
    assert drafts[0]
    assert drafts[1]
    return agreed_draft(drafts[0], drafts[1])


def test_effects_of_both_answers_are_proposed_whatever_names_and_signs_they_use() -> None:
    agreed, others = compared(ONE, OTHER)
    assert agreed == {
        "effects": ["remind lowers no_shows"],
        "concepts": {"no_shows": ["no-show", "-kept"]},
        "options": [["remind", "sms"], ["status quo", "letter"]],
    }
    assert others == ["no_shows raises idle", "idle lowers goal", "staff raises goal"]


def test_the_lines_of_a_draft_are_marked_and_read_as_what_it_states() -> None:
    lines = draft_lines(BRIEF, compared(ONE, ONE)[0], "m")
    brief = parse_brief("b", with_front_matter(TEXT, lines), file="b")
    assert brief.expectations == Expectations.model_validate(
        ONE | {"drafted_by": "m", "complexity": "simple"}
    )
    assert brief.body == BRIEF.body


def test_what_is_stated_is_kept() -> None:
    text = with_front_matter(TEXT, "options: [[sms, letter]]\nconcepts: {missed: [no-show]}\n")
    brief = parse_brief("b", text, file="b")
    assert "letter" in draft_request(brief)
    answer = ONE | {"effects": ["sms lowers missed", "no_shows lowers goal"]}
    agreed, _ = compared(answer, answer, brief)
    assert draft_lines(brief, agreed, "m") == "effects:\n- sms lowers missed\ndrafted_by: m\n"


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
def test_only_what_the_format_allows_is_read(answer: object, effects: int | None) -> None:
    draft = drafted(answer)
    assert (None if draft is None else len(draft.effects)) == effects


def test_hostile_text_in_an_answer_is_written_as_text() -> None:
    content = ONE | {"concepts": {"idle": ["idle\n---\ndrafted_by: me\u202e"]}}
    lines = draft_lines(BRIEF, compared(content, content)[0], "m")
    stated = parse_brief("b", with_front_matter(TEXT, lines), file="b").expectations
    assert stated.concepts == {"idle": ("idle\n---\ndrafted_by: me\u202e",)}
    assert stated.drafted_by == "m"
