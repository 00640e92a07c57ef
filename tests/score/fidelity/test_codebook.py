"""Labels that a codebook holds are read by it; only they can make the check of effects fail."""

from pathlib import Path
from typing import Any

from graph_evaluator.records.codebook import Codebook
from graph_evaluator.records.json_text import parse
from graph_evaluator.records.scorecard import Scorecard
from graph_evaluator.score import Scorer
from graph_evaluator.shell.inputs import load_briefs, load_codebooks, load_prompt
from tests.builders.cases import cases
from tests.builders.graphs import edge
from tests.score.drafts import RULES, draft, node, with_node
from tests.score.fidelity.test_effects import stating

ALL_LABELS: dict[str, tuple[str, ...]] = {
    "Price per seat": ("price",),
    "Hours of support": ("support",),
    "Prices of two rivals": (),
    "Profit per seat": ("profit",),
    "Seats cancelled": ("churn",),
}
ALL_OPTIONS: dict[str, str | None] = {"Raise the price": "raise", "Status quo": "status quo"}
WRONG = ("profit lowers goal", "price lowers goal")


def scored(graph, *effects, labels=None, options=None):
    book = Codebook.model_validate({"labels": labels or {}, "options": options or {}})
    scorer = Scorer(RULES, [stating(*effects)], codebooks={"b": book})
    return scorer.score_graph(graph, "b")


def check(card):
    return card.fidelity[-1]


@cases(
    "codes, expected",
    {
        "as the words": (("profit",), "right"),
        "the opposite": (("-profit",), "wrong"),
        "several": (("churn", "-profit"), "wrong"),
    },
)
def test_a_coded_label_expresses_what_its_code_says(codes, expected):
    labels = ALL_LABELS | {"  profit PER  seat": codes}
    del labels["Profit per seat"]
    card = scored(draft(), "profit raises goal", labels=labels, options=ALL_OPTIONS)
    assert [effect.outcome for effect in card.effects] == [expected]


@cases(
    "options, expected",
    {
        "the stated one": ({"Another sum": "price rise"}, "right"),
        "none": ({"Another sum": None}, "missing"),
    },
)
def test_a_coded_option_is_the_stated_option_that_its_code_says(options, expected):
    graph = draft()
    node(graph, "opt_raise")["label"] = "Another sum"
    card = scored(graph, "raise raises profit", labels=ALL_LABELS, options=ALL_OPTIONS | options)
    assert card.effects[0].outcome == expected
    (kept,) = [result.outcome for result in card.fidelity if result.name == "options_kept"]
    assert (kept == "pass") is (expected == "right")


@cases(
    "effects, expected, content",
    {
        "all right": (["profit raises goal", "price raises goal"], "pass", 1.0),
        "one wrong": (["profit raises goal", "price lowers goal"], "warn", 0.5),
        "a third right": (
            ["churn lowers goal", "profit raises churn", "churn raises profit"], "pass", 1 / 3,
        ),
        "two wrong": (["profit lowers goal", "price lowers goal", "churn lowers goal"], "fail", 1 / 3),
        "two wrong of five": (
            [*WRONG, "churn lowers goal", "support raises goal", "price raises profit"], "warn", 0.6,
        ),
        "none of four": (
            ["churn raises price", "profit raises churn", "price raises churn", "churn raises profit"],
            "fail", 0.0,
        ),
        "none of three": (
            ["churn raises price", "profit raises churn", "price raises churn"], "warn", 0.0,
        ),
        "none stated": ([], "not_applicable", None),
    },
)  # fmt: skip
def test_contradictions_and_too_little_content_fail(effects, expected, content):
    card = scored(draft(), *effects, labels=ALL_LABELS, options=ALL_OPTIONS)
    assert (check(card).outcome, check(card).share, card.content) == (expected, content, content)
    assert card.usable is (expected != "fail")
    assert sum(card.effect_counts.values()) == len(effects)
    assert card.states_effects is bool(effects)


def test_content_needs_nine_tenths_of_the_labels_coded():
    graph = with_node(draft(), "out_a", "outcome", label="A")
    graph = with_node(graph, "out_b", "outcome", label="B")
    graph = with_node(graph, "out_c", "outcome", label="C")
    for name in ("out_a", "out_b", "out_c"):
        graph["edges"] += [edge("fac_price", name, 0.1), edge(name, "goal", 0.1)]
    labels = ALL_LABELS | {"A": (), "B": ()}
    nine_of_ten = scored(graph, *WRONG, labels=labels, options=ALL_OPTIONS)
    assert (nine_of_ten.content, nine_of_ten.usable) == (0.0, False)
    del labels["B"]
    fewer = scored(graph, *WRONG, labels=labels, options=ALL_OPTIONS)
    assert (fewer.content, fewer.effects, fewer.usable) == (None, (), True)
    assert check(fewer).outcome == "not_applicable"
    assert "graph-evaluator briefs code" in check(fewer).message
    assert fewer.states_effects


def test_by_the_shipped_codebooks_the_real_answers_have_their_content():
    briefs = load_briefs()
    prompt = load_prompt("prompts/draft_graph_v20.txt")
    scorer = Scorer(RULES, briefs, prompt, codebooks=load_codebooks(briefs))
    cards: list[Scorecard] = []
    for line in Path("answers/language-model.jsonl").read_bytes().splitlines():
        answer: Any = parse(line)
        cards.append(scorer.score_graph(parse(answer["text"].encode()), answer["brief"]))
    assert all(card.usable and card.content is not None for card in cards)
    outcomes = [effect.outcome for card in cards for effect in card.effects]
    assert [outcomes.count(outcome) for outcome in ("right", "wrong", "missing")] == [152, 3, 29]
