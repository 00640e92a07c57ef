import pytest

from graph_evaluator.records.brief import StatedEffect, parse_brief, targets_reached
from graph_evaluator.records.errors import InputError
from tests.builders.cases import cases

GOOD = "---\nexpect_status_quo: false\nhas_numeric_target: true\ncomplexity: complex\n---\n\nRaise the price?\n"


def test_a_brief_keeps_its_expectations_and_its_body_without_the_front_matter():
    brief = parse_brief("01-x", GOOD, file="briefs/01-x.md")
    assert (brief.expectations.expect_status_quo, brief.expectations.has_numeric_target) == (
        False,
        True,
    )
    assert brief.expectations.complexity == "complex"
    assert brief.body == "Raise the price?"


@cases("front_matter", {"empty": "---\n---\n", "none": ""})
def test_keys_that_are_left_out_have_the_specified_defaults(front_matter):
    brief = parse_brief("x", f"{front_matter}Raise the price?", file="briefs/x.md")
    assert brief.body == "Raise the price?"
    assert brief.expectations.model_dump() == {
        "expect_status_quo": True,
        "has_numeric_target": False,
        "complexity": "simple",
        "target": (),
        "drafted_by": None,
        "options": (),
        "concepts": {},
        "effects": (),
        "best": None,
        "excluded": (),
        "exact_names": False,
    }


def test_the_target_is_a_number_or_a_list_and_an_option_is_a_list_of_aliases():
    text = "---\nhas_numeric_target: true\ntarget: {}\noptions: [[raise, price rise], [status quo]]\n---\nRaise the price?"
    one = parse_brief("x", text.format("9"), file="briefs/x.md").expectations
    assert (one.targets, one.options) == ((9.0,), (("raise", "price rise"), ("status quo",)))
    assert parse_brief("x", text.format("[9, 0.5]"), file="briefs/x.md").expectations.targets == (
        9.0,
        0.5,
    )


STATED = """---
options: [[text, sms], [call, text], [fee]]
concepts:
  no_shows: [no-show, -attend]
  待ち時間: [待ち]
effects:
  - SMS lowers no_shows
  - no_shows raises 待ち時間
  - 待ち時間 lowers goal
  - call   does not affect no_shows
best: SMS
excluded: [Fee]
exact_names: true
---
Remind the patients?
"""


def test_an_effect_is_of_an_option_or_a_concept_on_a_concept_or_the_goal():
    expectations = parse_brief("x", STATED, file="x").expectations
    assert expectations.concepts["no_shows"] == ("no-show", "-attend")
    assert expectations.effects == (
        StatedEffect("SMS", "lowers", "no_shows"),
        StatedEffect("no_shows", "raises", "待ち時間"),
        StatedEffect("待ち時間", "lowers", "goal"),
        StatedEffect("call", "does not affect", "no_shows"),
    )


def test_the_best_option_and_those_that_are_ruled_out_are_named_by_an_alias():
    expectations = parse_brief("x", STATED, file="x").expectations
    assert (expectations.best, expectations.excluded) == ("SMS", ("Fee",))
    assert [expectations.excludes(alias) for alias in ("fee", "call", "fax")] == [
        True,
        False,
        False,
    ]
    assert expectations.exact_names


def test_what_a_cause_affects_includes_what_follows_from_it():
    effects = parse_brief("x", STATED, file="x").expectations.effects
    assert targets_reached(effects)["SMS"] == {"no_shows", "待ち時間", "goal"}
    assert "call" not in targets_reached(effects)


@cases(
    "right, wrong, said",
    {
        "an unknown concept": ("lowers no_shows", "lowers no_show", 'effects: "no_show" is not a concept (did you mean "no_shows"?)'),
        "an unknown cause": ("SMS lowers", "fax lowers", 'effects: "fax" is neither a concept nor an alias of one option'),
        "an alias of two options": ("SMS lowers", "text lowers", 'effects: "text" is neither a concept nor an alias of one option'),
        "another verb": ("SMS lowers", "SMS changes", 'effects.0: must be "CAUSE VERB CONCEPT", where VERB is raises, lowers, does not affect'),
        "no cause": ("SMS lowers", "lowers", 'effects.0: must be "CAUSE VERB CONCEPT"'),
        "a denial that other effects contradict": ("- call  ", "- no_shows does not affect goal\n  - call", 'effects: "no_shows does not affect goal", but the other effects say that it does'),
        "a best option that is none": ("best: SMS", "best: smss", 'best: "smss" is not an alias of one option (did you mean "sms"?)'),
        "an excluded option of two": ("[Fee]", "[text]", 'excluded: "text" is not an alias of one option'),
        "a best option that is excluded": ("best: SMS", "best: fee", 'best: "fee" is excluded'),
        "an effect of an excluded option": ("- call  ", "- fee", 'effects: "fee" is excluded: a graph may leave it out'),
        "an effect on itself": ("SMS lowers", "no_shows lowers", 'effects: "no_shows" has no effect on itself'),
        "an effect of the goal": ("SMS lowers", "goal lowers", 'effects: "goal" is neither a concept'),
        "the same pair twice": ("lowers goal", "lowers goal\n  - 待ち時間 raises goal", "effects: one effect of 待ち時間 on goal is enough"),
        "an alias in two concepts": ("[待ち]", "[待ち, Attend]", 'concepts: the alias "attend" is in no_shows and in 待ち時間'),
        "a concept called as an option": ("待ち時間:", "Call: [phone]\n  待ち時間:", 'concepts: "Call" is an alias of an option too'),
        "the goal as a concept": ("待ち時間:", "goal: [aim]\n  待ち時間:", 'concepts: "goal" is always the goal'),
        "an alias without words": ("-attend", '"-"', "concepts.no_shows.1: string should match"),
        "a concept without aliases": ("[待ち]", "[]", "concepts.待ち時間: must name at least one"),
    },
)  # fmt: skip
def test_a_mistake_in_concepts_and_effects_names_its_key(right, wrong, said):
    text = STATED.replace(right, wrong)
    with pytest.raises(InputError) as raised:
        parse_brief("x", text, file="briefs/x.md")
    assert f"briefs/x.md: {said}" in str(raised.value)


def test_exact_names_need_effects():
    with pytest.raises(InputError, match="exact_names: needs the effects that the brief states"):
        parse_brief("x", "---\nexact_names: true\n---\nx", file="x")


def test_a_long_line_of_spaces_in_an_effect_is_read_at_once():
    with pytest.raises(InputError, match=r"effects\.0: must be"):
        parse_brief("x", f"---\neffects: ['a{' ' * 200_000}b']\n---\nx", file="x")


@cases(
    "head, body",
    {
        "below front-matter": ("---\n---\n", "one\n---\ntwo"),
        "alone": ("", "one\n---\ntwo"),
        "below other keys": ("", "Aim: 9 %\nLimit: 2\n---\ntwo"),
        "below a broken line": ("", "best: [what\n---\ntwo"),
        "above keys": ("", "one\n---\nbest: two\n---\nthree"),
    },
)
def test_a_line_of_dashes_in_the_body_belongs_to_the_body(head, body):
    assert parse_brief("x", f"{head}{body}\n", file="x").body == body


@cases(
    "text, said",
    {
        "front-matter that never ends": ("---\ncomplexity: simple\n", "end with a line ---"),
        "front-matter without its first line": (
            "complexity: simple\n---\nx",
            "front-matter: must begin with a line ---, which is missing",
        ),
        "front-matter that begins late": ("\n---\n---\nx", "must begin in line 1"),
        "empty body": ("---\n---\n  \n", "is empty"),
        "broken YAML": ("---\na: [\n---\nx", "not YAML"),
        "misspelt value": (
            "---\ncomplexity: simpel\n---\nx",
            "should be 'simple', 'moderate' or 'complex', found 'simpel'",
        ),
        "a target without one": (
            "---\ntarget: 9\n---\nx",
            "only allowed with has_numeric_target: true",
        ),
        "a target in words": ("---\nhas_numeric_target: true\ntarget: nine\n---\nx", "list"),
        "a key that is a number": ("---\n1: 2\n---\nx", "keys should be strings"),
        "a key twice": (
            "---\nhas_numeric_target: true\nhas_numeric_target: false\n---\nx",
            "line 3",
        ),
    },
)
def test_a_broken_brief_is_one_clear_message(text, said):
    with pytest.raises(InputError) as raised:
        parse_brief("x", text, file="briefs/x.md")
    assert said in str(raised.value)
    assert str(raised.value).startswith("briefs/x.md: ")


def test_all_problems_of_a_brief_are_reported_at_once():
    with pytest.raises(InputError) as raised:
        parse_brief("x", "---\ncomplexity: hard\nfoo: 1\n---\n", file="briefs/x.md")
    assert len(raised.value.problems) == 3
