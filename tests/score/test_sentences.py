"""What a finding says, word for word, about one thing and about several."""

import pytest

from tests.score.drafts import (
    Graph,
    draft,
    edge,
    link,
    node,
    scored,
    with_edges,
    with_node,
    without_edge,
    without_node,
)


def said(graph: Graph, code: str) -> list[str]:
    card = scored(graph)
    return [
        finding.message for finding in (*card.violations, *card.warnings) if finding.code == code
    ]


def with_nodes(*names: str, kind: str = "factor", **extra: str) -> Graph:
    graph = draft()
    for name in names:
        graph = with_node(graph, name, kind, **extra)
    return graph


def linked(graph: Graph, *names: str) -> Graph:
    return with_edges(graph, *[edge(name, "out_profit", 0.1, 0.1, 0.9) for name in names])


def without_edges(*pairs: tuple[str, str]) -> Graph:
    graph = draft()
    for pair in pairs:
        graph = without_edge(graph, *pair)
    return graph


def bent(key: str, value: object, *names: str) -> Graph:
    graph = draft()
    for name in names:
        node(graph, name)[key] = value
    return graph


def bent_edges(key: str, value: object, *pairs: tuple[str, str]) -> Graph:
    graph = draft()
    for pair in pairs:
        link(graph, *pair)[key] = value
    return graph


def setting(**interventions: float) -> Graph:
    graph = draft()
    node(graph, "opt_raise")["data"]["interventions"].update(interventions)
    return graph


OFFERS = (("dec", "opt_raise"), ("dec", "opt_stay"))


@pytest.mark.parametrize(
    ("graph", "code", "sentence"),
    [
        (
            with_nodes("fac_price"),
            "DUPLICATE_NODE_ID",
            '1 id is used by more than one node: "fac_price".',
        ),
        (
            with_nodes("fac_price", "fac_service"),
            "DUPLICATE_NODE_ID",
            '2 ids are used by more than one node: "fac_price", "fac_service".',
        ),
        (
            with_edges(draft(), edge("a", "goal"), edge("dec", "b")),
            "INVALID_EDGE_REF",
            '2 edges name a node that is not in the graph: "a" → "goal", "dec" → "b".',
        ),
        (
            with_nodes("dec_2", kind="decision"),
            "MISSING_DECISION",
            'There must be exactly one decision; there are 2: "dec", "dec_2".',
        ),
        (
            without_node(without_node(draft(), "opt_stay"), "opt_raise"),
            "INSUFFICIENT_OPTIONS",
            "There are 0 options; at least 2 are needed.",
        ),
        (
            with_nodes(*"abcde", kind="option"),
            "TOO_MANY_OPTIONS",
            'There are 7 options; 6 are allowed: "opt_raise", "opt_stay", "a", "b", "c" and 2 more.',
        ),
        (
            without_node(without_node(draft(), "out_profit"), "risk_churn"),
            "MISSING_BRIDGE",
            "There is no outcome and no risk, so nothing connects the factors with the goal.",
        ),
        (
            with_edges(draft(), *[edge("fac_price", "out_profit")] * 100),
            "EDGE_LIMIT_EXCEEDED",
            "There are 109 edges; 100 are allowed.",
        ),
        (
            with_edges(draft(), edge("fac_price", "fac_price")),
            "CYCLE_DETECTED",
            'The edges from "fac_price" lead back to the first of these nodes.',
        ),
        (
            linked(with_nodes("fac_a", category="controllable"), "fac_a"),
            "CONTROLLABLE_NO_OPTION_EDGE",
            '1 factor is called controllable but is set by no option: "fac_a".',
        ),
        (
            linked(with_nodes("fac_a", "fac_b", category="controllable"), "fac_a", "fac_b"),
            "CONTROLLABLE_NO_OPTION_EDGE",
            '2 factors are called controllable but are set by no option: "fac_a", "fac_b".',
        ),
        (
            without_edges(("fac_service", "risk_churn")),
            "OUTCOME_UNREACHABLE",
            '1 outcome or risk depends on nothing that an option changes: "risk_churn".',
        ),
        (
            without_edges(("fac_service", "risk_churn"), ("fac_price", "out_profit")),
            "OUTCOME_UNREACHABLE",
            '2 outcomes or risks depend on nothing that an option changes: "out_profit", "risk_churn".',
        ),
        (
            without_edges(("opt_stay", "fac_service")),
            "OPTION_NO_GOAL_PATH",
            '1 option has no path to the goal through a controllable factor: "opt_stay".',
        ),
        (
            without_edges(("out_profit", "goal"), ("risk_churn", "goal")),
            "OPTION_NO_GOAL_PATH",
            '2 options have no path to the goal through a controllable factor: "opt_raise", "opt_stay".',
        ),
        (
            with_nodes("fac_a", "fac_b"),
            "ORPHAN_NODE",
            '2 nodes are connected neither from the decision nor to the goal: "fac_a", "fac_b".',
        ),
        (
            with_nodes("act", kind="action"),
            "UNKNOWN_KIND",
            '1 node has a kind outside the format: "action".',
        ),
        (
            with_nodes("act", "other", kind="action"),
            "UNKNOWN_KIND",
            '2 nodes have a kind outside the format: "action".',
        ),
        (
            bent("category", "x", "fac_rivals"),
            "UNKNOWN_CATEGORY",
            '1 factor has a category outside the format: "x".',
        ),
        (
            bent("category", "x", "fac_rivals", "fac_price"),
            "UNKNOWN_CATEGORY",
            '2 factors have a category outside the format: "x".',
        ),
        (
            bent_edges("edge_type", "x", OFFERS[0]),
            "UNKNOWN_EDGE_TYPE",
            '1 edge has a type outside the format: "x".',
        ),
        (
            bent_edges("edge_type", "x", *OFFERS),
            "UNKNOWN_EDGE_TYPE",
            '2 edges have a type outside the format: "x".',
        ),
        (
            with_edges(draft(), edge("goal", "fac_rivals")),
            "EDGE_OUT_OF_GOAL",
            '1 edge leads out of the goal: "goal" → "fac_rivals".',
        ),
        (
            with_edges(draft(), *[edge("goal", "fac_rivals")] * 2),
            "EDGE_OUT_OF_GOAL",
            '2 edges lead out of the goal: "goal" → "fac_rivals", "goal" → "fac_rivals".',
        ),
        (
            with_edges(draft(), edge("dec", "goal")),
            "ODD_EDGE",
            '1 edge joins unusual kinds: "dec" → "goal".',
        ),
        (
            with_edges(draft(), edge("dec", "goal"), edge("opt_stay", "opt_raise")),
            "ODD_EDGE",
            '2 edges join unusual kinds: "dec" → "goal", "opt_stay" → "opt_raise".',
        ),
        (
            with_edges(draft(), edge("dec", "opt_stay")),
            "DUPLICATE_EDGE",
            '1 edge repeats an earlier one: "dec" → "opt_stay".',
        ),
        (
            with_edges(draft(), *[edge("dec", "opt_stay")] * 2),
            "DUPLICATE_EDGE",
            '2 edges repeat an earlier one: "dec" → "opt_stay", "dec" → "opt_stay".',
        ),
        (
            bent_edges("exists_probability", 2, OFFERS[0]),
            "VALUE_OUT_OF_RANGE",
            '1 edge has a parameter out of range: "dec" → "opt_raise".',
        ),
        (
            bent_edges("exists_probability", 2, *OFFERS),
            "VALUE_OUT_OF_RANGE",
            '2 edges have a parameter out of range: "dec" → "opt_raise", "dec" → "opt_stay".',
        ),
        (
            bent_edges("strength", None, OFFERS[0]),
            "MISSING_PARAMETER",
            '1 edge lacks a parameter: "dec" → "opt_raise".',
        ),
        (
            bent_edges("strength", None, *OFFERS),
            "MISSING_PARAMETER",
            '2 edges lack a parameter: "dec" → "opt_raise", "dec" → "opt_stay".',
        ),
        (
            setting(ghost=1),
            "INTERVENTION_ON_UNKNOWN_FACTOR",
            'Options set 1 id of no factor: "ghost".',
        ),
        (
            setting(ghost=1, goal=1),
            "INTERVENTION_ON_UNKNOWN_FACTOR",
            'Options set 2 ids of no factor: "ghost", "goal".',
        ),
        (
            setting(fac_service=1),
            "INTERVENTION_WITHOUT_EDGE",
            '1 intervention has no edge from the option: "opt_raise → fac_service".',
        ),
        (
            setting(fac_service=1, fac_rivals=1),
            "INTERVENTION_WITHOUT_EDGE",
            '2 interventions have no edge from the option: "opt_raise → fac_service", "opt_raise → fac_rivals".',
        ),
        (
            bent("category", "external", "fac_price"),
            "CATEGORY_CONFLICT",
            '1 factor is set by options but not called controllable: "fac_price".',
        ),
        (
            bent("category", "observable", "fac_price", "fac_service"),
            "CATEGORY_CONFLICT",
            '2 factors are set by options but not called controllable: "fac_price", "fac_service".',
        ),
        (
            without_edges(OFFERS[0]),
            "UNLINKED_OPTION",
            '1 option is not linked from the decision: "opt_raise".',
        ),
        (
            without_edges(*OFFERS),
            "UNLINKED_OPTION",
            '2 options are not linked from the decision: "opt_raise", "opt_stay".',
        ),
        (
            bent("goal_threshold", "80 %", "goal"),
            "THRESHOLD_NOT_A_NUMBER",
            "The goal's threshold is text.",
        ),
    ],
)
def test_sentence(graph: Graph, code: str, sentence: str) -> None:
    assert said(graph, code) == [sentence]


def test_at_most_five_are_named_in_a_sentence_and_the_rest_is_counted() -> None:
    (five,) = said(with_nodes(*"abcde"), "ORPHAN_NODE")
    assert (
        five
        == '5 nodes are connected neither from the decision nor to the goal: "a", "b", "c", "d", "e".'
    )
    (six,) = said(with_nodes(*"abcdef"), "ORPHAN_NODE")
    assert (
        six
        == '6 nodes are connected neither from the decision nor to the goal: "a", "b", "c", "d", "e" and 1 more.'
    )
    (five_edges,) = said(with_edges(draft(), *[edge("x", "y")] * 5), "INVALID_EDGE_REF")
    assert five_edges.endswith('"x" → "y", "x" → "y".')
    (six_edges,) = said(with_edges(draft(), *[edge("x", "y")] * 6), "INVALID_EDGE_REF")
    assert six_edges.endswith('"x" → "y", "x" → "y", "x" → "y", "x" → "y", "x" → "y" and 1 more.')


def test_names_are_cut_at_sixty_characters_in_a_sentence() -> None:
    (sentence,) = said(with_nodes("a" * 60, "b" * 61), "ORPHAN_NODE")
    assert f'"{"a" * 60}", "{"b" * 59}…"' in sentence
    (arrow,) = said(
        with_edges(draft(), edge("a" * 61, "b" * 60), edge("c" * 60, "d" * 61)), "INVALID_EDGE_REF"
    )
    assert f'"{"a" * 59}…" → "{"b" * 60}", "{"c" * 60}" → "{"d" * 59}…"' in arrow
