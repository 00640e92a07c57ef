"""What `briefs check` names as probably wrong in what a brief states."""

from graph_evaluator.briefs.checking import mistakes_in
from graph_evaluator.records.brief import Brief, Expectations
from tests.briefs.test_command import LONG
from tests.builders.cases import cases


def mistakes(**stated):
    brief = Brief("b", Expectations.model_validate(stated), body=LONG, sha256="")
    return list(mistakes_in(brief))


def test_a_statement_needs_an_effect_on_the_goal_and_uses_its_concepts():
    concepts = {"a": ["x"], "b": ["y"], "c": ["z"]}
    assert mistakes(concepts=concepts, effects=["a raises b"]) == [
        "no effect is on `goal`: state at least one",
        "in no effect: c",
    ]
    assert mistakes(concepts={"a": ["x"]}, effects=["a raises goal"]) == []


@cases(
    "aliases, mistake",
    {
        "the same words, longer": (["return rate", "rate of the return"], 'a: the alias "return rate" never counts: "rate of the return" decides wherever it matches'),
        "equal and the opposite": (["rate", "-rate"], 'a: the alias "rate" never counts: "-rate" decides wherever it matches'),
        "shorter ones count elsewhere": (["rate", "return rate"], None),
    },
)  # fmt: skip
def test_an_alias_that_a_longer_one_always_beats_is_named(aliases, mistake):
    found = mistakes(concepts={"a": aliases}, effects=["a raises goal"])
    assert [text for text in found if "never counts" in text] == ([mistake] if mistake else [])
