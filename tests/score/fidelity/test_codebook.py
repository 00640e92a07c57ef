"""Labels that a codebook holds are read by it; only they can make the check of effects fail."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graph_evaluator.records.codebook import Codebook
from graph_evaluator.records.json_text import parse
from graph_evaluator.records.scorecard import CheckResult, Scorecard
from graph_evaluator.score import Scorer
from graph_evaluator.shell.inputs import load_briefs, load_codebooks, load_prompt
from tests.builders.cases import cases
from tests.score.drafts import RULES, draft, node
from tests.score.fidelity.test_effects import stating

ALL_LABELS = {
    "Price per seat": ("price",),
    "Hours of support": ("support",),
    "Prices of two rivals": (),
    "Profit per seat": ("profit",),
    "Seats cancelled": ("churn",),
}
ALL_OPTIONS = {"Raise the price": "raise", "Status quo": "status quo"}
WRONG = ("profit lowers goal", "price lowers goal")


def scored(
    graph: dict[str, Any],
    *effects: str,
    labels: Mapping[str, tuple[str, ...]] | None = None,
    options: Mapping[str, str | None] | None = None,
) -> Scorecard:
    book = Codebook.model_validate({"labels": labels or {}, "options": options or {}})
    scorer = Scorer(RULES, [stating(*effects)], codebooks={"b": book})
    return scorer.score_graph(graph, "b")


def check(card: Scorecard) -> CheckResult:
    return card.fidelity[-1]


@cases(
    "codes, expected",
    {
        "as the words": (("profit",), "right"),
        "the opposite": (("-profit",), "wrong"),
        "several": (("churn", "-profit"), "wrong"),
    },
)
def test_a_coded_label_expresses_what_its_code_says(codes: tuple[str, ...], expected: str) -> None:
    card = scored(draft(), "profit raises goal", labels={"  profit PER  seat": codes})
    assert [effect.outcome for effect in card.effects] == [expected]


def test_a_coded_option_is_the_stated_option_that_its_code_says() -> None:
    graph = draft()
    node(graph, "opt_raise")["label"] = "Another sum"
    effect = "raise raises profit"
    assert scored(graph, effect).effects[0].outcome == "missing"
    card = scored(graph, effect, options={"Another sum": "price rise"})
    assert card.effects[0].outcome == "right"
    assert [result.outcome for result in card.fidelity if result.name == "options_kept"] == ["pass"]
    card = scored(draft(), effect, options={"Raise the price": None})
    assert card.effects[0].outcome == "missing"


def test_the_share_of_coded_labels_counts_those_that_can_name_something() -> None:
    half = dict(list(ALL_LABELS.items())[:2])
    assert scored(draft(), "profit raises goal").coded == 0.0
    assert scored(draft(), "profit raises goal", labels=half).coded == 2 / 7
    card = scored(draft(), "profit raises goal", labels=ALL_LABELS, options=ALL_OPTIONS)
    assert (card.coded, card.effects[0].coded) == (1.0, True)
    assert scored(draft(), labels=ALL_LABELS).coded is None


def test_contradictions_fail_by_coded_labels_and_warn_by_words() -> None:
    by_words = scored(draft(), *WRONG)
    assert (check(by_words).outcome, by_words.usable) == ("warn", True)
    one_coded = scored(draft(), *WRONG, labels={"Profit per seat": ("profit",)})
    assert check(one_coded).outcome == "warn"
    by_codes = scored(draft(), *WRONG, labels=ALL_LABELS)
    assert (check(by_codes).outcome, by_codes.usable) == ("fail", False)
    assert check(by_codes).labels == WRONG
    outweighed = ("churn lowers goal", "support raises goal", "price raises profit")
    assert scored(draft(), *WRONG, *outweighed, labels=ALL_LABELS).usable


def test_too_little_content_fails_with_nearly_all_labels_coded() -> None:
    effects = (
        "churn raises price",
        "profit raises churn",
        "price raises churn",
        "churn raises profit",
    )
    assert not scored(draft(), *effects, labels=ALL_LABELS, options=ALL_OPTIONS).usable
    assert scored(draft(), *effects, labels=ALL_LABELS).usable
    assert scored(draft(), *effects[:3], labels=ALL_LABELS, options=ALL_OPTIONS).usable


def test_by_the_shipped_codebooks_the_real_answers_have_their_content() -> None:
    briefs = load_briefs()
    prompt = load_prompt("prompts/draft_graph_v20.txt")
    scorer = Scorer(RULES, briefs, prompt, codebooks=load_codebooks(briefs))
    cards: list[Scorecard] = []
    for line in Path("answers/language-model.jsonl").read_bytes().splitlines():
        answer: Any = parse(line)
        cards.append(scorer.score_graph(parse(answer["text"].encode()), answer["brief"]))
    assert all(card.usable and card.coded == 1.0 for card in cards)
    outcomes = [effect.outcome for card in cards for effect in card.effects]
    assert [outcomes.count(outcome) for outcome in ("right", "wrong", "missing")] == [77, 1, 14]
