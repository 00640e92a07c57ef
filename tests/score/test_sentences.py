"""What a finding says, word for word, about one thing and about several."""

import pytest

from tests.score.drafts import (
    Graph,
    changed,
    draft,
    edge,
    padded,
    scored,
    with_edges,
    with_node,
    with_nodes,
    without_node,
)


def said(graph: Graph) -> list[str]:
    card = scored(graph)
    return [finding.message for finding in (*card.violations, *card.warnings)]


def more_edges(*arrows: str) -> Graph:
    ends = [arrow.split(" > ") for arrow in arrows]
    return with_edges(draft(), *[edge(source, target) for source, target in ends])


def setting(**interventions: float) -> Graph:
    return changed("opt_raise", data={"interventions": {"fac_price": 0.8} | interventions})


SENTENCES = {
    "$.edges must be an array, found text.": draft() | {"edges": "none"},
    '1 id is used by more than one node: "fac_price".': with_nodes("fac_price"),
    '2 ids are used by more than one node: "fac_price", "fac_service".':
        with_nodes("fac_price", "fac_service"),
    '2 edges name a node that is not in the graph: "a" → "goal", "dec" → "b".':
        more_edges("a > goal", "dec > b"),
    "There must be exactly one goal; there is none.": without_node(draft(), "goal"),
    'There must be exactly one decision; there are 2: "dec", "dec_2".':
        with_node(draft(), "dec_2", "decision"),
    "There is 1 option; at least 2 are needed.": without_node(draft(), "opt_stay"),
    'There are 7 options; 6 are allowed: "opt_raise", "opt_stay", "a", "b", "c" and 2 more.':
        with_nodes(*"abcde", kind="option"),
    "There is no outcome and no risk, so nothing connects the factors with the goal.":
        without_node(draft(), "out_profit", "risk_churn"),
    "There are 51 nodes; 50 are allowed.": padded(42),
    "There are 109 edges; 100 are allowed.": more_edges(*["fac_price > out_profit"] * 100),
    'The edges from "fac_price" lead back to the first of these nodes.':
        more_edges("fac_price > fac_price"),
    '"opt_raise" → "out_profit" leads from an option to an outcome, which is not allowed.':
        more_edges("opt_raise > out_profit"),
    '2 nodes have a kind outside the format: "action".': with_nodes("act", "other", kind="action"),
    '1 edge has a type outside the format: "x".': changed("dec > opt_raise", edge_type="x"),
    'Options set 2 ids of no factor: "ghost", "goal".': setting(ghost=1, goal=1),
    '2 interventions have no edge from the option: "opt_raise → fac_service", '
    '"opt_raise → fac_rivals".': setting(fac_service=1, fac_rivals=1),
    "The goal's threshold is text.": changed("goal", goal_threshold="80 %"),
    '1 option counts as the status quo by a match within a word: "Outsource bookkeeping".':
        changed("opt_stay", label="Outsource bookkeeping"),
}  # fmt: skip


@pytest.mark.parametrize(("sentence", "graph"), SENTENCES.items(), ids=str)
def test_a_finding_is_one_sentence(sentence: str, graph: Graph) -> None:
    assert said(graph).count(sentence) == 1


def test_at_most_five_are_named_in_a_sentence_and_the_rest_is_counted() -> None:
    assert said(with_nodes(*"abcde"))[0].endswith(': "a", "b", "c", "d", "e".')
    assert said(with_nodes(*"abcdef"))[0].endswith(': "a", "b", "c", "d", "e" and 1 more.')
    five = '"x" → "y", "x" → "y", "x" → "y", "x" → "y", "x" → "y"'
    assert said(more_edges(*["x > y"] * 5))[0].endswith(f": {five}.")
    assert said(more_edges(*["x > y"] * 6))[0].endswith(f": {five} and 1 more.")


def test_names_are_cut_at_sixty_characters_in_a_sentence() -> None:
    sentence = said(with_nodes("a" * 60, "b" * 61))[0]
    assert f'"{"a" * 60}", "{"b" * 59}…"' in sentence
    arrow = said(more_edges(f"{'a' * 61} > {'b' * 60}", f"{'c' * 60} > {'d' * 61}"))[0]
    assert f'"{"a" * 59}…" → "{"b" * 60}", "{"c" * 60}" → "{"d" * 59}…"' in arrow
