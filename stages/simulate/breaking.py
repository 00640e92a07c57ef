"""The ways in which a careless model breaks a draft, one function each: the draft and a stream in, the broken draft out."""

import msgspec

from stages.contracts.json_text import JsonValue
from stages.simulate.draft import Draft, Edge, Node, causal, of_kind, structural
from stages.simulate.stream import Stream

_SPRAWL_NODES = 46
_SPRAWL_LINKS = 2


def _with(draft: Draft, nodes: list[Node], edges: list[Edge]) -> Draft:
    return msgspec.structs.replace(draft, nodes=(*draft.nodes, *nodes), edges=(*draft.edges, *edges))


def _without(draft: Draft, gone: set[str]) -> Draft:
    nodes = tuple(node for node in draft.nodes if node.id not in gone)
    edges = tuple(edge for edge in draft.edges if edge.source not in gone and edge.target not in gone)
    return msgspec.structs.replace(draft, nodes=nodes, edges=edges)


def _factor(name: str, label: str, category: str = "observable") -> Node:
    return Node(id=f"fac_{name}", kind="factor", label=label, category=category)


def _results(draft: Draft) -> list[Node]:
    return [node for node in draft.nodes if node.kind in ("outcome", "risk")]


def _levers(draft: Draft) -> list[Node]:
    return [node for node in draft.nodes if node.category == "controllable"]


def dangling(draft: Draft, stream: Stream) -> Draft:
    """An edge from a node that was never written."""
    target = stream.choice(draft.nodes).id
    return _with(draft, [], [causal("fac_forgotten_lever", target, 0.3, 0.1, 0.7)])


def goalless(draft: Draft, stream: Stream) -> Draft:
    """No goal."""
    return _without(draft, {node.id for node in of_kind(draft, "goal")})


def undecided(draft: Draft, stream: Stream) -> Draft:
    """Two decisions in one graph."""
    second = Node(id="dec_second", kind="decision", label="And when to begin")
    options = of_kind(draft, "option")
    return _with(draft, [second], [structural(second.id, option.id) for option in options[:2]])


def lone_option(draft: Draft, stream: Stream) -> Draft:
    """One option only: nothing to choose."""
    options = [node.id for node in of_kind(draft, "option")]
    return _without(draft, set(options[1:]))


def sprawl(draft: Draft, stream: Stream) -> Draft:
    """Everything that was ever measured, and every variant as an option of its own: far too large."""
    results = _results(draft)
    if not results:
        return draft
    extra = [_factor(f"measure_{number}", f"Measurement {number}") for number in range(1, _SPRAWL_NODES + 1)]
    links = [
        causal(node.id, results[(place + turn) % len(results)].id, 0.05, 0.1, 0.6)
        for turn in range(_SPRAWL_LINKS)
        for place, node in enumerate(extra)
    ]
    return _with(too_many_options(draft, stream), extra, links)


def too_many_options(draft: Draft, stream: Stream) -> Draft:
    """Variants of options as options of their own, eight in all."""
    options, decisions = of_kind(draft, "option"), of_kind(draft, "decision")
    if not options:
        return draft
    nodes: list[Node] = []
    edges: list[Edge] = []
    for number in range(1, 9 - len(options)):
        like = options[number % len(options)]
        node = msgspec.structs.replace(like, id=f"opt_variant_{number}", label=f"{like.label} (variant {number})")
        nodes.append(node)
        edges += [structural(decision.id, node.id) for decision in decisions]
        edges += [structural(node.id, edge.target) for edge in draft.edges if edge.source == like.id]
    return _with(draft, nodes, edges)


def bridgeless(draft: Draft, stream: Stream) -> Draft:
    """No outcome and no risk: the levers point straight at the goal."""
    bare = _without(draft, {node.id for node in _results(draft)})
    goals = of_kind(draft, "goal")
    return _with(bare, [], [causal(lever.id, goal.id, 0.4, 0.1, 0.8) for lever in _levers(bare) for goal in goals[:1]])


def loop(draft: Draft, stream: Stream) -> Draft:
    """The feedback loop of the brief, closed: a result acts back on what drives it."""
    results = _results(draft)
    back = [
        causal(edge.target, edge.source, 0.3, 0.125, 0.7)
        for edge in draft.edges
        if edge.edge_type == "directed" and results and edge.target == results[0].id
    ]
    return _with(draft, [], back[:1])


def shortcut(draft: Draft, stream: Stream) -> Draft:
    """Options that act on results and on the goal without a lever."""
    ends = [node.id for node in (*_results(draft), *of_kind(draft, "goal"))]
    options = of_kind(draft, "option")
    return _with(draft, [], [causal(option.id, stream.choice(ends), 0.4, 0.1, 0.8) for option in options[:2] if ends])


def idle_lever(draft: Draft, stream: Stream) -> Draft:
    """A controllable factor that no option sets, as the only cause of an outcome."""
    lever = _factor("idle_lever", "Effort put into follow-up", "controllable")
    outcome = Node(id="out_by_idle_lever", kind="outcome", label="Issues settled at the first contact")
    goals = of_kind(draft, "goal")
    edges = [causal(lever.id, outcome.id, 0.5, 0.125, 0.8)]
    return _with(draft, [lever, outcome], edges + [causal(outcome.id, goal.id, 0.2, 0.1, 0.8) for goal in goals[:1]])


def dead_end(draft: Draft, stream: Stream) -> Draft:
    """An option that sets nothing: no way from it to the goal."""
    options = of_kind(draft, "option")
    if len(options) < 2:
        return draft
    dead = options[-1].id
    return msgspec.structs.replace(draft, edges=tuple(edge for edge in draft.edges if edge.source != dead))


def orphan(draft: Draft, stream: Stream) -> Draft:
    """A factor that nothing is tied to."""
    return _with(draft, [_factor("aside", "Weather on the day of the launch")], [])


def repeated(draft: Draft, stream: Stream) -> Draft:
    """The same id for two nodes."""
    twin = stream.choice(draft.nodes)
    return _with(draft, [msgspec.structs.replace(twin, label=f"{twin.label} (again)")], [])


def malformed(draft: Draft, stream: Stream) -> Draft:
    """An intervention without a value."""

    def emptied(node: Node) -> Node:
        values = (node.data or {}).get("interventions")
        if node.kind != "option" or not isinstance(values, dict):
            return node
        nothing: dict[str, JsonValue] = dict.fromkeys(values, None)
        return msgspec.structs.replace(node, data={"interventions": nothing})

    return msgspec.structs.replace(draft, nodes=tuple(emptied(node) for node in draft.nodes))
