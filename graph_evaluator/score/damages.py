"""What every check is worth: which damaged copies of the run's own usable graphs it notices, and
which briefs would notice a bad graph.

A damage changes a valid graph (parsed JSON), or returns None where it does not apply. Draws derive
from hashes, so that equal runs have equal cards.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from graph_evaluator.records.codes import QUESTIONS
from graph_evaluator.records.errors import GraphEvaluatorError
from graph_evaluator.records.graph import causal_edges, read
from graph_evaluator.records.response import Answer, Response
from graph_evaluator.records.run_results import DAMAGES, BriefCard, CheckCard, CheckCards, Damage
from graph_evaluator.records.scorecard import ScoredCell
from graph_evaluator.score.fidelity.subject import CONCEPT_KINDS
from graph_evaluator.score.scorer import Scorer

MAX_GRAPHS = 200
"""Maximum number of damaged graphs."""
GraphJson = dict[str, Any]
_TURNED = {"positive": "negative", "negative": "positive"}
_SEVERITY = {"pass": 0.0, "not_applicable": 0.0, "warn": -1.0, "fail": -2.0}


def draw(*keys: str) -> int:
    """A number that derives from keys: evenly spread, and the same for the same keys."""
    text = "\n".join(keys).encode("utf-8", "replace")
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big")


def check_cards(
    responses: Sequence[Response], scorer: Scorer, own: Mapping[str, str]
) -> CheckCards:
    """The cards of all checks, by copies of the usable graphs in these responses. `own` are the
    questions of the team's own checks, by name.
    """
    copies = Counter[Damage]()
    caught: Counter[tuple[str, Damage]] = Counter()
    of_brief: defaultdict[str, list[bool]] = defaultdict(list)
    for response in responses:
        marks = _marks(scorer.score(response))
        for damage, damaged in _damaged_copies(response, responses):
            try:
                found = _marks(scorer.score(damaged))
            except GraphEvaluatorError as error:  # of a check of the team's own
                message = f"{error}, whose graph was damaged: {damage}"
                raise GraphEvaluatorError(message) from error
            worse = [name for name, mark in found.items() if mark < marks.get(name, 0.0)]
            copies[damage] += 1
            caught.update((name, damage) for name in worse)
            of_brief[response.cell.brief_id].append(bool(worse))
    cards = [
        CheckCard(
            name=name,
            question=question,
            own=name in own,
            caught={damage: caught[name, damage] for damage in DAMAGES},
        )
        for name, question in {**QUESTIONS, **own}.items()
    ]
    briefs = [
        BriefCard(brief_id=brief_id, copies=len(caught_by_any), caught=sum(caught_by_any))
        for brief_id, caught_by_any in sorted(of_brief.items())
    ]
    counts = {damage: copies[damage] for damage in DAMAGES}
    return CheckCards(copies=counts, checks=tuple(cards), briefs=tuple(briefs))


def _marks(card: ScoredCell) -> dict[str, float]:
    """How well a graph passes each check, higher is better: a measure by its value."""
    marks = {name: _SEVERITY[outcome] for name, outcome in card.checks.items()}
    return marks | card.own_measures


def _damaged_copies(
    response: Response, others: Sequence[Response]
) -> Iterator[tuple[Damage, Response]]:
    """A response with each damaged copy of its graph."""
    key = str(response.cell)
    foreign = [other for other in others if other.cell.brief_id != response.cell.brief_id]
    graph: Any = response.answer.graph
    graphs: dict[Damage, Any] = {
        damage: change(deepcopy(graph), key) for damage, change in _CHANGES.items()
    }
    if foreign:
        graphs["another brief's graph"] = foreign[draw(key) % len(foreign)].answer.graph
    for damage, damaged in graphs.items():
        if damaged is not None:
            answer = Answer(status="success", graph=damaged)
            yield damage, Response(cell=response.cell, answer=answer, request=response.request)


def labels_shuffled(graph: GraphJson, key: str) -> GraphJson:
    """The labels of options dealt out among them, and those of factors, outcomes and risks."""
    for kinds in (("option",), CONCEPT_KINDS):
        nodes = [node for node in graph["nodes"] if node["kind"] in kinds]
        dealt = sorted(nodes, key=lambda node: draw(key, node["id"]))
        labels = [node.get("label") for node in dealt]
        for node, label in zip(nodes, labels, strict=True):
            node["label"] = label
    return graph


def signs_turned(graph: GraphJson, _: str) -> GraphJson:
    """The sign and the stated direction of every effect turned."""
    for causal in causal_edges(read(graph)[0]):
        edge = graph["edges"][causal.index]
        edge["strength"]["mean"] *= -1
        direction = edge.get("effect_direction")
        edge["effect_direction"] = _TURNED.get(str(direction), direction)
    return graph


def option_dropped(graph: GraphJson, key: str) -> GraphJson | None:
    """One of three or more options left out; another one sets its factors, so that the graph stays
    valid.
    """
    options = [node["id"] for node in graph["nodes"] if node["kind"] == "option"]
    if len(options) < 3:
        return None
    dropped, heir, *_ = sorted(options, key=lambda option: draw(key, option))
    graph["nodes"] = [node for node in graph["nodes"] if node["id"] != dropped]
    graph["edges"] = [edge for edge in graph["edges"] if edge["to"] != dropped]
    for edge in graph["edges"]:
        if edge["from"] == dropped:
            edge["from"] = heir
    return graph


def target_changed(graph: GraphJson, key: str) -> GraphJson | None:
    """Another threshold of the goal, in a graph that has one."""
    goal = next(node for node in graph["nodes"] if node["kind"] == "goal")
    if goal.get("goal_threshold_raw") is None:
        return None
    raw = 1.1 + draw(key) % 8_880 / 100
    changed = {"goal_threshold": 0.5, "goal_threshold_raw": raw, "goal_threshold_cap": 2 * raw}
    goal |= changed
    return graph


_CHANGES: dict[Damage, Callable[[GraphJson, str], GraphJson | None]] = {
    "labels shuffled": labels_shuffled,
    "signs turned": signs_turned,
    "option dropped": option_dropped,
    "target changed": target_changed,
}
