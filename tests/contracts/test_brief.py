import pytest

from stages.contracts.brief import parse_brief
from stages.contracts.errors import InputError
from tests.builders.cases import cases

GOOD = "---\nexpect_status_quo: false\nhas_numeric_target: true\ncomplexity: complex\n---\n\nRaise the price?\n"


def test_a_brief_keeps_its_expectations_and_its_body_without_the_front_matter() -> None:
    brief = parse_brief("01-x", GOOD, file="briefs/01-x.md")
    assert (brief.expectations.expect_status_quo, brief.expectations.has_numeric_target) == (
        False,
        True,
    )
    assert brief.expectations.complexity == "complex"
    assert brief.body == "Raise the price?"


def test_keys_that_are_left_out_have_the_specified_defaults() -> None:
    expectations = parse_brief("x", "---\n---\nRaise the price?", file="briefs/x.md").expectations
    assert expectations.model_dump() == {
        "expect_status_quo": True,
        "has_numeric_target": False,
        "complexity": "simple",
        "target": (),
        "options": (),
    }


def test_the_target_is_a_number_or_a_list_and_an_option_is_a_list_of_aliases() -> None:
    text = "---\nhas_numeric_target: true\ntarget: {}\noptions: [[raise, price rise], [status quo]]\n---\nRaise the price?"
    one = parse_brief("x", text.format("9"), file="briefs/x.md").expectations
    assert (one.target, one.options) == ((9.0,), (("raise", "price rise"), ("status quo",)))
    assert parse_brief("x", text.format("[9, 0.5]"), file="briefs/x.md").expectations.target == (
        9.0,
        0.5,
    )


def test_the_front_matter_is_no_part_of_the_body_that_is_sent() -> None:
    with_options = GOOD.replace(
        "complexity: complex", "complexity: complex\ntarget: 9\noptions: [[raise]]"
    )
    assert parse_brief("x", with_options, file="x").body == parse_brief("x", GOOD, file="x").body


def test_a_line_of_dashes_in_the_body_belongs_to_the_body() -> None:
    assert parse_brief("x", "---\n---\none\n---\ntwo\n", file="x").body == "one\n---\ntwo"


@cases(
    "text, said",
    {
        "no front-matter": ("Raise the price?", "no front-matter"),
        "front-matter that never ends": ("---\ncomplexity: simple\n", "has no end"),
        "empty body": ("---\n---\n  \n", "is empty"),
        "broken YAML": ("---\na: [\n---\nx", "not YAML"),
        "a list instead of keys": ("---\n- a\n---\nx", "key: value"),
        "misspelt value": ("---\ncomplexity: simpel\n---\nx", 'did you mean "simple"?'),
        "misspelt key": ("---\ncomplexty: simple\n---\nx", 'did you mean "complexity"?'),
        "text for a boolean": ("---\nhas_numeric_target: 'yes'\n---\nx", "valid boolean"),
        "a target without one": (
            "---\ntarget: 9\n---\nx",
            "only allowed with has_numeric_target: true",
        ),
        "negative target": ("---\nhas_numeric_target: true\ntarget: -9\n---\nx", "greater than 0"),
        "a target in words": ("---\nhas_numeric_target: true\ntarget: nine\n---\nx", "list"),
        "an option that is no list": ("---\noptions: [raise]\n---\nx", "such as [raise]"),
        "an option without aliases": ("---\noptions: [[]]\n---\nx", "at least one"),
        "a key that is a number": ("---\n1: 2\n---\nx", "keys should be strings"),
        "a key twice": (
            "---\nhas_numeric_target: true\nhas_numeric_target: false\n---\nx",
            "line 3",
        ),
    },
)
def test_a_broken_brief_is_one_clear_message(text: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_brief("x", text, file="briefs/x.md")
    assert said in str(raised.value)
    assert str(raised.value).startswith("briefs/x.md: ")


def test_all_problems_of_a_brief_are_reported_at_once() -> None:
    with pytest.raises(InputError) as raised:
        parse_brief("x", "---\ncomplexity: hard\nfoo: 1\n---\n", file="briefs/x.md")
    assert len(raised.value.problems) == 3
