"""A dry run says which briefs have graphs that cannot be checked, before money is spent."""

from stages.contracts.brief import Brief, parse_brief
from stages.generate.dry_run import unchecked_briefs

LONG = """\
We run a small bakery in the harbour street. Every evening a third of the bread is thrown away,
because the old oven takes two hours for one batch, while the shelves are empty after lunch and the
queue at noon reaches the door. A second oven costs 14,000 euros; neighbours upstairs fear more
noise at night. Our profit was small last year, and the bank wants a decision before Easter."""


def brief(body: str, head: str = "") -> Brief:
    return parse_brief("b1", f"---\n{head}---\n{body}\n", file="b1.md")


def test_a_short_brief_is_named_with_what_would_help() -> None:
    heading, line = unchecked_briefs([brief("Stay or go?"), brief(LONG)])
    assert "1 brief" in heading
    assert "b1" in line
    assert "a brief of 30 to 400 words, `target`, `options`, `effects`" in line


def test_what_the_front_matter_states_is_not_asked_for() -> None:
    _, line = unchecked_briefs([brief("Stay or go?", "options:\n  - [stay]\n")])
    assert "`options`" not in line
    assert "`target`, `effects`" in line


def test_a_brief_of_reliability_cannot_state_more() -> None:
    _, line = unchecked_briefs([brief("Stay or go?", "purpose: reliability\n")])
    assert line.endswith("would help: a brief of 30 to 400 words")


def test_of_many_only_the_first_are_named() -> None:
    lines = list(unchecked_briefs([brief("Stay or go?", "purpose: traffic\n")] * 30))
    assert len(lines) == 22
    assert lines[-1] == "  and 10 more briefs"


def test_nothing_is_said_about_briefs_that_can_be_checked() -> None:
    assert list(unchecked_briefs([brief(LONG)])) == []
