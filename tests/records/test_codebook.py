"""A codebook is read strictly, with every problem at once."""

import pytest

from graph_evaluator.records.brief import parse_brief
from graph_evaluator.records.codebook import parse_codebook
from graph_evaluator.records.errors import InputError
from tests.builders.cases import cases

BRIEF = parse_brief(
    "b",
    """---
options: [[raise, price rise], [status quo], [raise, fee]]
concepts: {price: [price], churn: [cancel]}
---
Raise the price?
""",
    file="briefs/b.md",
)


def parsed(text):
    return parse_codebook(BRIEF, text, "codebooks/b.yaml")


def problems(text):
    with pytest.raises(InputError) as caught:
        parsed(text)
    return [str(problem).removeprefix("codebooks/b.yaml: ") for problem in caught.value.problems]


def test_a_code_is_a_name_an_opposite_a_list_or_nothing():
    book = parsed("labels: {A: price, B: -churn, C: [price, -churn], D: }\noptions: {E: FEE, F: }")
    codes = {"A": ("price",), "B": ("-churn",), "C": ("price", "-churn"), "D": ()}
    assert book.labels == codes
    assert book.options == {"E": "FEE", "F": None}
    assert parsed("").labels == {}


@cases(
    "text, expected",
    {
        "an unknown concept": (
            "labels: {A: prise}",
            'labels.A: "prise" is not a concept of briefs/b.md (did you mean "price"?)',
        ),
        "the goal": ("labels: {A: goal}", 'labels.A: "goal" is not a code: the goal is found by its kind'),
        "a concept and its opposite": (
            "labels: {A: [churn, -churn]}",
            'labels.A: has "churn" more than once',
        ),
        "an alias of two options": (
            "options: {A: raise}",
            'options.A: "raise" is not an alias of one option of briefs/b.md',
        ),
        "the same label in another case": (
            "labels: {A  b: price, a B: churn}",
            'labels.a B: is "A  b" in another case or spacing',
        ),
        "a label twice": ("labels: {A: price, A: churn}", 'line 1: is not YAML: the key "A" is given twice'),
        "an unknown key": ("codes: {}", 'codes: unknown key (did you mean "coded_by"?); allowed are coded_by, labels, options'),
    },
)  # fmt: skip
def test_a_mistake_is_named(text, expected):
    assert expected in problems(text)


def test_all_mistakes_are_named_at_once():
    assert len(problems("labels: {A: x, B: [price, y, z]}\noptions: {C: fees}")) == 4


def test_a_label_that_yaml_reads_as_a_number_is_refused():
    assert len(problems("labels: {2024: price, yes: churn}")) == 2


def test_the_hash_is_that_of_the_codes():
    book = parsed("labels: {A: price, B: }")
    assert parsed("coded_by: m\nlabels: {b: , ' a': [price]}").sha256 == book.sha256
    assert parsed("labels: {A: -price, B: }").sha256 != book.sha256
