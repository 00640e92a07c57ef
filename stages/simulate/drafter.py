"""Drafts a decision graph from a brief, as a given character would."""

import msgspec

from stages.contracts.json_text import JsonValue
from stages.simulate.character import Character
from stages.simulate.coaching import claims, coaching
from stages.simulate.draft import Draft, Edge, Node, confounder, structural
from stages.simulate.effects import Link, estimate
from stages.simulate.levers import Choice, Names, capital, choose, generic
from stages.simulate.reading import Reading
from stages.simulate.stream import Stream


def draft(reading: Reading, character: Character, stream: Stream) -> Draft:
    """A graph of the shape that the prompts ask for: always structurally valid, as good otherwise as the character is."""
    language = reading.language
    names = Names(reading.phrases, language.circumstances[0])
    subject = capital(reading.phrases[0]) if reading.phrases else language.circumstances[-1]
    decision = Node(id=names.identifier("dec", subject), kind="decision", label=language.choice.format(subject))
    goal = _goal(reading, character, names, subject, stream.branch("goal"))
    choice = choose(reading, character, names, stream.branch("choice"))
    around = _circumstances(reading, character, names, stream.branch("circumstances"))
    results = _results(reading, choice, names, stream.branch("results"))
    nodes = (decision, *choice.options, *choice.levers, *around, *results, goal)
    links = _links(choice, around, results, goal, stream.branch("links"))
    bounded = frozenset(node.id for node in (*results, goal))
    effects = estimate(links, bounded, character, stream.branch("effects"))
    hidden: list[Edge] = []
    if stream.chance(character.confounder) and around:
        hidden = [confounder(around[0].id, results[-1].id)]
    told = {} if stream.chance(character.omit_coaching) else coaching(reading, subject, stream.branch("coaching"))
    return Draft(
        nodes=nodes,
        edges=(*_ties(decision, choice), *effects, *hidden),
        coaching=told,
        causal_claims=claims(reading, effects, hidden, subject, stream.branch("claims")),
    )


def _goal(reading: Reading, character: Character, names: Names, subject: str, stream: Stream) -> Node:
    target = reading.target
    if target is None:
        label = reading.language.goal.format(subject)
        return Node(id=names.identifier("goal", label), kind="goal", label=label)
    label = target.sentence if len(target.sentence) < 90 else target.sentence[:90].rsplit(" ", 1)[0]
    bare = Node(id=names.identifier("goal", label), kind="goal", label=label)
    if stream.chance(character.omit_threshold):
        return bare
    return msgspec.structs.replace(
        bare,
        goal_threshold=round(target.raw / target.cap, 4),
        goal_threshold_raw=target.raw,
        goal_threshold_unit=target.unit,
        goal_threshold_cap=target.cap,
    )


def _circumstances(reading: Reading, character: Character, names: Names, stream: Stream) -> list[Node]:
    nodes: list[Node] = []
    if not stream.chance(character.omit_external):
        label = stream.choice(reading.language.circumstances)
        label = generic(stream) if stream.chance(character.generic_label) else label
        low = round(stream.between(0.05, 0.4), 2)
        prior: dict[str, JsonValue] = {
            "distribution": "uniform",
            "range_min": low,
            "range_max": round(low + stream.between(0.2, 0.5), 2),
        }
        nodes.append(
            Node(id=names.identifier("fac", label), kind="factor", label=label, category="external", prior=prior)
        )
    low_count, high_count = character.extra_factors
    extra = low_count + int((high_count - low_count + 1) * stream.unit() * (0.5 + 0.5 * reading.difficulty))
    for _ in range(extra):
        label = capital(names.phrase(stream))
        label = generic(stream) if stream.chance(character.generic_label) else label
        data: dict[str, JsonValue] = {"value": round(stream.between(0.1, 0.8), 2), "extractionType": "inferred"}
        nodes.append(
            Node(id=names.identifier("fac", label), kind="factor", label=label, category="observable", data=data)
        )
    return nodes


def _results(reading: Reading, choice: Choice, names: Names, stream: Stream) -> list[Node]:
    language = reading.language
    crowded = len(choice.options) + len(choice.levers) > 6
    kinds = ["outcome", "risk"] if crowded or stream.chance(0.6) else ["outcome", "outcome", "risk"]
    nodes: list[Node] = []
    for kind in kinds:
        template = language.outcome if kind == "outcome" else language.risk
        label = template.format(names.phrase(stream))
        nodes.append(Node(id=names.identifier("out" if kind == "outcome" else "risk", label), kind=kind, label=label))
    return nodes


def _ties(decision: Node, choice: Choice) -> list[Edge]:
    """The decision's edges to the options, and theirs to the levers: as the interventions say, and to each lever at least one."""
    edges = [structural(decision.id, option.id) for option in choice.options]
    moved: list[tuple[str, str]] = []
    for index, option in enumerate(choice.options):
        values = (option.data or {}).get("interventions")
        own = list(values) if isinstance(values, dict) and values else [choice.levers[index % len(choice.levers)].id]
        moved += [(option.id, lever) for lever in own]
    for index, lever in enumerate(choice.levers):
        if lever.id not in {target for _, target in moved}:
            moved.append((choice.options[index % len(choice.options)].id, lever.id))
    return edges + [structural(source, target) for source, target in moved]


def _links(choice: Choice, around: list[Node], results: list[Node], goal: Node, stream: Stream) -> list[Link]:
    """Every lever moves a result, every result has a lever, every circumstance moves something, all results count."""
    pairs: dict[tuple[str, str], int] = {}
    for index, result in enumerate(results):
        pairs[choice.levers[index % len(choice.levers)].id, result.id] = 1
    for lever in choice.levers:
        for result in results:
            missing = not any(source == lever.id for source, _ in pairs)
            if (missing and result is results[-1]) or stream.chance(0.35):
                pairs[lever.id, result.id] = -1 if stream.chance(0.25) else 1
    for node in around:
        pairs[node.id, stream.choice(results).id] = -1 if stream.chance(0.5) else 1
    for result in results:
        pairs[result.id, goal.id] = 1 if result.kind == "outcome" else -1
    return [Link(source, target, sign) for (source, target), sign in pairs.items()]
