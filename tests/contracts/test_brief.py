import pytest

from stages.contracts.brief import parse_brief
from stages.contracts.errors import InputError

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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("Raise the price?", "no front-matter", id="no front-matter"),
        pytest.param("---\ncomplexity: simple\n", "has no end", id="front-matter that never ends"),
        pytest.param("---\n---\n  \n", "is empty", id="empty body"),
        pytest.param("---\na: [\n---\nx", "not YAML", id="broken YAML"),
        pytest.param("---\n- a\n---\nx", "key: value", id="a list instead of keys"),
        pytest.param(
            "---\ncomplexity: simpel\n---\nx", 'did you mean "simple"?', id="misspelt value"
        ),
        pytest.param(
            "---\ncomplexty: simple\n---\nx", 'did you mean "complexity"?', id="misspelt key"
        ),
        pytest.param(
            "---\nhas_numeric_target: 'yes'\n---\nx", "valid boolean", id="text for a boolean"
        ),
        pytest.param(
            "---\ntarget: 9\n---\nx",
            "only allowed with has_numeric_target: true",
            id="a target without one",
        ),
        pytest.param(
            "---\nhas_numeric_target: true\ntarget: -9\n---\nx",
            "greater than 0",
            id="negative target",
        ),
        pytest.param(
            "---\nhas_numeric_target: true\ntarget: nine\n---\nx", "list", id="a target in words"
        ),
        pytest.param(
            "---\noptions: [raise]\n---\nx", "such as [raise]", id="an option that is no list"
        ),
        pytest.param("---\noptions: [[]]\n---\nx", "at least one", id="an option without aliases"),
        pytest.param("---\n1: 2\n---\nx", "keys should be strings", id="a key that is a number"),
        pytest.param(
            "---\nhas_numeric_target: true\nhas_numeric_target: false\n---\nx",
            "line 3",
            id="a key twice",
        ),
    ],
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
