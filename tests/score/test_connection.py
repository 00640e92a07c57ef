"""Where single steps do not show that all is well linked, walks decide: graphs in which just one
step is amiss.
"""

from tests.builders.cases import cases
from tests.score.drafts import Graph, edge, scored

KINDS = {
    "dec": "decision", "o": "option", "f": "factor", "x": "action", "u": "outcome", "r": "risk", "g": "goal",
}  # fmt: skip


def graph(arrows: str, *, first: tuple[Graph, ...] = (), alone: str = "") -> Graph:
    """A graph from arrows such as `dec>o1 o1>f1`; a node's kind is its id without digits."""
    pairs = [tuple(arrow.split(">")) for arrow in arrows.split()]
    names = dict.fromkeys([name for pair in pairs for name in pair] + alone.split())
    nodes: list[Graph] = [{"id": name, "kind": KINDS[name.rstrip("0123456789")]} for name in names]
    return {"nodes": [*first, *nodes], "edges": [edge(source, target) for source, target in pairs]}


LINKED = "dec>o1 dec>o2 o1>f1 o2>f2 f1>u1 f2>u1 u1>g"


@cases(
    "drawn, codes",
    {
        "all is linked": (graph(LINKED), ()),
        "options that lead to the goal without a factor": (
            graph("dec>o1 dec>o2 o1>x1 o2>x1 x1>g"),
            ("MISSING_BRIDGE", "OPTION_NO_GOAL_PATH"),
        ),
        "an outcome that leads to the goal and depends on no option": (
            graph("dec>o1 dec>o2 o1>f1 o2>f1 f1>x1 x1>g f2>u1 u1>g"),
            ("OUTCOME_UNREACHABLE",),
        ),
        "a controllable factor that shares its id with an outcome": (
            graph(LINKED, first=({"id": "u1", "kind": "factor", "category": "controllable"},)),
            ("DUPLICATE_NODE_ID", "CONTROLLABLE_NO_OPTION_EDGE"),
        ),
        "all leads on, but some past the goal": (
            graph("dec>o1 dec>o2 o1>f1 o2>f2 f1>f9 f2>u1 u1>g g>f9"),
            ("OPTION_NO_GOAL_PATH",),
        ),
        "a node without an edge": (graph(LINKED, alone="x1"), ("ORPHAN_NODE",)),
        "two nodes that only lead to each other": (graph(LINKED + " x1>x2"), ("ORPHAN_NODE",)),
        "an option that the decision does not lead to": (graph(LINKED + " o3>f1"), ()),
        "a risk two factors on": (graph("dec>o1 dec>o2 o1>f1 o2>f1 f1>f2 f2>r1 r1>g"), ()),
    },
)
def test_the_rules_about_walks(drawn: Graph, codes: tuple[str, ...]) -> None:
    assert scored(drawn).violation_codes == codes
