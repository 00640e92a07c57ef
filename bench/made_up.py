"""Whether graphs of made-up briefs are counted as they were damaged: `python -m bench.made_up` names every one that is not.

Each graph is drawn from a truth, with labels as models write them, some of which mean the opposite. What it should count is worked
out from the names of its nodes, which the scorer never sees.
"""

import sys
from collections import Counter, defaultdict
from random import Random
from typing import Any

from bench.figure import Figure, figure
from generators.made_up import DECISION, TODAY, true_graph
from graph_evaluator.briefs.made_up import LANGUAGES, InventedDecision, made_up_text
from graph_evaluator.records.brief import Brief, parse_brief, targets_reached
from graph_evaluator.records.params import ScoringRules
from graph_evaluator.score import Scorer

Json = dict[str, Any]
GRAPHS = 315
"""A few of them are invalid, so that 300 are compared."""
LABELS = {
    "en": "{0}|Level of {0}|{0}, tonnes a month|{0} build-up in the yard|How much {0} there is|{0} per year (index)",
    "de": "{0}|Stand von {0}|{0}, Tonnen im Monat|{0}menge pro Jahr (Index)|Verfügbares {0}|{0}-Bestand im Lager",
}
OPPOSITES = {
    "en": "Cut in {0}|Less {0}|Drop in weekly {0}|{0} shortage|{0} is kept low|Loss of {0} (tonnes)",
    "de": "Weniger {0}|Rückgang von {0}|{0}mangel|Zu wenig {0} im Lager|{0} sinkt|Verlust an {0}",
}


def figures() -> list[Figure]:
    """The share of graphs whose every count is right; the others are named on standard error."""
    differences = [text for text in map(_difference, range(GRAPHS)) if text is not None]
    wrong = list(filter(None, differences))
    print(*wrong, sep="\n", file=sys.stderr)
    share = 1 - len(wrong) / len(differences)
    return [figure("graphs counted exactly", [share], "share", target=0.99, at_least=True)]


def _difference(number: int) -> str | None:
    """What is not counted as it should be in a graph; empty for nothing, None for an invalid one."""
    random, language = Random(number), LANGUAGES[number % 2]
    decision = InventedDecision(number, 1, 1 + number % 3, language)
    brief = parse_brief(decision.id, made_up_text(decision), decision.id)
    graph: Json = dict(true_graph(decision))
    polarity: dict[str, int] = {}
    for node in graph["nodes"]:
        if node["id"] in brief.expectations.concepts:
            polarity[node["id"]] = random.choice((1,) * 9 + (-1,))
            labels = LABELS if polarity[node["id"]] > 0 else OPPOSITES
            label = random.choice(labels[language].split("|"))
            node["label"] = label.format(node["id"].capitalize())
    options = {node["id"]: node for node in graph["nodes"] if node["kind"] == "option"}
    causal = [edge for edge in graph["edges"] if edge["from"] not in (DECISION, *options)]
    _damage(graph["edges"], causal, options, random)
    card = Scorer(ScoringRules(), [brief]).score_graph(graph, brief.id)
    if card.violations:
        return None
    counts = (card.effect_counts, card.invented_effects, card.drawn_effects)
    kept = [edge for edge in graph["edges"] if edge["from"] not in (DECISION, *options)]
    expected = _expected_counts(kept, options, brief, polarity)
    shown = [node["label"] for node in graph["nodes"]]
    return "" if counts == expected else f"{brief.id}: {counts}, not {expected}: {shown}"


def _damage(
    edges: list[Json], causal: list[Json], options: dict[str, Json], random: Random
) -> None:
    """Turn up to two signs, leave out or add an effect on a result, swap two options."""
    for edge in random.sample(causal, random.randrange(3)):
        edge["strength"]["mean"] *= -1
        edge["effect_direction"] = "positive" if edge["strength"]["mean"] > 0 else "negative"
    ends = Counter(end for edge in causal for end in (edge["from"] + ">", ">" + edge["to"]))
    spare = [edge for edge in causal if ends[edge["from"] + ">"] > 1 and ends[">" + edge["to"]] > 1]
    target = random.choice([edge["from"] for edge in causal if edge["to"] == "goal"])
    added = {**random.choice(causal), "to": target, "strength": {"mean": -0.07, "std": 0.1}}
    added["effect_direction"] = "negative"
    if spare and random.random() < 0.3:
        edges.remove(random.choice(spare))
    elif not any(
        edge["to"] in (target, "goal") for edge in causal if edge["from"] == added["from"]
    ):
        edges.append(added)
    *_, one, other, _ = options.values()
    if random.random() < 0.2:
        one["data"], other["data"] = other["data"], one["data"]


def _expected_counts(
    edges: list[Json], options: dict[str, Json], brief: Brief, polarity: dict[str, int]
) -> tuple[Counter[str], int, int]:
    """What the scorer should count, by the names of nodes and sums over paths: outcomes, invented
    and all drawn effects.
    """
    following: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for edge in edges:
        sign = polarity[edge["from"]] * polarity.get(edge["to"], 1)
        mean = edge["strength"]["mean"] * edge["exists_probability"]
        following[edge["from"]][edge["to"]] = sign * mean

    def effect(cause: str, target: str) -> float:
        steps = following[cause]
        if cause in options:
            levels = options[cause]["data"]["interventions"]
            steps = {name: (level - TODAY) * polarity[name] for name, level in levels.items()}
        onwards = sum(weight * effect(step, target) for step, weight in steps.items())
        return onwards + (cause == target)

    outcomes = Counter[str](right=0, wrong=0, missing=0)
    for stated in brief.expectations.effects:
        value = effect(stated.cause, stated.target)
        verb = "raises" if value > 1e-9 else "lowers" if value < -1e-9 else "does not affect"
        wrong = "missing" if verb == "does not affect" else "wrong"
        outcomes["right" if verb == stated.verb else wrong] += 1
    reached = targets_reached(brief.expectations.effects)
    drawn = [(cause, target) for cause, steps in following.items() for target in steps]
    invented = sum(target not in reached.get(cause, ()) for cause, target in drawn)
    return outcomes, invented, len(drawn)


if __name__ == "__main__":
    print(figures())
