"""The audit: what is caught, by what, and what nothing sees."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from stages.contracts.brief import Prompt
from stages.contracts.graph import example_graph
from stages.contracts.json_text import JsonValue
from stages.contracts.params import ScoringRules
from stages.contracts.response import Cell
from stages.contracts.scorecard import Audit, CheckName, CheckOutcome, CheckResult, Scorecard
from stages.score import Scorer
from stages.score.attacks import ATTACKS, MUTATIONS, AttackTarget, changed
from stages.score.audit import MAX_SAMPLE, ScoredFile, audit
from tests.builders.cases import cases
from tests.builders.graphs import edge
from tests.score.fidelity.true_graphs import PROMPTS, true_graphs

TRUE = true_graphs()
BRIEFS = {one.brief.id: one.brief for one in TRUE}
PROMPT = PROMPTS["draft_graph_v21"]
SCORER = Scorer(ScoringRules(), BRIEFS.values(), Prompt(path="p", text=PROMPT, sha256=""))
EXAMPLE = example_graph(PROMPT)
judge = SCORER.score_graph


def judge_nothing(graph: Any, brief_id: str) -> Scorecard:
    return scored(("X",), (), None)


def scored(
    codes: tuple[str, ...], checks: tuple[CheckResult, ...], score: float | None
) -> Scorecard:
    found = {"violation_codes": codes, "fidelity": checks, "overall_score": score}
    return judge([], TRUE[0].brief.id).model_copy(update=found)


GRAPHS: dict[str, Any] = {}
"""The graph in each file."""


def cell(
    model: str,
    brief: str,
    score: float | None = 0.9,
    graph: Any = None,
    *,
    usable: bool = True,
    **sub_scores: float,
) -> ScoredFile:
    file = f"{model}/{brief}"
    GRAPHS[file] = graph or {"nodes": [], "edges": []}
    return ScoredFile(Cell(model, brief, 1), b"", file, score, sub_scores, usable)


def audited(
    cells: list[ScoredFile], judge: Callable[[JsonValue, str], Scorecard], prompt: str = ""
) -> Audit:
    bodies = {name: brief.body for name, brief in BRIEFS.items()}
    return audit(cells, GRAPHS.__getitem__, judge, prompt, bodies)


CELLS = [
    cell(f"model-{index}", one.brief.id, graph=one.graph) for index, one in enumerate(TRUE[::6])
]


@pytest.fixture(scope="module")
def found() -> Audit:
    return audited(CELLS, judge, PROMPT)


def test_every_attack_of_the_run_is_accounted_for_once(found: Audit) -> None:
    attacks = [attack.__name__ for attack in (*ATTACKS, *MUTATIONS)]
    assert [one.attack for one in found.attacks] == attacks
    for one in found.attacks:
        by_check = one.by_violation + one.by_failed_check + one.by_warning
        assert by_check + one.by_score + one.by_nothing == one.graphs > 0


@pytest.mark.parametrize(
    ("attack", "reason"),
    [
        ("prompt_example", "by_failed_check"),
        ("generic_labels", "by_failed_check"),
        ("invented_numbers", "by_warning"),
        ("flipped_signs", "by_failed_check"),
        ("goal_signs_turned", "by_failed_check"),
        ("constant_parameters", "by_score"),
        ("empty_coaching", "by_score"),
        ("flipped_signs_and_directions", "by_failed_check"),
        ("labels_swapped", "by_nothing"),
        ("numbers_swapped", "by_nothing"),
    ],
)
def test_most_graphs_of_an_attack_are_caught_by(attack: str, reason: str, found: Audit) -> None:
    one = next(one for one in found.attacks if one.attack == attack)
    assert getattr(one, reason) > 0.9 * one.graphs


def test_the_order_of_the_cells_changes_nothing() -> None:
    graphs = [{"nodes": [], "edges": [], "index": index} for index in range(MAX_SAMPLE + 50)]
    many = [cell(f"m{index}", "b", graph=graph) for index, graph in enumerate(graphs)]
    judged: list[list[JsonValue]] = []
    for cells in (many, many[::-1]):
        asked: list[JsonValue] = []

        def note(graph: JsonValue, _: str, asked: list[JsonValue] = asked) -> Scorecard:
            asked.append(graph)
            return scored(("X",), (), None)

        audited(cells, note)
        judged.append(asked[:MAX_SAMPLE])
    assert judged[0] == judged[1]


def warned(
    outcome: CheckOutcome, share: float | None, name: CheckName = "numbers"
) -> tuple[CheckResult, ...]:
    return (CheckResult(name=name, outcome=outcome, message="", share=share),)


@cases("before, after, reason", {
"violation first": (((), warned("pass", 1.0), 0.9), (("X",), warned("fail", 0.0), None), "by_violation"),
"then a failed check": (((), warned("pass", 1.0), 0.9), ((), warned("fail", 0.0), 0.1), "by_failed_check"),
"then a warning": (((), warned("pass", 1.0), 0.9), ((), warned("warn", 0.5), 0.1), "by_warning"),
"a worse warning": (((), warned("warn", 0.5), 0.9), ((), warned("warn", 0.2), 0.9), "by_warning"),
"then the score": (((), warned("warn", 0.5), 0.9), ((), warned("warn", 0.5), 0.88), "by_score"),
"a small drop": (((), warned("warn", 0.5), 0.9), ((), warned("warn", 0.5), 0.89), "by_nothing"),
"a better check": (((), warned("fail", None), 0.9), ((), warned("warn", None), 0.9), "by_nothing"),
})  # fmt: skip
def test_the_first_reason_counts(before: Any, after: Any, reason: str) -> None:
    answers = iter([scored(*before)] + [scored(*after)] * 30)
    found = audited([cell("m", "b")], lambda *_: next(answers))
    generic = next(one for one in found.attacks if one.attack == "generic_labels")
    assert getattr(generic, reason) == 1


def test_what_the_scores_of_the_run_cannot_distinguish() -> None:
    cells = [
        cell("a", "one", 1.0, same=1.0, other=0.5), cell("b", "one", 0.5, same=1.0, other=1.0),
        cell("a", "two", 0.80, same=1.0, other=0.5), cell("b", "two", 0.81, same=1.0, other=1.0),
        cell("a", "three", 0.99, same=1.0, other=1.0, usable=False),  # counted and not attacked
    ]  # fmt: skip
    found = audited(cells, judge_nothing)
    assert (found.cells, found.sampled, found.at_ceiling) == (5, 4, 1)
    assert found.constant_sub_scores == ("same",)
    assert found.indifferent_briefs == ("two",)


def test_a_run_without_a_valid_graph_has_an_empty_audit() -> None:
    found = audited([cell("m", "b", None, usable=False)], judge, PROMPT)
    assert (found.cells, found.at_ceiling, found.constant_sub_scores) == (0, 0, ())
    assert {(one.graphs, one.mean_drop) for one in found.attacks} == {(0, None)}


@pytest.mark.parametrize("attack", [*ATTACKS, *MUTATIONS], ids=lambda attack: attack.__name__)
def test_an_attack_changes_a_copy_and_is_the_same_each_time(attack: Any) -> None:
    for one, other in pairwise(TRUE):
        before = repr(one.graph)
        target = AttackTarget(one.graph, other.graph, EXAMPLE, one.id)
        made = changed(attack, target)
        assert repr(one.graph) == before
        assert made == changed(attack, target)
        assert made is None or made != one.graph


@pytest.mark.parametrize("attack", [*ATTACKS, *MUTATIONS], ids=lambda attack: attack.__name__)
def test_an_attack_takes_a_graph_with_the_least_that_is_valid(attack: Any) -> None:
    kinds = ("decision", "option", "factor", "risk", "goal", "x")
    nodes = [{"id": f"n{index}", "kind": kind} for index, kind in enumerate(kinds)]
    bidirected = {"from": "n4", "to": "n5", "edge_type": "bidirected"}
    edges = [edge("n2", "n3", 0.1), {"from": "n0", "to": "n1"}, bidirected]
    made = changed(attack, AttackTarget({"nodes": nodes, "edges": edges}, None, None, "key"))
    assert made is None or isinstance(made["nodes"], list)


def test_the_example_graph_is_found_between_other_braces() -> None:
    text = '{x} {"a": 1} {"nodes": [], "edges": [{}]} {'
    assert example_graph(text) == {"nodes": [], "edges": [{}]}
    assert example_graph("no {example} here") is None
    assert EXAMPLE is not None
