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
    without_edge,
    without_node,
)


def said(graph: Graph) -> list[str]:
    card = scored(graph)
    return [finding.message for finding in (*card.violations, *card.warnings)]


def linked(*names: str) -> Graph:
    graph = with_nodes(*names, category="controllable")
    return with_edges(graph, *[edge(name, "out_profit", 0.1, 0.1, 0.9) for name in names])


def more_edges(*arrows: str) -> Graph:
    ends = [arrow.split(" > ") for arrow in arrows]
    return with_edges(draft(), *[edge(source, target) for source, target in ends])


def setting(**interventions: float) -> Graph:
    return changed("opt_raise", data={"interventions": {"fac_price": 0.8} | interventions})


OFFERS = ("dec > opt_raise", "dec > opt_stay")
SENTENCES = {
    "$.edges must be an array, found text.": draft() | {"edges": "none"},
    '1 id is used by more than one node: "fac_price".': with_nodes("fac_price"),
    '2 ids are used by more than one node: "fac_price", "fac_service".':
        with_nodes("fac_price", "fac_service"),
    '1 edge names a node that is not in the graph: "a" → "b".': more_edges("a > b"),
    '2 edges name a node that is not in the graph: "a" → "goal", "dec" → "b".':
        more_edges("a > goal", "dec > b"),
    "There must be exactly one goal; there is none.": without_node(draft(), "goal"),
    'There must be exactly one decision; there are 2: "dec", "dec_2".':
        with_node(draft(), "dec_2", "decision"),
    "There is 1 option; at least 2 are needed.": without_node(draft(), "opt_stay"),
    "There are 0 options; at least 2 are needed.": without_node(draft(), "opt_stay", "opt_raise"),
    'There are 7 options; 6 are allowed: "opt_raise", "opt_stay", "a", "b", "c" and 2 more.':
        with_nodes(*"abcde", kind="option"),
    "There is no outcome and no risk, so nothing connects the factors with the goal.":
        without_node(draft(), "out_profit", "risk_churn"),
    "There are 51 nodes; 50 are allowed.": padded(42),
    "There are 109 edges; 100 are allowed.": more_edges(*["fac_price > out_profit"] * 100),
    'The edges from "fac_price" lead back to the first of these nodes.':
        more_edges("fac_price > fac_price"),
    '"fac_price" → "goal" leads from a factor to a goal, which is not allowed.':
        more_edges("fac_price > goal"),
    '"opt_raise" → "out_profit" leads from an option to an outcome, which is not allowed.':
        more_edges("opt_raise > out_profit"),
    '1 factor is called controllable but is set by no option: "fac_a".': linked("fac_a"),
    '2 factors are called controllable but are set by no option: "fac_a", "fac_b".':
        linked("fac_a", "fac_b"),
    '1 outcome or risk depends on nothing that an option changes: "risk_churn".':
        without_edge(draft(), "fac_service > risk_churn"),
    '2 outcomes or risks depend on nothing that an option changes: "out_profit", "risk_churn".':
        without_edge(draft(), "fac_service > risk_churn", "fac_price > out_profit"),
    '1 option has no path to the goal through a controllable factor: "opt_stay".':
        without_edge(draft(), "opt_stay > fac_service"),
    '2 options have no path to the goal through a controllable factor: "opt_raise", "opt_stay".':
        without_edge(draft(), "out_profit > goal", "risk_churn > goal"),
    '1 node is connected neither from the decision nor to the goal: "fac_a".': with_nodes("fac_a"),
    '2 nodes are connected neither from the decision nor to the goal: "fac_a", "fac_b".':
        with_nodes("fac_a", "fac_b"),
    '1 node has a kind outside the format: "action".': with_nodes("act", kind="action"),
    '2 nodes have a kind outside the format: "action".': with_nodes("act", "other", kind="action"),
    '1 factor has a category outside the format: "x".': changed("fac_rivals", category="x"),
    '2 factors have a category outside the format: "x".':
        changed("fac_rivals", "fac_price", category="x"),
    '1 edge has a type outside the format: "x".': changed(OFFERS[0], edge_type="x"),
    '2 edges have a type outside the format: "x".': changed(*OFFERS, edge_type="x"),
    '1 edge leads out of the goal: "goal" → "fac_rivals".': more_edges("goal > fac_rivals"),
    '2 edges lead out of the goal: "goal" → "fac_rivals", "goal" → "fac_rivals".':
        more_edges(*["goal > fac_rivals"] * 2),
    '1 edge joins unusual kinds: "dec" → "goal".': more_edges("dec > goal"),
    '2 edges join unusual kinds: "dec" → "goal", "opt_stay" → "opt_raise".':
        more_edges("dec > goal", "opt_stay > opt_raise"),
    '1 edge repeats an earlier one: "dec" → "opt_stay".': more_edges(OFFERS[1]),
    '2 edges repeat an earlier one: "dec" → "opt_stay", "dec" → "opt_stay".':
        more_edges(*[OFFERS[1]] * 2),
    '1 edge has a parameter out of range: "dec" → "opt_raise".':
        changed(OFFERS[0], exists_probability=2),
    '2 edges have a parameter out of range: "dec" → "opt_raise", "dec" → "opt_stay".':
        changed(*OFFERS, exists_probability=2),
    '1 edge lacks a parameter: "dec" → "opt_raise".': changed(OFFERS[0], strength=None),
    '2 edges lack a parameter: "dec" → "opt_raise", "dec" → "opt_stay".':
        changed(*OFFERS, strength=None),
    'Options set 1 id of no factor: "ghost".': setting(ghost=1),
    'Options set 2 ids of no factor: "ghost", "goal".': setting(ghost=1, goal=1),
    '1 intervention has no edge from the option: "opt_raise → fac_service".':
        setting(fac_service=1),
    '2 interventions have no edge from the option: "opt_raise → fac_service", '
    '"opt_raise → fac_rivals".': setting(fac_service=1, fac_rivals=1),
    '1 factor is set by options but not called controllable: "fac_price".':
        changed("fac_price", category="external"),
    '2 factors are set by options but not called controllable: "fac_price", "fac_service".':
        changed("fac_price", "fac_service", category="observable"),
    '1 option is not linked from the decision: "opt_raise".': without_edge(draft(), OFFERS[0]),
    '2 options are not linked from the decision: "opt_raise", "opt_stay".':
        without_edge(draft(), *OFFERS),
    "The goal's threshold is text.": changed("goal", goal_threshold="80 %"),
    '1 option counts as the status quo by a match within a word: "Outsource bookkeeping".':
        changed("opt_stay", label="Outsource bookkeeping"),
    '1 option leaves the goal where it is: "opt_raise".': changed("out_profit > goal", mean=0),
    '1 lever is today where an option would put it: "fac_price".':
        changed("fac_price", data={"value": 0.8}),
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
